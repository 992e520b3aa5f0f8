// A published trigger follows the list behind a link, and never ends a watch by accident.
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';

import express from 'express';
import { map } from 'lodash';

import { listedCompany } from '../../../nodes/CompanyRegistry/trigger/parameters/watchlist';
import { sampleItems } from '../../../nodes/CompanyRegistry/trigger/samples/sampleItems';
import { failureOf, serviceForEachTest } from '../../support/atService';
import { hookContext } from '../../support/contexts';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

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

it('the link is read once at a publish, a start and each check, which leaves no trace of an unchanged list', async () => {
	await workflow.publish();
	expect([simulator.watched(), link.reads, link.header]).toEqual([FIVE, 1, 'hidden']);
	simulator.clearRequests();
	await workflow.later();
	await workflow.later();
	expect([link.reads, simulator.methods()]).toEqual([3, ['GET', 'GET']]);
	expect([workflow.executions, workflow.stores]).toEqual([[], 0]);
	await workflow.start();
	expect([link.reads, workflow.told]).toEqual([4, []]);
});

it.each(['check', 'start'])(
	'a changed list is carried out as a difference at a %s',
	async (when) => {
		workflow.setup.parameters = { ...FOLLOWING, events: ['filing.new', 'watch.report'] };
		await workflow.publish();
		simulator.clearRequests();
		const changed = [...FIVE.slice(1), '10000009'];
		link.body = tableOf(changed);
		await (when === 'check' ? workflow.later() : workflow.start());
		expect(simulator.watched()).toEqual(changed);
		expect(simulator.counts()).toEqual({ GET: 1, POST: 1, PATCH: 1 });
		expect(workflow.told).toEqual([]);
		expect(workflow.shown.at(-1)).toMatchObject({
			added: {
				count: 1,
				companies: [{ company_number: '10000009', company_name: 'Client 10000009' }],
			},
			removed: { count: 1, companies: [{ company_number: FIVE[0] }] },
		});
		expect(listed('10000009').columns).toEqual({
			'Company number': '10000009',
			Client: 'Client 10000009',
			Notes: 'Kept',
		});
	},
);

describe('the previous list stays, and one failed execution says why at once', () => {
	it.each([
		['has lost more than half', tableOf(FIVE.slice(0, 2)), /has 2 companies instead of 5/],
		['cannot be read', 'Name,Ref\nAcme,1001', /No column has company numbers\./],
		['is empty', '', /No company is chosen\. Check the list behind/],
		['is a web page', '<!DOCTYPE html><p>Sign in', /The link leads to a web page/],
	])('where the list %s', async (_what, body, message) => {
		await workflow.publish();
		link.body = body;
		await workflow.later();
		await workflow.later();
		expect(simulator.watched()).toEqual(FIVE);
		expect(workflow.told).toEqual([expect.stringMatching(message)]);
		expect(workflow.told[0]).toMatch(/^5 of 5 companies are still watched\./);
		// Half of the companies may leave at a time.
		for (const count of [4, 2]) {
			link.body = tableOf(FIVE.slice(0, count));
			await workflow.later();
			expect(simulator.watched()).toEqual(FIVE.slice(0, count));
		}
		expect(workflow.told).toHaveLength(1);
	});
});

it('a row that cannot be read keeps what left the list, also through a change of another parameter', async () => {
	await workflow.publish();
	link.body = `${tableOf(FIVE.slice(1))}\n1000000l\tMistyped`;
	await workflow.later();
	await workflow.change({ parameters: { ...FOLLOWING, options: { checkEvery: 'day' } } });
	await workflow.start();
	expect(simulator.watched()).toEqual(FIVE);
	expect(workflow.told[0]).toMatch(/1 company left the list but stays watched.*10000001/);
});

it('a link that cannot be reached is reported after ten minutes, and repairs go on', async () => {
	await workflow.publish();
	link.status = 404;
	simulator.drift('remove', [FIVE[0]]);
	await workflow.later();
	expect(simulator.watched()).toEqual(FIVE);
	expect(workflow.told).toEqual([expect.stringContaining('Had been removed: 10000001')]);
	workflow.executions.splice(0);
	await workflow.later(5 * MINUTE);
	expect(workflow.told).toEqual([]);
	await workflow.later(6 * MINUTE);
	await workflow.later();
	expect(workflow.told).toEqual([
		expect.stringMatching(/127\.0\.0\.1:\d+ answers with status 404\./),
	]);
	link.status = 200;
	await workflow.later();
	expect(workflow.told).toHaveLength(1);
});

describe('while the link is away', () => {
	it('a first publish fails, and the next one works', async () => {
		link.status = 503;
		expect(await failureOf(workflow.publish())).toMatch(/^No company is watched\. .*status 503\./);
		expect(simulator.watched()).toEqual([]);
		link.status = 200;
		await workflow.publish();
		expect(simulator.watched()).toEqual(FIVE);
	});

	it('a publish after an unpublish watches the stored list, and reports', async () => {
		await workflow.publish();
		await workflow.unpublish();
		expect(simulator.watched()).toEqual([]);
		link.status = 503;
		await workflow.publish();
		expect(simulator.watched()).toEqual(FIVE);
		expect(workflow.told).toEqual([expect.stringContaining('status 503')]);
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
		expect(workflow.told).toEqual([expect.stringContaining('status 503')]);
		Object.assign(link, { status: 200, body: tableOf(FIVE.slice(4)) });
		await workflow.later();
		expect(simulator.watched()).toEqual(FIVE.slice(4));
	});
});

it('a pasted list ends the time of the stored one', async () => {
	await workflow.publish();
	expect(workflow.state()?.facts.list?.text).toContain(rowOf(FIVE[0]));
	await workflow.change({ parameters: watching(FIVE.slice(0, 2)) });
	expect(workflow.state()?.facts.list).toBeUndefined();
});

it('an unpublish and a publish accept a list that has shrunk, but none without a company', async () => {
	await workflow.publish();
	link.body = tableOf(FIVE.slice(0, 1));
	await workflow.change();
	expect(simulator.watched()).toEqual(FIVE);
	await workflow.unpublish();
	await workflow.publish();
	expect(simulator.watched()).toEqual(FIVE.slice(0, 1));
	link.body = '';
	await workflow.unpublish();
	await workflow.publish();
	expect(simulator.watched()).toEqual(FIVE.slice(0, 1));
	expect(workflow.told.at(-1)).toContain('No company is chosen');
});

it('a first publish stops at a row that cannot be read', async () => {
	link.body = `${tableOf(FIVE)}\nn/a\tSole trader`;
	const message = await failureOf(workflow.publish());
	expect(message).toMatch(
		/1 of 6 rows has no readable company number.* to Skip\..*"n\/a", Sole trader/,
	);
	expect(simulator.watched()).toEqual([]);
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
	expect(String(json.preview).split('\n')).toEqual([
		'Publishing will watch 7 companies',
		'Read as windows-1252, because the list is not UTF-8: check the names',
		'Not read: row 9 ("n/a", Jo)',
		'Publishing will add: 10000009 Client 10000009',
		'Publishing will add: 10000010 Café Ltd',
		'Still watched because of the rows that were not read: 10000001 Client 10000001',
	]);
	expect(loaded.workflow.staticData.__dataChanged).toBe(false);
	link.body = tableOf(FIVE.slice(0, 2));
	const [shrunk] = await sampleItems(hookContext(loaded, { isTest: true }));
	expect(shrunk.json.preview).toMatch(
		/^The list at the link has 2 companies .* keeps using the previous list/,
	);
});
