// A worse fact that lasts, and was told, keeps no new fact from a person.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { serviceForEachTest } from '../../support/atService';
import { COMPANIES, nameOf, table, watchClients } from '../../support/clientList';
import { companyNumbers, watch, type SavedWorkflow } from '../../support/savedWorkflow';
import { HOUR, MINUTE, setTimes } from '../../support/times';

const [FIRST, ...OTHERS] = COMPANIES;
const NEW = '10000091';
/** Longer than a failure waits before it is reported. */
const LATER = 11 * MINUTE;

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;
/** What the link leads to. */
let list = '';
const server = createServer((_request, response) => response.end(list));

beforeAll(async () => await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

function linkTo(companies: string[], names = companies.map(nameOf)): void {
	list = String(table(companies, names).companyNumbers);
}

async function follow(): Promise<void> {
	setTimes({ beforeReport: 10 * MINUTE });
	linkTo(COMPANIES);
	const { port } = server.address() as AddressInfo;
	workflow = watch(simulator, [], {
		parameters: { companiesFrom: 'link', events: ['filing.new', 'watch.report'] },
		credentials: {
			companyRegistryApi: { baseUrl: simulator.url, apiKey: simulator.apiKey },
			companyRegistryListApi: { url: `http://127.0.0.1:${port}/` },
		},
	});
	await workflow.publish();
	await workflow.later();
	workflow.executions.splice(0);
}

/** Checks until a day has passed since the last report, but for an hour. */
async function checks(count = 20): Promise<void> {
	for (let nth = 0; nth < count; nth++) await workflow.later(HOUR);
}

function exchanged(companies: string[]): string[] {
	const [one, two, ...others] = companies.map(nameOf);
	return [two, one, ...others];
}

describe('where one company is not watched, a person learns at once', () => {
	beforeEach(async () => {
		await follow();
		simulator.refuse([NEW]);
		linkTo([...COMPANIES, NEW]);
		await checks(2);
		expect(workflow.subjects).toEqual(['1 of 59 companies is not watched']);
		expect(workflow.told).toHaveLength(1);
		workflow.executions.splice(0);
	});

	it.each<[string, () => void, RegExp]>([
		[
			'that most of the list is gone',
			() => linkTo([...COMPANIES.slice(0, 10), NEW]),
			/ 48 companies left your list: they stay watched until you confirm\. /,
		],
		[
			'that a company has another number',
			() => linkTo(['20000001', ...OTHERS, NEW], [...COMPANIES, NEW].map(nameOf)),
			/ - 10000001 Client 10000001 has the number 20000001 now /,
		],
		[
			'that names are exchanged',
			() => linkTo([...COMPANIES, NEW], exchanged([...COMPANIES, NEW])),
			/ - Client 10000002: 10000002 → 10000001 /,
		],
	])('%s', async (_what, change, words) => {
		change();
		await checks(3);
		workflow.expectTold(words);
	});
});

describe('where most of the list is gone', () => {
	const TEN = COMPANIES.slice(0, 10);

	beforeEach(async () => {
		await follow();
		linkTo(TEN);
		await checks(2);
		expect(workflow.told).toHaveLength(1);
		workflow.executions.splice(0);
	});

	it('a number that lost a digit is told before a person confirms', async () => {
		linkTo(['20000001', ...TEN.slice(1)], TEN.map(nameOf));
		await checks(3);
		workflow.expectTold(
			/^48 companies left .* 10000001 Client 10000001 has the number 20000001 now/,
		);
	});

	it('a number that lost a digit a moment ago is not confirmed with the rest', async () => {
		linkTo(['20000001', ...TEN.slice(1)], TEN.map(nameOf));
		await workflow.unpublish();
		await workflow.publish();
		expect(simulator.watched()).toContain(FIRST);
	});

	it('exchanged names are told', async () => {
		linkTo(TEN, exchanged(TEN));
		await checks(3);
		workflow.expectTold(/ - Client 10000002: 10000002 → 10000001 /);
	});
});

describe('twice as many companies that are not watched are told at once, and fewer are not', () => {
	const quota = { status: 422, body: { error: 'quota', message: 'Quota', status: 422 } };

	it.each([
		['the account may not create more', { status: 403 }],
		['the service fails', { status: 503 }],
		['a quota stops the setup', quota],
	])('where %s', async (_why, action) => {
		await follow();
		simulator.fault({ method: 'POST', times: Infinity, action });
		linkTo(companyNumbers(80));
		await workflow.later();
		await workflow.later(LATER);
		expect(workflow.subjects.at(-1)).toBe('22 of 80 companies are not watched');
		workflow.executions.splice(0);

		linkTo(companyNumbers(120));
		await checks(3);
		expect(workflow.subjects).toEqual(['62 of 120 companies are not watched']);
		linkTo(companyNumbers(100));
		await checks(3);
		expect(workflow.told).toHaveLength(1);
	});
});

describe('an outage after a failure of one company', () => {
	const failUpdates = (status: number) => {
		const { id } = simulator.webhooks().find((one) => one.company_number === FIRST)!;
		simulator.fault({ method: 'PATCH', path: RegExp(id), times: Infinity, action: { status } });
	};

	it.each([503, 403])('is told, also with the same status %d', async (status) => {
		workflow = await watchClients(simulator);
		simulator.drift({ is_active: false }, [FIRST]);
		failUpdates(status);
		await checks(4);
		workflow.executions.splice(0);
		simulator.fault({ times: Infinity, action: { status } });
		await checks(4);
		expect(workflow.subjects).toEqual([expect.stringMatching(/^Could not check since /)]);
	});

	it('is said to have begun with it, although one pause had failed before', async () => {
		workflow = await watchClients(simulator);
		const { id } = simulator.webhooks().find((one) => one.company_number === FIRST)!;
		simulator.fault({
			method: 'PATCH',
			path: RegExp(id),
			times: Infinity,
			action: { status: 503 },
		});
		await workflow.change({ parameters: table(OTHERS) });
		await checks(5);
		workflow.executions.splice(0);

		const from = Date.now();
		simulator.fault({ times: Infinity, action: { status: 503 } });
		await checks(2);
		const [, hour] = /^Could not check since (\d\d):/.exec(workflow.subjects.at(-1) ?? '') ?? [];
		const zone = { timeZone: 'America/New_York', hour: '2-digit', hourCycle: 'h23' } as const;
		const clock = new Intl.DateTimeFormat('en-GB', zone);
		const [begin, end] = [from + HOUR, from + HOUR + MINUTE];
		expect([clock.format(begin), clock.format(end)]).toContain(hour);
	});
});

it('a person reads who has left the list while the service cannot be asked', async () => {
	workflow = await watchClients(simulator);
	simulator.fault({ times: Infinity, action: { status: 503 } });
	await workflow.change({ parameters: table(OTHERS) });
	await workflow.later(LATER);
	workflow.expectTold(
		/^Could not check since .* No longer on your list, so their events start nothing: - 10000001 Client 10000001 /,
	);
});

it('a corrected number is no removal, although the service fails when the trigger reads it', async () => {
	await follow();
	linkTo(['20000001', ...OTHERS], COMPANIES.map(nameOf));
	await workflow.later();
	workflow.executions.splice(0);
	linkTo(COMPANIES);
	simulator.fault({ method: 'GET', times: 3, action: { status: 503 } });
	await workflow.later();
	await checks(2);
	expect(workflow.subjects.filter((subject) => subject.includes('removed'))).toEqual([]);
});

it('a stop of n8n alarms no one of a company that may soon be watched', async () => {
	await follow();
	simulator.fault({ method: 'POST', nth: 2, times: Infinity, action: { status: 503 } });
	linkTo([...COMPANIES, NEW, '10000092']);
	await workflow.later();
	await workflow.stop();
	expect(workflow.subjects).toHaveLength(1);
	expect(workflow.told).toEqual([]);
});

describe('while the list cannot be read, a person learns at once', () => {
	beforeEach(async () => {
		await follow();
		list = 'No company number';
		await checks(2);
		expect(workflow.subjects).toHaveLength(1);
		workflow.executions.splice(0);
	});

	it('that companies are not watched any more', async () => {
		simulator.drift('remove', COMPANIES.slice(0, 40));
		simulator.refuse(COMPANIES.slice(0, 40));
		await workflow.later();
		expect(workflow.subjects).toEqual([
			expect.stringMatching(/^40 of 58 companies are not watched/),
		]);
		workflow.expectTold(/ Could not read your list since \S+\. /);
	});

	it('that the service does not answer', async () => {
		simulator.fault({ times: Infinity, action: { status: 503 } });
		await workflow.later();
		for (let minute = 0; minute < 12; minute++) await workflow.later(MINUTE);
		workflow.expectTold(/^Could not check since /);
	});
});

it('a row that was copied with its number is told at the next check', async () => {
	await follow();
	linkTo([...COMPANIES, FIRST], [...COMPANIES.map(nameOf), 'Kite Ltd']);
	await workflow.later();
	workflow.expectTold(/^58 companies are watched; 1 number has several names /);
	expect(workflow.told[0]).toContain(`- ${FIRST}: ${nameOf(FIRST)}, Kite Ltd`);
});
