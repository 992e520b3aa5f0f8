// A published trigger is changed without a gap, at the cost of the difference.
import { setTimeout as sleep } from 'node:timers/promises';

import { WAITS } from '../../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import { startSimulator, type Simulator } from '../../simulator';
import { afterRestart } from '../../support/restart';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { settled } from '../../support/settled';
import { warnings } from '../../support/warnings';

const COMPANIES = companyNumbers(40);

let simulator: Simulator;
let workflow: SavedWorkflow;

beforeEach(async () => {
	simulator = await startSimulator();
	workflow = watch(simulator, COMPANIES);
	await workflow.publish();
	simulator.clearRequests();
});
afterEach(async () => {
	jest.restoreAllMocks();
	await simulator.close();
});

const active = () => simulator.webhooks().filter(({ is_active }) => is_active);
const watched = () =>
	active()
		.map(({ company_number }) => company_number)
		.sort();

/** How often each method was called. */
function requests(): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { method } of simulator.requests) counts[method] = (counts[method] ?? 0) + 1;
	return counts;
}

/** Bodies that pause a webhook. */
const pauses = () =>
	simulator.requests.filter(({ body }) => JSON.stringify(body) === '{"is_active":false}');

async function changeTo(setup: Parameters<SavedWorkflow['change']>[0]): Promise<void> {
	await workflow.change(setup);
	await settled(workflow.load());
}

describe('a change of a published trigger', () => {
	it('one company more costs one POST', async () => {
		await changeTo({ parameters: watching(companyNumbers(41)) });
		expect(requests()).toEqual({ GET: 1, POST: 1 });
		expect(watched()).toEqual(companyNumbers(41));
	});

	it('one company fewer costs one PATCH', async () => {
		await changeTo({ parameters: watching(companyNumbers(39)) });
		expect(requests()).toEqual({ GET: 1, PATCH: 1 });
		expect(watched()).toEqual(companyNumbers(39));
	});

	it('one event more costs one PATCH for each company, and pauses none', async () => {
		const events = ['filing.new', 'psc.added'];
		await changeTo({ parameters: watching(COMPANIES, { events }) });
		expect(requests()).toEqual({ GET: 1, PATCH: 40 });
		expect(pauses()).toEqual([]);
		expect(active().every((webhook) => webhook.events.length === 2)).toBe(true);
	});

	it.each([
		['a renamed node', { node: { name: 'Portfolio' } }],
		['another option', { parameters: watching(COMPANIES, { options: { tolerance: 60 } }) }],
		['off and on at once', {}],
	])('%s costs a list at most', async (_what, setup) => {
		await changeTo(setup);
		expect(requests()).toEqual({ GET: 1 });
		expect(active()).toHaveLength(40);
	});

	it('costs the same after a restart', async () => {
		workflow.setup.nodeType = await afterRestart();
		await changeTo({ parameters: watching(companyNumbers(41)) });
		expect(requests()).toEqual({ GET: 1, POST: 1 });
	});

	it('is the same where n8n hands over the static data stored before the old version was taken down', async () => {
		const before = structuredClone(workflow.staticData);
		await workflow.takeDown();
		workflow.staticData = before;
		workflow.setup.parameters = watching(companyNumbers(41));
		await workflow.publish();
		expect(requests()).toEqual({ GET: 1, POST: 1 });
	});

	it('that comes while the pausing has begun resumes only what was paused', async () => {
		simulator.latencyMs = 60;
		await workflow.takeDown();
		while (pauses().length < 15) await new Promise((resolve) => setTimeout(resolve, 5));
		await workflow.publish();
		expect(active()).toHaveLength(40);
		const resumed = (requests().PATCH ?? 0) - pauses().length;
		expect(resumed).toBe(pauses().length);
		expect(resumed).toBeLessThan(30);
	});
});

describe.each([200, 2000])('with %i companies', (count) => {
	it('no webhook of a company that stays is inactive at any moment', async () => {
		const companies = companyNumbers(count);
		const large = watch(simulator, companies);
		await large.publish();
		simulator.clearRequests();
		const events = ['filing.new', 'psc.added'];
		await large.change({ parameters: watching([...companies, 'SC123456']) });
		await large.change({ parameters: watching(companies) });
		await large.change({ parameters: watching(companies, { events }) });
		await large.change({});
		await settled(large.load());
		// The company that was added and taken out again is the only one that was ever paused.
		expect(pauses()).toHaveLength(1);
		expect(requests()).toEqual({ GET: 4, POST: 1, PATCH: count + 1 });
	}, 120_000);
});

