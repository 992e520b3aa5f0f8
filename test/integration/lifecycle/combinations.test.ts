// Several things at once: none hides another, and none stops what has nothing to do with it.
import { intersection, map, omit } from 'lodash';
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

const latest = () => workflow.shown.at(-1)!;
const missing = () => map(latest().missing.companies, 'company_number').sort();
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
	const rows = companies.map((one) => `${one}\t${names[one] ?? `Client ${one}`}`);
	return watching(['Company number\tClient', ...rows], REPORTED);
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

/** In hours, for one company. */
function lengthOfGap(company = FIRST): number {
	const gap = latest().missing.companies.find(({ company_number: one }) => one === company);
	return (Date.parse(gap?.to ?? '') - Date.parse(gap?.from ?? '')) / HOUR;
}

// A paste of the wrong clients, as many as before.
it('a wrong list, a restart and two more readings of it take no one out, and the right list ends it', async () => {
	const [RIGHT, WRONG] = [SIXTY.slice(0, 30), SIXTY.slice(30)];
	await published(table(RIGHT));
	await change([], table(WRONG));
	await workflow.stop();
	await workflow.start();
	await change([], table(WRONG));
	await change([], table(WRONG));
	expect(simulator.watched()).toEqual(SIXTY);
	expect(simulator.requests.filter(PAUSES.when)).toEqual([]);

	const ofRight = simulator.active().filter(({ company_number: one }) => RIGHT.includes(one));
	await change([], table(RIGHT));
	expect(simulator.watched()).toEqual(RIGHT);
	expect(simulator.active()).toEqual(ofRight);
	expect(latest()).toMatchObject({ state: 'complete', watched: 30, removed: { count: 30 } });
	// Nobody of the right list was ever paused, and so misses nothing.
	expect(simulator.requests.filter(PAUSES.when)).toHaveLength(30);
	expect(map(workflow.shown, 'missing.count')).toEqual(workflow.shown.map(() => 0));
});

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
		expect(map(workflow.shown, 'state')).not.toContain('repaired');
	});

	it('a problem that was told is not told again', async () => {
		await published(watching(FIVE, REPORTED));
		await change([...FIVE, '1000000X']);
		await workflow.later();
		for (let nth = 0; nth < 3; nth++) {
			await workflow.stop();
			passTime(2 * MINUTE);
			simulator.fault(DOWN);
			await workflow.start();
		}
		await workflow.stop();
		expect([workflow.shown.length, workflow.told]).toEqual([1, []]);
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

	it('companies that wait end once a person allows it', async () => {
		await published(table(SIX));
		const few = table(SIX.slice(0, 2));
		await change([], few);
		simulator.drift({ is_active: false }, [SIX[5]]);
		refuseUpdates([SIX[5]]);
		await workflow.later();
		expect(simulator.watched()).toEqual(SIX.slice(0, 5));
		await change([], { ...few, options: { allowLargeRemovals: true } });
		expect(simulator.watched()).toEqual(SIX.slice(0, 2));
	});

	it('a report names the new number of a company whose old one is not watched', async () => {
		const names = { [FIRST]: 'Acme Ltd', [NEW]: 'Acme Ltd' };
		await published(table(SIX, names));
		simulator.drift({ is_active: false }, [FIRST]);
		refuseUpdates([FIRST]);
		await change([], table([NEW, ...SIX.slice(1)], names));
		expect(latest()).toMatchObject({ changed: [{ name: 'Acme Ltd', before: FIRST, now: NEW }] });
	});

	it('a gap that no publish could end goes on', async () => {
		await published(watching(FIVE, REPORTED));
		await workflow.unpublish();
		passTime(HOUR);
		refuseUpdates([FIRST]);
		await workflow.publish();
		expect(missing()).toEqual(FIVE.slice(1));
		simulator.clearFaults();
		await workflow.later();
		expect(missing()).toEqual([FIRST]);
		expect(lengthOfGap()).toBeGreaterThan(1.9);
	});

	it('the others are named where events may be missing for them', async () => {
		await published(watching(FIVE, REPORTED));
		simulator.refuse([NEW]);
		await change([...FIVE, NEW]);
		await workflow.stop();
		passTime(8 * HOUR);
		await workflow.start();
		expect(latest()).toMatchObject({ state: 'incomplete', left: { count: 1 } });
		expect([missing(), Math.round(lengthOfGap())]).toEqual([FIVE, 8]);
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

	it('of changed events, where n8n is restarted before the repair', async () => {
		await published(watching(FIVE, REPORTED));
		simulator.drift({ events: ['psc.added'] }, [FIRST]);
		simulator.fault({ method: 'PATCH', ...DOWN });
		await restartBeforeRepair();
		expect(missing()).toEqual([FIRST]);
		expect(lengthOfGap()).toBeGreaterThan(4);
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
		['stop', 3 * HOUR],
		['kill', 3 * HOUR],
	] as const)('a %s is told as ever (%i)', async (end, time) => {
		await workflow[end]();
		passTime(time);
		await workflow.start();
		await workflow.later();
		const gaps = workflow.shown.filter((one) => one.missing.count === FIVE.length);
		// Fewer than five minutes are not told, but a kill is.
		expect(gaps).toHaveLength(end === 'kill' || time > 5 * MINUTE ? 1 : 0);
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
	expect([workflow.shown.length, workflow.told]).toEqual([1, []]);
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
	const named = workflow.shown.flatMap((one) => map(one.missing.companies, 'company_number'));
	expect(intersection(named, map(there, 'company_number'))).toEqual([]);
});

it('a publish that fails for its own list does not blame the service', async () => {
	await published(watching(FIVE, REPORTED));
	await workflow.unpublish();
	workflow.setup.parameters = watching(['Client\tTown', 'Acme\tYork'], REPORTED);
	const message = await failureOf(workflow.publish());
	expect(message).toMatch(/No column has company numbers/);
	expect(message).not.toContain('The registry service');
});
