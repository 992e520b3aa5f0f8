// A published trigger follows the list behind a link, and never ends a watch by accident.
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';

import express from 'express';
import { map } from 'lodash';

import { listedCompany } from '../../../nodes/CompanyRegistry/trigger/parameters/watchlist';
import { sampleItems } from '../../../nodes/CompanyRegistry/trigger/samples/sampleItems';
import { failureOf, PAUSES, serviceForEachTest } from '../../support/atService';
import { hookContext } from '../../support/contexts';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { passTime, setTimes } from '../../support/times';

const MINUTE = 60_000;
const FIVE = companyNumbers(5);
const FOLLOWING = { companiesFrom: 'link' };

const simulator = serviceForEachTest();
let server: Server;
let workflow: SavedWorkflow;
/** What the link leads to, how often it was read, and its header. */
const link = { body: '' as string | Buffer, status: 200, reads: 0, header: '' };
const rowOf = (company: string) => `${company}\tClient ${company}\tKept`;
const tableOf = (companies: string[]) =>
	['Company number\tClient\tNotes', ...map(companies, rowOf)].join('\n');

beforeAll(async () => {
	const app = express().use((request, response) => {
		link.reads++;
		link.header = String(request.headers['x-list']);
		response.status(link.status).end(link.body);
	});
	await new Promise<void>((resolve) => (server = app.listen(0, '127.0.0.1', () => resolve())));
});
afterAll(() => void server.close());

beforeEach(() => {
	setTimes({ beforeReport: 10 * MINUTE });
	Object.assign(link, { body: tableOf(FIVE), status: 200, reads: 0 });
	const { port } = server.address() as AddressInfo;
	const url = `http://127.0.0.1:${port}/hidden?key=hidden`;
	workflow = watch(simulator, [], {
		parameters: FOLLOWING,
		credentials: {
			companyRegistryApi: { baseUrl: simulator.url, apiKey: simulator.apiKey },
			companyRegistryListApi: { url, headerName: 'X-List', headerValue: 'hidden' },
		},
	});
});
afterEach(() => {
	expect(JSON.stringify([workflow.executions, workflow.staticData])).not.toContain('hidden');
});

/** What a delivery says of a company: its name and columns, as a process that has just started reads them. */
function listed(company: string) {
	const loaded = workflow.load();
	return listedCompany(hookContext(loaded), company, workflow.state()?.facts.list);
}

it('rows that the trigger skips are reported once, as soon as there are others', async () => {
	const events = ['filing.new', 'watch.report'];
	Object.assign(workflow.setup, {
		parameters: { ...FOLLOWING, events, options: { unwatchable: 'skip' } },
	});
	await workflow.publish();
	link.body += '\n\tKite Ltd\t';
	await workflow.later();
	await workflow.later();
	expect(workflow.subjects).toEqual([
		'5 companies are watched',
		'5 companies are watched: 1 row not read',
	]);
	expect(workflow.shown.at(-1)?.summary).toMatch(/Skipped, because .*\n- .*Kite Ltd/);
	expect(workflow.told).toEqual([]);
});

it('the link is read once at a publish, a start and each check, which leaves no trace of an unchanged list', async () => {
	await workflow.publish();
	expect([simulator.watched(), link.reads, link.header]).toEqual([FIVE, 1, 'hidden']);
	await workflow.later();
	simulator.clearRequests();
	const { stores } = workflow;
	await workflow.later();
	await workflow.later();
	expect([link.reads, simulator.methods()]).toEqual([4, ['GET', 'GET']]);
	expect([workflow.executions, workflow.stores]).toEqual([[], stores]);
	await workflow.start();
	expect([link.reads, workflow.told]).toEqual([5, []]);
});

it('a publish without a link says which credential has it', async () => {
	const { companyRegistryApi } = workflow.setup.credentials ?? {};
	workflow.setup.credentials = { companyRegistryApi };
	await expect(workflow.publish()).rejects.toThrow(
		"This workflow watches no company yet. No link is chosen. Open the node and choose or create the 'Company Registry List API' credential",
	);
});

