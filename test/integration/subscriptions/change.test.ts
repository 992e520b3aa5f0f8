// A published trigger is changed without a gap, at the cost of the difference.
import { setTimeout as sleep } from 'node:timers/promises';

import { WAITS } from '../../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import { startSimulator, type Simulator } from '../../simulator';
import { active, counts, failureOf, PAUSES, received, watched } from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { settled } from '../../support/settled';
import { warnings } from '../../support/warnings';

const COMPANIES = companyNumbers(25);
const BOTH = ['filing.new', 'psc.added'];

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

const pauses = () => simulator.requests.filter(PAUSES.when);

describe('a change of a published trigger', () => {
	it.each([
		['in the same process', false],
		['after a restart', true],
	])('one company more costs one POST, %s', async (_when, restarts) => {
		if (restarts) await workflow.restart();
		await workflow.change({ parameters: watching(companyNumbers(26)) });
		expect(counts(simulator)).toEqual({ GET: 1, POST: 1 });
		expect(watched(simulator)).toEqual(companyNumbers(26));
	});

	it('one company fewer costs one PATCH', async () => {
		await workflow.change({ parameters: watching(companyNumbers(24)) });
		expect(counts(simulator)).toEqual({ GET: 1, PATCH: 1 });
		expect(watched(simulator)).toEqual(companyNumbers(24));
	});

	it('one event more costs one PATCH for each company, and pauses none', async () => {
		await workflow.change({ parameters: watching(COMPANIES, { events: BOTH }) });
		expect(counts(simulator)).toEqual({ GET: 1, PATCH: 25 });
		expect(pauses()).toEqual([]);
		expect(active(simulator).filter(({ events }) => events.length === 2)).toHaveLength(25);
	});

	it.each([
		['a renamed node', { node: { name: 'Portfolio' } }],
		['another option', { parameters: watching(COMPANIES, { options: { tolerance: 60 } }) }],
		['off and on at once', {}],
	])('%s costs a list at most', async (_what, setup) => {
		await workflow.change(setup);
		expect(counts(simulator)).toEqual({ GET: 1 });
		expect(active(simulator)).toHaveLength(25);
	});

	it('is the same where n8n hands over the static data stored before the old version was taken down', async () => {
		const before = structuredClone(workflow.staticData);
		await workflow.takeDown();
		workflow.staticData = before;
		workflow.setup.parameters = watching(companyNumbers(26));
		await workflow.publish();
		expect(counts(simulator)).toEqual({ GET: 1, POST: 1 });
	});

	it('that comes while the pausing has begun resumes only what was paused', async () => {
		simulator.latencyMs = 60;
		await workflow.takeDown();
		await received(simulator, 5);
		await workflow.publish();
		expect(active(simulator)).toHaveLength(25);
		const resumed = (counts(simulator).PATCH ?? 0) - pauses().length;
		expect(resumed).toBe(pauses().length);
		expect(resumed).toBeLessThan(25);
	});

	it('with hundreds of companies: none that stays is inactive at any moment, and in the end all are paused, whatever time that takes', async () => {
		const companies = companyNumbers(225).slice(25);
		const large = watch(simulator, companies);
		await large.publish();
		simulator.clearRequests();
		await large.change({ parameters: watching([...companies, 'SC123456']) });
		await large.change({ parameters: watching(companies) });
		await large.change({ parameters: watching(companies, { events: BOTH }) });
		await large.change({});
		// The company that was added and taken out again is the only one that was ever paused.
		expect(pauses()).toHaveLength(1);
		expect(counts(simulator)).toEqual({ GET: 4, POST: 1, PATCH: 200 + 1 });

		simulator.clearRequests();
		jest.replaceProperty(WAITS, 'forPublish', 10);
		await large.unpublish();
		expect(counts(simulator)).toEqual({ PATCH: 200 });
		expect(watched(simulator)).toEqual(COMPANIES);
	}, 90_000);
});

describe('unpublishing', () => {
	it('pauses too when the workflow is deleted at once, with its credential', async () => {
		const loaded = workflow.load();
		await workflow.takeDown(loaded);
		workflow.setup.credentials = {};
		workflow.staticData = {};
		await settled(loaded);
		expect(active(simulator)).toEqual([]);
	});

	it('is repaired by the next publish when n8n ends before the webhooks are paused', async () => {
		const before = simulator.webhooks();
		await workflow.takeDown();
		const stored = structuredClone(workflow.staticData);
		await settled(workflow.load());
		workflow.staticData = stored;
		await workflow.restart();
		await workflow.publish();
		expect(simulator.webhooks()).toEqual(before);
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
		await workflow.restart();
		await workflow.publish();
		expect(counts(simulator)).toEqual({ GET: 1 });
	});

	it.each<[string, () => Promise<void>]>([
		['a company more', async () => workflow.change({ parameters: watching(companyNumbers(26)) })],
		[
			'another event',
			async () => workflow.change({ parameters: watching(COMPANIES, { events: BOTH }) }),
		],
		[
			'another key',
			async () =>
				workflow.change({
					credentials: { companyRegistryApi: { baseUrl: simulator.url, apiKey: 'other' } },
				}),
		],
		[
			'a publish after a restart, where the workflow was unpublished before',
			async () => {
				simulator.clearFaults();
				await workflow.unpublish();
				simulator.fault({ times: Infinity, action: { status: 503 } });
				await workflow.restart();
				await workflow.publish();
			},
		],
	])('a change with a difference fails as the first publish does: %s', async (_what, change) => {
		expect(await failureOf(change())).toMatch(
			/^The webhooks could not be set up \(0 of 2[56] succeeded\)/,
		);
	});
});

it("n8n's own attempts after a failure do not pause and resume again and again", async () => {
	simulator.fault({ method: 'POST', times: 3, action: { status: 402 } });
	workflow.setup.parameters = watching(companyNumbers(26));
	const loaded = workflow.load();
	const { create, delete: remove } = workflow.hooks();
	for (let attempt = 0; attempt < 3; attempt++) {
		expect(await failureOf(create(loaded))).toContain('plan does not cover');
		await remove(loaded);
		await sleep(WAITS.beforePausing * 0.5);
	}
	await create(loaded);
	await settled(loaded);
	expect(pauses()).toEqual([]);
	expect(counts(simulator)).toEqual({ GET: 4, POST: 4 });
	expect(active(simulator)).toHaveLength(26);
});
