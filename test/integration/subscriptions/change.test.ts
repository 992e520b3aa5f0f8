// A published trigger is changed without a gap, at the cost of the difference.
import { setTimeout as sleep } from 'node:timers/promises';

import { WAITS } from '../../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import {
	active,
	counts,
	failureOf,
	PAUSES,
	received,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { warnings } from '../../support/logCapture';
import {
	callHook,
	companyNumbers,
	watch,
	watching,
	type SavedWorkflow,
} from '../../support/savedWorkflow';
import { settled } from '../../support/loadedTriggers';

const COMPANIES = companyNumbers(25);
const BOTH = ['filing.new', 'psc.added'];
const RENAMED = { node: { name: 'Portfolio' } };

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(async () => {
	workflow = watch(simulator, COMPANIES);
	await workflow.publish();
	simulator.clearRequests();
});

const pauses = () => simulator.requests.filter(PAUSES.when);

describe('a change of a published trigger', () => {
	it('costs the difference and a list, also where n8n hands over the static data stored before the old version was taken down', async () => {
		const before = structuredClone(workflow.staticData);
		await workflow.takeDown();
		workflow.staticData = before;
		workflow.setup.parameters = watching(companyNumbers(26));
		await workflow.publish();
		expect(counts(simulator)).toEqual({ GET: 1, POST: 1 });
		expect(watched(simulator)).toEqual(companyNumbers(26));
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
		expect(watched(simulator)).toContain('SC123456');
		await large.change({ parameters: watching(companies) });
		await large.change({ parameters: watching(companies, { events: BOTH }) });
		await large.change();
		expect(active(simulator).filter(({ events }) => events.length === 2)).toHaveLength(200);
		// The company that was added and taken out again is the only one that was ever paused.
		expect(pauses()).toHaveLength(1);
		expect(counts(simulator)).toEqual({ GET: 4, POST: 1, PATCH: 200 + 1 });

		simulator.clearRequests();
		await large.unpublish();
		expect(counts(simulator)).toEqual({ PATCH: 200 });
		expect(watched(simulator)).toEqual(COMPANIES);
	}, 90_000);
});

describe('while the service is down', () => {
	const breakDown = () => simulator.fault({ times: Infinity, action: { status: 503 } });
	beforeEach(breakDown);

	it('a change that concerns nothing at the service succeeds, and says that it was not checked', async () => {
		const logged = warnings(workflow);
		await workflow.change(RENAMED);
		expect(logged()).toEqual([
			expect.stringContaining(
				'"Portfolio": could not check its webhooks and keeps using the stored ones',
			),
		]);
		simulator.clearFaults();
		simulator.clearRequests();
		await workflow.restart();
		await workflow.publish();
		expect(counts(simulator)).toEqual({ GET: 1 });
	});

	it('a publish after a restart fails where the workflow was unpublished before', async () => {
		simulator.clearFaults();
		await workflow.unpublish();
		breakDown();
		await workflow.restart();
		expect(await failureOf(workflow.publish())).toContain('(0 of 25 succeeded)');
	});
});

it("n8n's own attempts after a failure of the first publish do not pause and resume again and again", async () => {
	await workflow.unpublish();
	simulator.clearRequests();
	simulator.fault({ method: 'POST', times: 3, action: { status: 402 } });
	const companies = [...companyNumbers(30).slice(25)];
	const loaded = watch(simulator, companies).load();
	for (let attempt = 0; attempt < 3; attempt++) {
		expect(await failureOf(callHook('create', loaded))).toContain('plan does not cover');
		await callHook('delete', loaded);
		await sleep(WAITS.beforePausing * 0.5);
	}
	await callHook('create', loaded);
	await settled(loaded);
	expect(pauses()).toEqual([]);
	expect(counts(simulator)).toEqual({ GET: 4, POST: 3 + 5 });
	expect(watched(simulator)).toEqual(companies);
});
