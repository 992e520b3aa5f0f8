// A published trigger follows the list behind a link, and never ends a watch by accident.
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';

import express from 'express';
import { map } from 'lodash';

import { rowInForce } from '../../../nodes/CompanyRegistry/trigger/parameters/watchlist';
import { sampleItems } from '../../../nodes/CompanyRegistry/trigger/samples/sampleItems';
import { failureOf, serviceForEachTest } from '../../support/atService';
import { hookContext } from '../../support/contexts';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { HOUR, MINUTE, passTime, setTimes } from '../../support/times';

const FIVE = companyNumbers(5);
const FOLLOWING = { companiesFrom: 'link' };
const REPORTING = { ...FOLLOWING, events: ['filing.new', 'watch.report'] };

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
	return rowInForce(workflow.state()?.facts.list, company);
}

/** Publishes with *Watch Report*. */
async function publish(more: object = {}): Promise<void> {
	workflow.setup.parameters = { ...REPORTING, ...more };
	await workflow.publish();
	workflow.executions.splice(0);
	simulator.clearRequests();
}

async function restart(): Promise<void> {
	await workflow.stop();
	await workflow.start();
}

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
	await restart();
	expect([link.reads, workflow.executions]).toEqual([5, []]);
});

it.each(['check', 'start'] as const)('a changed list is carried out at a %s', async (when) => {
	await publish();
	const changed = [...FIVE.slice(1), '10000009'];
	link.body = tableOf(changed);
	await (when === 'check' ? workflow.later() : restart());
	expect(simulator.watched()).toEqual(changed);
	expect(simulator.counts()).toEqual({ GET: 1, POST: 1, PATCH: 1 });
	expect(workflow.told).toEqual([]);
	const named = (company: string) => ({
		companies: [{ company_number: company, company_name: `Client ${company}` }],
	});
	expect(workflow.shown[0]).toMatchObject({ added: named('10000009'), removed: named(FIVE[0]) });
	await workflow.later();
	expect(workflow.shown).toHaveLength(1);
	expect(listed('10000009').columns).toMatchObject({ Client: 'Client 10000009', Notes: 'Kept' });
});

it.each<[string, Partial<typeof link>]>([
	['cannot be read', { body: 'Name,Ref\nAcme,1001' }],
	['is empty', { body: '' }],
	['is not there', { status: 404 }],
])(
	'the previous list stays, and one failed execution says so at once, where the list %s',
	async (_what, changes) => {
		await workflow.publish();
		Object.assign(link, changes);
		await workflow.later();
		expect(workflow.told).toHaveLength(1);
		await workflow.later(2 * MINUTE);
		expect(simulator.watched()).toEqual(FIVE);
		// Half of the companies may leave at a time.
		for (const count of [4, 2]) {
			Object.assign(link, { status: 200, body: tableOf(FIVE.slice(0, count)) });
			await workflow.later();
			expect(simulator.watched()).toEqual(FIVE.slice(0, count));
		}
		expect(workflow.told).toHaveLength(1);
	},
);

it('a large removal is applied by a publish with Allow Large Removals, and by no start or check', async () => {
	await publish({ options: { allowLargeRemovals: true } });
	link.body = tableOf(FIVE.slice(0, 1));
	await workflow.later();
	await restart();
	expect(simulator.watched()).toEqual(FIVE);
	// A check that cannot read the list takes nothing back.
	link.status = 503;
	await workflow.later();
	link.status = 200;
	await workflow.change();
	expect(simulator.watched()).toEqual(FIVE.slice(0, 1));
});

it('a change is reported once although the service failed when the trigger read it', async () => {
	await publish();
	const rows = [...map(FIVE.slice(1), rowOf), `10000091\tClient ${FIVE[0]}\tKept`];
	link.body = ['Company number\tClient\tNotes', ...rows].join('\n');
	simulator.fault({ method: 'POST', times: 1, action: { status: 503 } });
	await workflow.later();
	await workflow.later(2 * MINUTE);
	await workflow.later();
	expect(simulator.watched()).toEqual([...FIVE.slice(1), '10000091']);
	const changed = [{ name: `Client ${FIVE[0]}`, before: FIVE[0], now: '10000091' }];
	expect(workflow.shown).toMatchObject([{ added: { count: 1 }, removed: { count: 1 }, changed }]);
});

describe('while the link is away', () => {
	it('that is reported after ten minutes, and repairs go on', async () => {
		await publish();
		link.status = 503;
		simulator.drift('remove', [FIVE[0]]);
		await workflow.later();
		expect(simulator.watched()).toEqual(FIVE);
		await workflow.later(5 * MINUTE);
		expect(workflow.shown).toEqual([]);
		await workflow.later(6 * MINUTE);
		await workflow.later();
		expect(map(workflow.shown, 'missing.count')).toEqual([1]);
		link.status = 200;
		await workflow.later();
		expect(map(workflow.shown, 'missing.count')).toEqual([1, 0]);
		expect(workflow.told).toEqual([]);
	});

	it('a first publish fails, and the next one works', async () => {
		link.status = 503;
		expect(await failureOf(workflow.publish())).toContain('503');
		expect(simulator.watched()).toEqual([]);
		link.status = 200;
		await workflow.publish();
		expect(simulator.watched()).toEqual(FIVE);
	});

	it('a change from a pasted list to the link keeps the pasted companies until it was read', async () => {
		const pasted = companyNumbers(3);
		workflow.setup.parameters = watching(pasted);
		await workflow.publish();
		link.status = 503;
		await workflow.change({ parameters: FOLLOWING });
		await workflow.later(11 * MINUTE);
		expect([simulator.watched(), workflow.told.length]).toEqual([pasted, 1]);
		Object.assign(link, { status: 200, body: tableOf(FIVE.slice(4)) });
		await workflow.later();
		expect(simulator.watched()).toEqual(FIVE.slice(4));
	});
});

it('a publish without a link names the credential that has it', async () => {
	const { companyRegistryApi } = workflow.setup.credentials ?? {};
	workflow.setup.credentials = { companyRegistryApi };
	await expect(workflow.publish()).rejects.toThrow("'Company Registry List API'");
});

it('a pasted list ends the time of the stored one', async () => {
	await workflow.publish();
	await workflow.change({ parameters: watching(FIVE.slice(0, 3)) });
	expect(workflow.state()?.facts.list?.blocks.join('')).not.toContain('Client');
	expect(listed(FIVE[0])).toMatchObject({ isListed: true, name: null, columns: null });
});

it('Execute step reads the link, stores nothing, and shows what a publish would change', async () => {
	await workflow.publish();
	link.body = Buffer.from(`${tableOf(FIVE.slice(1))}\n10000010\tCafé Ltd`, 'latin1');
	const loaded = workflow.load();
	const [{ json }] = await sampleItems(hookContext(loaded, { isTest: true }));
	expect(json.list_columns).toMatchObject({ Client: 'Client 10000002' });
	const preview = (json.preview as string[]).join('\n');
	expect(preview).toMatch(/1 added, 1 removed.*10000001 Client.*10000010 Café Ltd/s);
	expect(loaded.workflow.staticData.__dataChanged).toBe(false);
});

it('a publish after an unpublish does not say since when the link failed before', async () => {
	await workflow.publish();
	link.status = 503;
	await workflow.later();
	await workflow.unpublish();
	passTime(5 * 24 * HOUR);
	const published = Date.now();
	await workflow.publish();
	expect(workflow.state()?.facts.failingSince?.list).toBeGreaterThanOrEqual(published);
});