describe('unpublishing', () => {
	it('returns before it asks for anything, and pauses by itself', async () => {
		await workflow.takeDown();
		expect(simulator.requests).toEqual([]);
		await settled(workflow.load());
		expect(requests()).toEqual({ PATCH: 40 });
		expect(active()).toEqual([]);
	});

	it('pauses too when the workflow is deleted at once, with its credential', async () => {
		const loaded = workflow.load();
		await workflow.takeDown(loaded);
		workflow.setup.credentials = {};
		workflow.staticData = {};
		await settled(loaded);
		expect(active()).toEqual([]);
	});

	it('pauses a thousand, and stops neither for their number nor for the time that it takes', async () => {
		const large = watch(simulator, companyNumbers(1040).slice(40));
		await large.publish();
		simulator.clearRequests();
		simulator.latencyMs = 3;
		await large.takeDown();
		expect(simulator.requests).toEqual([]);
		const realNow = Date.now.bind(Date);
		// Each pause takes a second, so that all of them take much longer than n8n waits for a publish.
		jest.spyOn(Date, 'now').mockImplementation(() => realNow() + simulator.requests.length * 1000);
		await settled(large.load());
		expect(requests()).toEqual({ PATCH: 1000 });
		expect(watched()).toEqual(COMPANIES);
	}, 30_000);

	it('is repaired by the next publish when n8n ends before the webhooks are paused', async () => {
		const before = simulator.webhooks();
		await workflow.takeDown();
		const stored = structuredClone(workflow.staticData);
		await settled(workflow.load());
		workflow.staticData = stored;
		workflow.setup.nodeType = await afterRestart();
		await workflow.publish();
		expect(simulator.webhooks()).toEqual(before);
		expect(active()).toHaveLength(40);
	});
});

describe('while the service is down', () => {
	beforeEach(() => simulator.fault({ times: Infinity, action: { status: 503 } }));

	it('a change that concerns nothing at the service succeeds, and says that it was not checked', async () => {
		const logged = warnings(workflow);
		await workflow.change({ node: { name: 'Portfolio' } });
		expect(logged()).toEqual([
			expect.stringContaining(
				'"Portfolio" could not check its webhooks and keeps using the stored ones',
			),
		]);
		simulator.clearFaults();
		simulator.clearRequests();
		workflow.setup.nodeType = await afterRestart();
		await workflow.publish();
		expect(requests()).toEqual({ GET: 1 });
	});

	it('a change with a difference fails as the first publish does', async () => {
		await expect(workflow.change({ parameters: watching(companyNumbers(41)) })).rejects.toThrow(
			/^The webhooks could not be set up \(0 of 41 succeeded\)/,
		);
	});

	it('a publish after a restart fails where the workflow was unpublished before', async () => {
		simulator.clearFaults();
		await workflow.unpublish();
		simulator.fault({ times: Infinity, action: { status: 503 } });
		workflow.setup.nodeType = await afterRestart();
		await expect(workflow.publish()).rejects.toThrow('could not be set up (0 of 40 succeeded)');
	});
});

describe("n8n's own attempts after a failure", () => {
	it('do not pause and resume again and again', async () => {
		simulator.fault({ method: 'POST', times: 3, action: { status: 402 } });
		workflow.setup.parameters = watching(companyNumbers(41));
		const loaded = workflow.load();
		const { create, delete: remove } = workflow.hooks();
		for (let attempt = 0; attempt < 3; attempt++) {
			await expect(create(loaded)).rejects.toThrow('plan does not cover');
			await remove(loaded);
			// Longer than after an unpublish, and shorter than n8n may take to its next attempt.
			await sleep(WAITS.beforePausing * 0.6);
		}
		await create(loaded);
		await settled(loaded);
		expect(pauses()).toEqual([]);
		expect(requests()).toEqual({ GET: 4, POST: 4 });
		expect(active()).toHaveLength(41);
	});
});