it.each(['check', 'start'] as const)('a changed list is carried out at a %s', async (when) => {
	workflow.setup.parameters = { ...FOLLOWING, events: ['filing.new', 'watch.report'] };
	await workflow.publish();
	simulator.clearRequests();
	const changed = [...FIVE.slice(1), '10000009'];
	link.body = tableOf(changed);
	await (when === 'check' ? workflow.later() : workflow.start());
	expect(simulator.watched()).toEqual(changed);
	expect(simulator.counts()).toEqual({ GET: 1, POST: 1, PATCH: 1 });
	expect(workflow.told).toEqual([]);
	const words = 'Added:\n- 10000009 Client 10000009\n\nRemoved:\n- 10000001 Client 10000001';
	expect(workflow.shown.at(-1)?.summary).toContain(words);
	await workflow.later();
	expect(workflow.shown).toHaveLength(2);
	expect(listed('10000009').columns).toMatchObject({ Client: 'Client 10000009', Notes: 'Kept' });
});

describe('the previous list stays, and one failed execution says why at once', () => {
	it.each<[string, Partial<typeof link>, string]>([
		['cannot be read', { body: 'Name,Ref\nAcme,1001' }, 'No column has company numbers\\.'],
		['is empty', { body: '' }, 'No company is chosen\\. Check the list behind'],
		['is a web page', { body: '<!DOCTYPE html><p>Sign in' }, 'The link leads to a web page'],
		['is answered with status 401', { status: 401 }, '127.0.0.1:\\d+ answers with status 401\\.'],
		['is answered with status 403', { status: 403 }, 'answers with status 403\\.'],
		['is answered with status 404', { status: 404 }, 'answers with status 404\\.'],
		['is answered with status 410', { status: 410 }, 'answers with status 410\\.'],
	])('where the list %s', async (_what, changes, message) => {
		await workflow.publish();
		Object.assign(link, changes);
		await workflow.later();
		await workflow.later(2 * MINUTE);
		await workflow.later();
		expect(simulator.watched()).toEqual(FIVE);
		workflow.expectTold(
			`^Could not read your list since \\d\\d:\\d\\d; as before, 5 of 5 companies are watched .*${message}`,
		);
		// Half of the companies may leave at a time.
		for (const count of [4, 2]) {
			Object.assign(link, { status: 200, body: tableOf(FIVE.slice(0, count)) });
			await workflow.later();
			expect(simulator.watched()).toEqual(FIVE.slice(0, count));
		}
		expect(workflow.told).toHaveLength(1);
	});
});

describe('companies stay watched, and the verdict says so once', () => {
	it('where most of the list is gone: adding rows later confirms nothing', async () => {
		await workflow.publish();
		link.body = tableOf(FIVE.slice(0, 2));
		await workflow.later();
		await workflow.later();
		expect(simulator.watched()).toEqual(FIVE);
		workflow.expectTold(
			/^3 companies left your list: they stay watched until you confirm .*unpublish and publish this list.* - 10000003 Client 10000003 - 10000004 Client 10000004 - 10000005 Client 10000005 /,
		);
		link.body = tableOf([...FIVE.slice(0, 4), '10000009']);
		await workflow.later();
		expect(simulator.watched()).toEqual([...FIVE, '10000009']);
		expect(workflow.told[1]).toMatch(/^1 company left your list: it stays watched until you/);
		link.body = tableOf([...FIVE, '10000009']);
		await workflow.later();
		expect(workflow.told).toHaveLength(2);
	});

	it.each([
		['takes', false, /^5 companies left your list: they/],
		['refuses', true, /^5 of 10 companies are not watched .*5 companies left your list: they stay/],
	])('where the service %s as many other companies', async (_what, isRefused, words) => {
		await workflow.publish();
		const others = FIVE.map((company) => `2${company.slice(1)}`);
		if (isRefused) simulator.refuse(others);
		link.body = tableOf(others).replaceAll('Client', 'Other');
		await workflow.later();
		expect(simulator.watched()).toEqual(isRefused ? FIVE : [...FIVE, ...others]);
		workflow.expectTold(words);
	});
});

