// Several things at once: none hides another, and none stops what has nothing to do with it.
import { map, omit } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { failureOf, PAUSES, serviceForEachTest } from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { passTime, setTimes } from '../../support/times';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const REPORTED = { events: ['filing.new', 'watch.report'] };
const PSC = { events: ['filing.new', 'psc.added', 'watch.report'] };
const DOWN = { times: Infinity, action: { status: 503 } };
const FIVE = companyNumbers(5);
const [FIRST] = FIVE;
const SIX = companyNumbers(6);
const SIXTY = companyNumbers(60);
const NEW = '20000001';
const UNREADABLE = ['={{ nothing( }}'];

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => setTimes({ beforeReport: 10 * MINUTE }));

const allReports = () => map(workflow.shown, 'summary').join('\n');
const change = async (companies: string[], more: INodeParameters = REPORTED) =>
	await failureOf(workflow.change({ parameters: watching(companies, more) }));

/** From publish to the first check, which has been forgotten. */
async function published(parameters: INodeParameters): Promise<void> {
	workflow = watch(simulator, [], { parameters });
	await workflow.publish();
	await workflow.later();
	workflow.executions.splice(0);
}

function table(companies: string[], names: Record<string, string> = {}): INodeParameters {
	const rows = companies.map((one) => [one, names[one] ?? `Client ${one}`]);
	return watching(
		[['Company number', 'Client'], ...rows].map((row) => row.join('\t')),
		REPORTED,
	);
}

const refusal = (status: number, error: string) => ({
	status,
	body: { error, message: error, status },
});

/** The service refuses to make these webhooks active, or to change their events. */
function refuseUpdates(companies: string[], action = refusal(422, 'dissolved')): void {
	const all = simulator.webhooks().filter((one) => companies.includes(one.company_number));
	const path = new RegExp(map(all, 'id').join('|'));
	const when = ({ body }: { body: unknown }) =>
		Array.isArray((body as { events?: unknown }).events);
	simulator.fault({ method: 'PATCH', path, when, times: Infinity, action });
}

/** For a while, the service shows these webhooks only. */
function showOnly(webhooks: ReturnType<typeof simulator.webhooks>): void {
	const data = webhooks.map((one) => omit(one, ['secret', 'account', 'url']));
	simulator.fault({ method: 'GET', times: Infinity, action: { status: 200, body: { data } } });
}

/** For a while, the service knows none of its webhooks. */
function forgetAll(): void {
	showOnly([]);
	simulator.fault({ method: 'PATCH', times: Infinity, action: refusal(404, 'not_found') });
}

/** Hours and minutes of a time as it is written, in minutes. */
const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
function lengthOfGap(text: string): number {
	const [, from, to] = /between (\d\d:\d\d) and (\d\d:\d\d)/.exec(text) ?? [];
	return minutesOf(to) - minutesOf(from);
}

describe('n8n ends after checks that failed', () => {
	it.each(['stop', 'takeDown'] as const)('a %s gives no all-clear', async (end) => {
		await published(watching(FIVE, REPORTED));
		await workflow.stop();
		passTime(2 * MINUTE);
		simulator.drift({ is_active: false });
		simulator.fault(DOWN);
		await workflow.start();
		await workflow[end]();
		expect(map(workflow.shown, 'state')).not.toContain('complete');
		expect(allReports()).not.toContain('5 companies are watched');
	});

	it('a problem that was told is not told again', async () => {
		await published(watching(FIVE, REPORTED));
		await change([...FIVE, 'n/a']);
		await workflow.later();
		for (let nth = 0; nth < 3; nth++) {
			await workflow.stop();
			passTime(2 * MINUTE);
			simulator.fault(DOWN);
			await workflow.start();
		}
		await workflow.stop();
		expect(workflow.told).toHaveLength(1);
	});
});

