// What n8n does to a node with `trigger()` beside `webhook()`, and where the trigger could fall for it. Traps 1, 4 and 5
// are tested in start.test.ts, traps 3 and 12 in notify.test.ts, trap 7 in publish.test.ts.
import { uniqBy } from 'lodash';

import { waitFor } from '../../n8n-host/waitFor';
import {
	active,
	drift,
	methods,
	PAUSES,
	received,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { setTimes } from '../../support/times';

const COMPANIES = companyNumbers(5);
const MANY = companyNumbers(60);

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => {
	setTimes({});
	workflow = watch(simulator, COMPANIES);
	warnings(workflow);
});

/** Each of these companies has one webhook whose secret is stored, and no other webhook delivers. */
function expectOneEach(companies: string[]): void {
	expect(watched(simulator)).toEqual(companies);
	expect(uniqBy(simulator.webhooks(), 'company_number')).toEqual(simulator.webhooks());
	const stored = JSON.stringify(workflow.staticData);
	for (const { secret } of simulator.webhooks()) expect(stored).toContain(secret);
}

describe('trap 2: the clock of a publish that failed goes on', () => {
	it('and does nothing while nothing is published', async () => {
		simulator.fault({ method: 'POST', action: { status: 402 } });
		await expect(workflow.publish()).rejects.toThrow('plan');
		simulator.clearRequests();
		await workflow.later();
		expect(methods(simulator)).toEqual([]);
	});

	it('and checks what a later publish desires', async () => {
		simulator.fault({ method: 'POST', action: { status: 402 } });
		await expect(workflow.publish()).rejects.toThrow('plan');
		workflow.setup.parameters = watching(COMPANIES.slice(1));
		await workflow.publish();
		drift(simulator, { is_active: false });
		await workflow.later();
		expect(watched(simulator)).toEqual(COMPANIES.slice(1));
		expect(workflow.told).toHaveLength(1);
	});
});

it('trap 6: a report is a run of the workflow, so that the error workflow of today starts', async () => {
	await workflow.publish();
	drift(simulator, { is_active: false });
	await workflow.later();
	expect(workflow.executions).toEqual([
		{ items: [], error: expect.stringContaining('Events may be missing') },
	]);
	// n8n has saved the state with it: a failed execution without a run would save nothing.
	expect([workflow.stores, workflow.state()?.facts.reported]).toEqual([0, expect.anything()]);
});

it('trap 8: a change closes one activation while the next one has an older copy of the state', async () => {
	setTimes({ earlyAnswer: 200 });
	simulator.latencyMs = 100;
	workflow.setup.parameters = watching(MANY);
	await workflow.register();
	expect(active(simulator).length).toBeLessThan(60);
	await workflow.change({ parameters: watching(companyNumbers(70).slice(1)) });
	simulator.latencyMs = 0;
	expectOneEach(companyNumbers(70).slice(1));
	expect(workflow.state()?.facts.status).toBe('published');
});

it('trap 9: a create that n8n has given up throws and pauses nothing', async () => {
	simulator.latencyMs = 200;
	workflow.setup.parameters = watching(MANY);
	const givenUp = workflow.attempt();
	await received(simulator, 15, 'POST');
	const next = workflow.attempt();
	expect((await givenUp).message).toBe('It did not fail');
	simulator.latencyMs = 0;
	expect((await next).message).toBe('It did not fail');
	await workflow.idle();
	expect(simulator.requests.filter(PAUSES.when)).toEqual([]);
	expectOneEach(MANY);
});

it('trap 10: what changes while n8n saves is saved by the next emission', async () => {
	setTimes({ earlyAnswer: 300, store: 1 });
	simulator.latencyMs = 100;
	workflow.setup.parameters = watching(MANY);
	await workflow.register();
	await workflow.idle();
	workflow.kill();
	expect(workflow.stores).toBeGreaterThan(3);
	expectOneEach(MANY);
	expect(new Set(Object.values(workflow.statuses()))).toEqual(new Set(['active']));
});

describe('trap 11: after an update of the package, the previous code goes on in the same process', () => {
	it('and pauses what was published since: the next check repairs and reports that', async () => {
		await workflow.publish();
		// Longer than it takes to load another copy of the code.
		setTimes({ beforePausing: 4000 });
		await workflow.takeDown();
		await workflow.updatePackage();
		await workflow.register();
		await waitFor('the pauses', () => active(simulator).length === 0, { everyMs: 20 });
		await workflow.later();
		expectOneEach(COMPANIES);
		expect(workflow.told).toEqual([expect.stringMatching(/restored 5 webhooks/)]);
	});

	it('and what the new code stores later counts for it', async () => {
		await workflow.publish();
		const before = workflow.setup.nodeType;
		await workflow.updatePackage();
		await workflow.change({ parameters: watching(companyNumbers(8)) });
		workflow.setup.nodeType = before;
		await workflow.change();
		expectOneEach(companyNumbers(8));
		expect(methods(simulator).filter((method) => method === 'POST')).toHaveLength(8);
	});
});

it('trap 13: one cron expression for each trigger, and the trigger computes what is due', async () => {
	await workflow.publish();
	const { cron } = workflow;
	expect(cron).toMatch(/^\d{1,2} \* \* \* \* \*$/);
	const options = { checkEvery: 'day' };
	await workflow.change({ parameters: watching(COMPANIES, { options }) });
	expect(workflow.cron).toBe(cron);
	simulator.clearRequests();
	await workflow.later(24 * 3_600_000);
	await workflow.tick(0);
	await workflow.later(60_000);
	expect(methods(simulator)).toEqual(['GET']);
});