it('a company whose name has another number is reported once although the service failed when the trigger found it', async () => {
	await workflow.publish();
	const rows = [...map(FIVE.slice(1), rowOf), `10000091\tClient ${FIVE[0]}\tKept`];
	link.body = ['Company number\tClient\tNotes', ...rows].join('\n');
	simulator.fault({ method: 'POST', times: 1, action: { status: 503 } });
	await workflow.later();
	await workflow.later(2 * MINUTE);
	await workflow.later();
	expect(simulator.watched()).toEqual([...FIVE, '10000091']);
	workflow.expectTold(/^1 company has another number now: check it .* the number 10000091 now/);
});

it('names with exchanged numbers lead a report once the failure is over in which the trigger found them', async () => {
	await workflow.publish();
	const [first, second] = FIVE;
	link.body = tableOf(FIVE)
		.replace(`Client ${first}`, 'Client X')
		.replace(`Client ${second}`, `Client ${first}`)
		.replace('Client X', `Client ${second}`);
	simulator.fault({ times: Infinity, action: { status: 503 } });
	await workflow.later();
	await workflow.later(11 * MINUTE);
	simulator.clearFaults();
	await workflow.later();
	await workflow.later();
	expect(workflow.told).toEqual([
		expect.stringMatching(/^Could not check since .* 2 companies have another number now/),
		expect.stringMatching(/^2 companies have another number now: check them /),
	]);
});

it('a changed list is reported once although the service failed when the trigger read it', async () => {
	workflow.setup.parameters = { ...FOLLOWING, events: ['filing.new', 'watch.report'] };
	await workflow.publish();
	link.body = tableOf([...FIVE.slice(1), '10000009']);
	simulator.fault({ method: 'POST', times: 1, action: { status: 503 } });
	await workflow.later();
	await workflow.later(2 * MINUTE);
	expect(simulator.watched()).toEqual([...FIVE.slice(1), '10000009']);
	expect(workflow.shown.at(-1)).toMatchObject({ added: { count: 1 }, removed: { count: 1 } });
	await workflow.later();
	expect(workflow.shown).toHaveLength(2);
});

it('drift that each check finds is told at its end, although the list has changed meanwhile', async () => {
	await workflow.publish();
	await workflow.later();
	for (let nth = 0; nth < 6; nth++) {
		simulator.drift({ is_active: false }, [FIVE[0]]);
		if (nth === 5) link.body = tableOf([...FIVE, '10000009']);
		await workflow.later();
	}
	expect(workflow.told).toHaveLength(2);
	await workflow.later();
	expect(workflow.told[2]).toContain(`${FIVE[0]} Client ${FIVE[0]}: Had been paused (between`);
});

it('a service that fails after the link is reported, and not since the link has failed', async () => {
	await workflow.publish();
	link.status = 503;
	for (let nth = 0; nth < 3; nth++) await workflow.later();
	expect(workflow.told).toHaveLength(1);
	const [, since] = /since (\d\d:\d\d)/.exec(workflow.told[0]) ?? [];
	simulator.fault({ method: 'GET', times: Infinity, action: { status: 503 } });
	await workflow.later();
	link.status = 200;
	for (let nth = 0; nth < 3; nth++) await workflow.later();
	expect(since).toMatch(/:/);
	expect(workflow.told[1]).toMatch(new RegExp(`^Could not check since (?!${since})\\d\\d:`));
	expect(workflow.told).toHaveLength(2);
});

it('a removed company is reported once, after its webhook could be paused', async () => {
	workflow.setup.parameters = { ...FOLLOWING, events: ['filing.new', 'watch.report'] };
	await workflow.publish();
	link.body = tableOf(FIVE.slice(1));
	simulator.fault({ ...PAUSES, times: 1, action: { status: 422 } });
	await workflow.later();
	await workflow.later();
	await workflow.later();
	expect(simulator.watched()).toEqual(FIVE.slice(1));
	expect(map(workflow.shown, 'removed.count')).toEqual([0, 0, 1]);
	expect(map(workflow.shown, 'state')).toEqual(['complete', 'incomplete', 'complete']);
});