describe('beside companies whose webhooks the service does not change', () => {
	it.each([
		['25 are refused', 25, refusal(422, 'dissolved')],
		['three get no clear answer', 3, refusal(500, 'internal')],
	])('a new company is watched where %s', async (_what, count, action) => {
		await published(watching(SIXTY, REPORTED));
		refuseUpdates(SIXTY.slice(0, count), action);
		await change(SIXTY, PSC);
		await change([...SIXTY, NEW], PSC);
		await workflow.later();
		expect(simulator.watched()).toContain(NEW);
	});

	it('kept companies end once a person confirms the list', async () => {
		await published(table(SIX));
		await workflow.change({ parameters: table(SIX.slice(0, 2)) });
		simulator.drift({ is_active: false }, [SIX[5]]);
		refuseUpdates([SIX[5]]);
		await workflow.later();
		await workflow.unpublish();
		await workflow.publish();
		expect(simulator.watched()).toEqual(SIX.slice(0, 2));
	});

	it('a report names the new number of a company whose old one is not watched', async () => {
		const names = { [FIRST]: 'Acme Ltd', '10000091': 'Acme Ltd' };
		await published(table(SIX, names));
		simulator.drift({ is_active: false }, [FIRST]);
		refuseUpdates([FIRST]);
		await workflow.change({ parameters: table(['10000091', ...SIX.slice(1)], names) });
		expect(allReports()).toContain(`- ${FIRST} Acme Ltd: has the number 10000091 now`);
	});

	it('a gap that no publish could end goes on', async () => {
		await published(watching(FIVE, REPORTED));
		await workflow.unpublish();
		passTime(HOUR);
		refuseUpdates([FIRST]);
		await workflow.publish();
		expect(workflow.told.at(-1)).toContain(`${FIRST}: events may be missing since`);
	});

	it('the subject has the gap of the others as well', async () => {
		await published(watching(FIVE, { ...REPORTED, options: { unwatchable: 'skip' } }));
		simulator.refuse([NEW]);
		await change([...FIVE, NEW], { ...REPORTED, options: { unwatchable: 'skip' } });
		await workflow.stop();
		passTime(8 * HOUR);
		await workflow.start();
		expect(workflow.subjects.at(-1)).toMatch(
			/^1 of 6 companies is not watched; events may be missing for 5 companies between /,
		);
	});
});

describe('while the service knows no webhook', () => {
	it('an unpublish loses no secret', async () => {
		await published(watching(SIXTY, REPORTED));
		forgetAll();
		await workflow.unpublish();
		simulator.clearFaults();
		passTime(HOUR);
		await workflow.publish();
		expect(simulator.webhooks()).toHaveLength(60);
	});

	it('companies that leave the list end later', async () => {
		await published(watching(SIXTY, REPORTED));
		forgetAll();
		expect(await change(SIXTY.slice(25))).toBe('It did not fail');
		simulator.clearFaults();
		await workflow.later();
		expect(simulator.watched()).toEqual(SIXTY.slice(25));
	});
});

it('a webhook that the list shows is paused later, whatever one answer says', async () => {
	await published(watching(FIVE, REPORTED));
	simulator.fault({ ...PAUSES, action: refusal(404, 'not_found') });
	await change(FIVE.slice(1));
	await workflow.later();
	expect(simulator.watched()).toEqual(FIVE.slice(1));
});

describe('a gap keeps its beginning', () => {
	/** Hours pass without a repair, and n8n is restarted before it. */
	async function restartBeforeRepair(): Promise<void> {
		for (let nth = 0; nth < 5; nth++) await workflow.later();
		await workflow.stop();
		passTime(2 * MINUTE);
		simulator.clearFaults();
		await workflow.start();
		await workflow.later();
	}

	it('of a new event, where n8n is restarted before the repair', async () => {
		await published(watching(FIVE, REPORTED));
		simulator.fault({ method: 'PATCH', ...DOWN });
		await change(FIVE, PSC);
		await restartBeforeRepair();
		expect(lengthOfGap(workflow.shown.at(-1)!.summary)).toBeGreaterThan(4 * 60);
	});

	it('of changed events, where n8n is restarted before the repair', async () => {
		await published(watching(FIVE, REPORTED));
		simulator.drift({ events: ['psc.added'] }, [FIRST]);
		simulator.fault({ method: 'PATCH', ...DOWN });
		await restartBeforeRepair();
		const lines = allReports().split('\n');
		const own = lines.filter((line) => line.startsWith(`- ${FIRST}: `));
		expect(
			Math.max(...own.filter((one) => one.includes('between')).map(lengthOfGap)),
		).toBeGreaterThan(4 * 60);
	});

	it.each(['remove', { events: ['psc.added'] }] as const)(
		'of drift %j, where the company leaves the list and comes back',
		async (drift) => {
			await published(watching(FIVE, REPORTED));
			simulator.drift(drift === 'remove' ? drift : { events: [...drift.events] }, [FIRST]);
			passTime(2 * HOUR);
			await change(FIVE.slice(1));
			passTime(HOUR);
			await change(FIVE);
			expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 1 company between /);
			expect(lengthOfGap(workflow.subjects.at(-1)!)).toBeGreaterThanOrEqual(3 * 60);
		},
	);

	it('of webhooks that someone paused, where the list shows active ones only', async () => {
		await published(watching(SIXTY, REPORTED));
		simulator.drift({ is_active: false }, SIXTY.slice(0, 30));
		showOnly(simulator.webhooks().filter((one) => one.is_active));
		await workflow.later();
		expect(workflow.subjects.at(-1)).toMatch(/^Events may be missing for 30 companies between /);
		expect(simulator.active()).toHaveLength(60);
	});
});

