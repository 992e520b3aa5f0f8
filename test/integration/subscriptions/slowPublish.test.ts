// How long a publish may take, and how long webhooks stay active for a publish that may come.
import { setTimeout as sleep } from 'node:timers/promises';

import { findMemory } from '../../../nodes/CompanyRegistry/trigger/memory/trigger';
import * as pause from '../../../nodes/CompanyRegistry/trigger/subscriptions/pause';
import { N8N_WAITS, WAITS } from '../../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import {
	active,
	counts,
	failureOf,
	ids,
	received,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import type { TestWorkflow } from '../../support/contexts';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';
import { settled } from '../../support/settled';

const COMPANIES = companyNumbers(60);
const before = { ...WAITS };
const n8nBefore = { ...N8N_WAITS };

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => {
	workflow = watch(simulator, COMPANIES);
});
afterEach(async () => {
	Object.assign(WAITS, before);
	Object.assign(N8N_WAITS, n8nBefore);
	// A pause that is planned for later would keep the test process running.
	const loaded = workflow.load();
	memoryOf(loaded)?.run?.abort();
	await settled(loaded);
});

/** One attempt, and n8n's clean-up of a failed one; what it said. Pausing goes on. */
async function attempt(loaded = workflow.load()): Promise<string> {
	const { message } = await workflow.attempt(loaded);
	if (message !== 'It did not fail') await workflow.takeDown(loaded);
	return message;
}

/** From now on there is time for some of the companies. */
function slow(forPublish = 400): void {
	simulator.latencyMs = 100;
	Object.assign(WAITS, { forPublish, beforePausing: 400, afterTimeOut: 20_000 });
}

function memoryOf({ workflow: { id }, node }: TestWorkflow) {
	return findMemory({ workflow: id, node: node.id, kind: 'production' });
}

const OUT_OF_TIME =
	/^The webhooks could not be set up \(\d+ of 60 succeeded\)\. Publishing takes longer than n8n waits for it\. What is set up stays set up: publish again, ten seconds from now or later/;

describe('a publish that takes longer than n8n waits for it', () => {
	it('fails, is paused, and is gone on with', async () => {
		slow();
		WAITS.afterTimeOut = 1000;
		const loaded = workflow.load();
		expect(await attempt(loaded)).toMatch(OUT_OF_TIME);
		const left = simulator.webhooks();
		expect(left.length).toBeGreaterThan(0);
		expect(left.length).toBeLessThan(60);
		// For longer than after another failure, so that the next publish has only the rest to do.
		await sleep(WAITS.beforePausing + 200);
		expect(active(simulator)).toHaveLength(left.length);
		await settled(loaded);
		expect(active(simulator)).toEqual([]);

		Object.assign(WAITS, before);
		await workflow.publish();
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(ids(simulator).slice(0, left.length)).toEqual(left.map(({ id }) => id));
		expect(simulator.webhooks()).toHaveLength(60);
	});

	it("is over at once in n8n's next attempt, which says the same and creates nothing that n8n would not save", async () => {
		const logged = warnings(workflow);
		slow();
		const loaded = workflow.load();
		const message = await attempt(loaded);
		expect(message).toMatch(OUT_OF_TIME);
		simulator.clearRequests();
		for (let times = 0; times < 2; times++) expect(await attempt(loaded)).toBe(message);
		expect(simulator.requests).toEqual([]);
		expect(logged()).toEqual([`Company Registry Trigger "Company Registry Trigger": ${message}`]);
		// Pausing is still planned.
		expect(memoryOf(loaded)?.run?.kind).toBe('pause');
	});

	it('because the service asks to wait for longer says both', async () => {
		slow();
		simulator.fault({ times: Infinity, action: { status: 429, headers: { 'Retry-After': '2' } } });
		const began = Date.now();
		expect(await attempt()).toMatch(
			/\(0 of 60 succeeded\)\. The registry service received too many requests\. .*Publishing takes longer than n8n waits for it\. What is set up stays set up: publish again/,
		);
		expect(Date.now() - began).toBeLessThan(1900);
	});

	it('by requests that are under way when its time is over is waited for', async () => {
		slow(1000);
		simulator.latencyMs = 1500;
		workflow.setup.parameters = watching([COMPANIES[0]]);
		expect(await attempt()).toBe('It did not fail');
		expect(workflow.state()?.published).toBe(true);
	});
});

describe("n8n's next attempt after a failure", () => {
	it.each([
		['while n8n may still try again, has only what the one before has left', 5000, 84_000, true],
		['later than that, has a time of its own', 300, 84_000, false],
		['when n8n waits no longer, has one too', 5000, 60, false],
	])('%s', async (_when, beforePausing, n8nWaits, isShared) => {
		Object.assign(WAITS, { forPublish: 1000, beforePausing });
		N8N_WAITS.forPublish = n8nWaits;
		workflow.setup.parameters = watching([COMPANIES[0]]);
		simulator.fault({ method: 'POST', action: { status: 402 } });
		const loaded = workflow.load();
		expect(await attempt(loaded)).toContain('plan does not cover');
		await sleep(WAITS.forPublish + 50);
		simulator.clearRequests();
		const said = await attempt(loaded);
		expect(said).toContain(isShared ? 'takes longer than n8n waits' : 'It did not fail');
		expect(simulator.requests).toHaveLength(isShared ? 0 : 1);
		// A publish that succeeded leaves nothing to go on with.
		expect(memoryOf(loaded)?.publishing === undefined).toBe(!isShared);
	});
});

it('the webhooks of a test, and of one that failed, stay active no longer than it', async () => {
	const later = jest.spyOn(pause, 'pauseLater');
	workflow.setup.parameters = watching(companyNumbers(2));
	const { stop } = await workflow.listen();
	await stop();
	simulator.fault({ method: 'PATCH', action: { status: 402 } });
	await failureOf(workflow.listen());
	// Without those of what a publish leaves out, which wait for nothing.
	const ofAll = later.mock.calls.filter(([{ unwanted }]) => unwanted === undefined);
	expect(ofAll.map(([{ wait }]) => wait)).toEqual([0, 0]);
	expect(active(simulator)).toEqual([]);
});

it('an unpublish while pausing goes on is not taken for a publish that succeeded', async () => {
	await workflow.publish();
	simulator.clearRequests();
	simulator.latencyMs = 100;
	workflow.setup.parameters = watching(companyNumbers(2));
	const { loaded: fewer } = await workflow.attempt();
	await received(simulator, 5, 'PATCH');
	expect(memoryOf(fewer)).toMatchObject({ published: true, run: { kind: 'rest' } });
	await workflow.unpublish(fewer);
	expect(memoryOf(fewer)?.published).toBe(false);
	expect(active(simulator)).toEqual([]);
	// What was paused already is not paused again.
	expect(counts(simulator).PATCH).toBeLessThan(60 + 12);
});