it.each<[string, () => void]>([
	['is as before', () => undefined],
	['is away', () => (link.status = 503)],
	['has shrunk', () => (link.body = tableOf(FIVE.slice(4)))],
])('a company that a row keeps stays watched by a change while the list %s', async (_how, act) => {
	await workflow.publish();
	link.body = `${tableOf(FIVE.slice(1))}\n1000000l\tMistyped`;
	await workflow.later();
	expect(simulator.watched()).toEqual(FIVE);
	workflow.expectTold(
		/^5 companies are watched; 1 row has no company number .* - row 6 \("1000000l", Mistyped\) 1 company may have left your list.*Correct the rows, or unpublish and publish again: - 10000001 Client 10000001/,
	);
	act();
	await workflow.change({ parameters: { ...FOLLOWING, options: { checkEvery: 'day' } } });
	await workflow.start();
	expect(simulator.watched()).toEqual(FIVE);
});

describe('a list whose companies do not change', () => {
	beforeEach(async () => {
		await workflow.publish();
		await workflow.later();
	});

	/** How often the trigger stores something by itself at a check of a list in which this is replaced. */
	async function storesAt(wait: number, before: string, after: string): Promise<number> {
		const { stores } = workflow;
		link.body = String(link.body).replace(before, after);
		await workflow.later(wait);
		return workflow.stores - stores;
	}

	it('is stored at the check that finds another name, which mails have', async () => {
		expect(await storesAt(60 * MINUTE, `Client ${FIVE[0]}`, 'Kite Ltd')).toBe(1);
		expect(listed(FIVE[0])).toMatchObject({ name: 'Kite Ltd', columns: { Client: 'Kite Ltd' } });
		expect(workflow.executions).toEqual([]);
	});

	it('is stored once a day for other columns', async () => {
		await workflow.later(25 * 60 * MINUTE);
		expect(await storesAt(60 * MINUTE, 'Kept', 'First')).toBe(1);
		expect(listed(FIVE[0]).columns).toMatchObject({ Notes: 'First' });
		// What was stored is stored once more at the next check.
		expect(await storesAt(60 * MINUTE, 'First', 'Second')).toBe(1);
		for (let nth = 0; nth < 5; nth++) {
			expect(await storesAt(60 * MINUTE, 'Second', `Second ${nth}`)).toBe(0);
		}
		expect(listed(FIVE[0]).columns).toMatchObject({ Notes: 'First' });
		expect(await storesAt(20 * 60 * MINUTE, 'Second', 'Third')).toBe(1);
		expect(listed(FIVE[0]).columns).toMatchObject({ Notes: 'Third 4 3 2 1 0' });
		expect(workflow.executions).toEqual([]);
	});
});

it('with Ten Minutes, a link that is away is reported ten minutes after the first check that found it away', async () => {
	workflow.setup.parameters = { ...FOLLOWING, options: { checkEvery: 'tenMinutes' } };
	await workflow.publish();
	const { reads } = link;
	for (let minute = 0; minute < 10 && link.reads === reads; minute++) await workflow.later(MINUTE);
	link.status = 503;
	const { reads: before } = link;
	while (link.reads === before) await workflow.later(MINUTE);
	expect(workflow.told).toEqual([]);
	for (let minute = 1; minute < 10; minute++) await workflow.later(MINUTE);
	expect(workflow.told).toEqual([]);
	await workflow.later(MINUTE);
	workflow.expectTold(/status 503.*retries automatically/);
});