describe('with settings that cannot be read', () => {
	beforeEach(async () => {
		await published(watching(FIVE, REPORTED));
		await change(UNREADABLE);
		workflow.executions.splice(0);
	});

	it.each([
		['stop', 2 * MINUTE],
		['kill', 3 * HOUR],
	] as const)('a %s is told as ever', async (end, time) => {
		await workflow[end]();
		passTime(time);
		await workflow.start();
		await workflow.later();
		expect(workflow.told).toEqual([]);
		expect(allReports()).toContain('Events may be missing');
	});

	it('a start throws nothing', async () => {
		simulator.drift({ is_active: false });
		simulator.fault({ method: 'PATCH', ...DOWN });
		await workflow.later();
		await workflow.stop();
		simulator.clearFaults();
		expect(await failureOf(workflow.start())).toBe('It did not fail');
	});
});

it('a company that may have left the list is told once, whatever restarts follow', async () => {
	await published(table(SIX));
	const broken = table(['#REF!', ...SIX.slice(1)], { '#REF!': `Client ${FIRST}` });
	await workflow.change({ parameters: broken });
	for (let nth = 0; nth < 4; nth++) {
		await workflow.later();
		await workflow.stop();
		passTime(2 * MINUTE);
		await workflow.start();
	}
	expect(workflow.told).toHaveLength(1);
});

it('webhooks that were not asked about are not called removed where the service fails', async () => {
	const all = companyNumbers(100);
	await published(watching(all, REPORTED));
	const [shown, removed, there] = [[0, 10], [10, 60], [60]].map(([from, to]) =>
		simulator.webhooks().slice(from, to),
	);
	simulator.drift('remove', map(removed, 'company_number'));
	showOnly(shown);
	simulator.fault({ method: 'PATCH', nth: 61, ...DOWN });
	await workflow.later();
	simulator.clearFaults();
	showOnly(shown);
	await workflow.later(2 * MINUTE);
	for (const one of there) {
		expect(allReports()).not.toContain(`- ${one.company_number}: Had been removed`);
	}
});

it('a kept company is not dropped because another account refuses it', async () => {
	await published(table(SIX));
	await workflow.change({ parameters: table(SIX.slice(0, 2)) });
	simulator.refuse([SIX[5]], 422, 'Try later');
	const { apiKey } = simulator.addAccount();
	workflow.setup.credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
	await workflow.change();
	simulator.clearFaults();
	await workflow.change({ parameters: table([...SIX.slice(0, 2), NEW]) });
	expect(Object.keys(workflow.state()!.facts.kept ?? {})).toContain(SIX[5]);
});

it('a publish that fails for its own list does not blame the service', async () => {
	await published(watching(FIVE, REPORTED));
	await workflow.unpublish();
	workflow.setup.parameters = watching(['Client\tTown', 'Acme\tYork'], REPORTED);
	const message = await failureOf(workflow.publish());
	expect(message).toMatch(/^No company is watched\. No column has company numbers/);
	expect(message).not.toContain('The registry service');
});