it('a link that is away is reported after ten minutes, and repairs go on', async () => {
	await workflow.publish();
	link.status = 503;
	simulator.drift('remove', [FIVE[0]]);
	await workflow.later();
	expect(simulator.watched()).toEqual(FIVE);
	workflow.expectTold(
		/^Events may be missing for 1 company between .* - 10000001 Client 10000001: Had been removed \(.* Could not read your list since /,
	);
	workflow.executions.splice(0);
	await workflow.later(5 * MINUTE);
	expect(workflow.told).toEqual([]);
	await workflow.later(6 * MINUTE);
	await workflow.later();
	workflow.expectTold(/127\.0\.0\.1:\d+ answers with status 503\./);
	link.status = 200;
	await workflow.later();
	expect(workflow.told).toHaveLength(1);
});

describe('while the link is away', () => {
	it('a publish after an unpublish watches the stored list, and reports', async () => {
		await workflow.publish();
		await workflow.unpublish();
		expect(simulator.watched()).toEqual([]);
		link.status = 503;
		await workflow.publish();
		expect(simulator.watched()).toEqual(FIVE);
		workflow.expectTold('status 503');
	});

	it('a restart keeps the companies with their names and columns', async () => {
		await workflow.publish();
		link.status = 503;
		await workflow.start();
		expect([simulator.watched(), workflow.told]).toEqual([FIVE, []]);
		expect(listed(FIVE[0])).toMatchObject({
			isListed: true,
			name: 'Client 10000001',
			columns: { Client: 'Client 10000001', Notes: 'Kept' },
		});
	});

	it('a change from a pasted list to the link keeps the pasted companies until it was read', async () => {
		const pasted = companyNumbers(3);
		workflow.setup.parameters = watching(pasted);
		await workflow.publish();
		link.status = 503;
		await workflow.change({ parameters: FOLLOWING });
		expect(simulator.watched()).toEqual(pasted);
		workflow.expectTold('status 503');
		Object.assign(link, { status: 200, body: tableOf(FIVE.slice(4)) });
		await workflow.later();
		expect(simulator.watched()).toEqual(FIVE.slice(4));
	});
});

it('a pasted list ends the time of the stored one', async () => {
	await workflow.publish();
	expect(workflow.state()?.facts.list?.text).toContain(rowOf(FIVE[0]));
	await workflow.change({ parameters: watching(FIVE.slice(0, 2)) });
	expect(workflow.state()?.facts.list?.text).not.toContain(rowOf(FIVE[0]));
	expect(listed(FIVE[0])).toMatchObject({ isListed: true, name: null, columns: null });
});

it('an unpublish and a publish accept a list that has shrunk, but none without a company', async () => {
	await workflow.publish();
	link.body = tableOf(FIVE.slice(0, 1));
	await workflow.change();
	expect(simulator.watched()).toEqual(FIVE);
	// A check that cannot read the list takes nothing back.
	link.status = 503;
	await workflow.later();
	await workflow.later();
	link.status = 200;
	await workflow.unpublish();
	await workflow.publish();
	expect(simulator.watched()).toEqual(FIVE.slice(0, 1));
	link.body = '';
	await workflow.unpublish();
	await workflow.publish();
	expect(simulator.watched()).toEqual(FIVE.slice(0, 1));
	expect(workflow.told.at(-1)).toContain('No company is chosen');
});

it.each<[string, Partial<typeof link>, RegExp]>([
	['is away', { status: 503 }, /^This workflow watches no company yet\. .*status 503\./],
	[
		'has a row that cannot be read',
		{ body: `${tableOf(FIVE)}\nn/a\tSole trader` },
		/^This workflow watches no company yet\. 1 of 6 rows has no readable company number.* set 'Invalid Companies' \(under Options\) to 'Skip'\..*"n\/a", Sole trader/,
	],
])('a first publish fails where the list %s', async (_how, changes, words) => {
	Object.assign(link, changes);
	expect(await failureOf(workflow.publish())).toMatch(words);
	expect(simulator.watched()).toEqual([]);

	// The next one works.
	Object.assign(link, { status: 200, body: tableOf(FIVE) });
	await workflow.publish();
	expect(simulator.watched()).toEqual(FIVE);
});

it('Execute step reads the link, stores nothing, and shows what a publish would change', async () => {
	await workflow.publish();
	const rows = [...FIVE.slice(1), FIVE[1], '10000009'].map(rowOf);
	const text = ['Company number\tClient\tNotes', ...rows, '10000010\tCafé Ltd', 'n/a\tJo'].join(
		'\n',
	);
	link.body = Buffer.from(text, 'latin1');
	const loaded = workflow.load();
	const [{ json }] = await sampleItems(hookContext(loaded, { isTest: true }));
	expect(json.payload).toMatchObject({ rows: 8, companies: 6, repeated: 1, unreadable: 1 });
	expect(json.list_columns).toMatchObject({ Client: 'Client 10000002' });
	expect(json.preview).toEqual([
		'Publishing will watch 7 companies: 2 added, 1 row not read',
		'Not read: row 9 ("n/a", Jo)',
		'Stays watched, because a row that was not read may hold its number: 10000001 Client 10000001',
		'The list was read as windows-1252, because it is not UTF-8: check the names',
		'Publishing will add: 10000009 Client 10000009',
		'Publishing will add: 10000010 Café Ltd',
		'Repeated: row 6 repeats row 2',
	]);
	expect(loaded.workflow.staticData.__dataChanged).toBe(false);
	link.body = tableOf(FIVE.slice(0, 2));
	const [shrunk] = await sampleItems(hookContext(loaded, { isTest: true }));
	expect(shrunk.json.preview).toEqual([
		'3 companies left your list: they stay watched until you confirm',
		'Publishing will watch 5 companies',
		'To end them, publish this list, then unpublish and publish it once more',
		'Left your list, but stays watched: 10000003 Client 10000003',
		'Left your list, but stays watched: 10000004 Client 10000004',
		'Left your list, but stays watched: 10000005 Client 10000005',
	]);
});

describe('gaps that a report has told while the link fails', () => {
	const WITHOUT_SECOND = FIVE.filter((company) => company !== FIVE[1]);

	async function untilTold(): Promise<void> {
		await workflow.publish();
		await workflow.later();
		link.status = 404;
		await workflow.later();
		simulator.drift({ is_active: false }, [FIVE[0]]);
		await workflow.later();
	}

	it('are not told again when n8n stops', async () => {
		await untilTold();
		const { length } = workflow.told;
		await workflow.stop();
		expect(workflow.told).toHaveLength(length);
	});

	it('do not lengthen the next gap of the same company', async () => {
		await untilTold();
		for (let hour = 0; hour < 5; hour++) await workflow.later();
		simulator.drift({ is_active: false }, [FIVE[0]]);
		await workflow.later();
		const [, from, to] = /between (\d\d):\d\d and (\d\d):\d\d/.exec(workflow.told.at(-1)!)!;
		expect(Number(to) - Number(from)).toBe(1);
	});

	it('do not silence the gap of an unpublish', async () => {
		await untilTold();
		await workflow.unpublish();
		link.status = 200;
		passTime(5 * 60 * MINUTE);
		await workflow.publish();
		expect(workflow.told.at(-1)).toMatch(/^Events may be missing for 5 companies between /);
	});

	it('do not silence the gap of a company that leaves and comes back while a pause fails', async () => {
		await workflow.publish();
		const second = simulator.webhooks().find((one) => one.company_number === FIVE[1])!;
		const path = new RegExp(second.id);
		simulator.fault({ ...PAUSES, path, times: Infinity, action: { status: 503 } });
		link.body = tableOf(WITHOUT_SECOND);
		await workflow.later();
		simulator.drift({ is_active: false }, [FIVE[0]]);
		await workflow.later();
		link.body = tableOf(FIVE.slice(2));
		await workflow.later();

		const { length } = workflow.told;
		passTime(5 * 60 * MINUTE);
		link.body = tableOf(WITHOUT_SECOND);
		await workflow.later();
		expect(workflow.told.slice(length).join()).toContain('Events may be missing for 1 company');
	});
});
