// Publishes and unpublishes of one trigger that overlap: the last one counts.
import { setTimeout as sleep } from 'node:timers/promises';

import {
	active,
	counts,
	PAUSES,
	received,
	serviceForEachTest,
	watched,
} from '../../support/atService';
import { companyNumbers, watch, watching, type SavedWorkflow } from '../../support/savedWorkflow';

const COMPANIES = companyNumbers(30);

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => {
	workflow = watch(simulator, COMPANIES);
});

/** Starts a publish on a slow service and returns when it is half-way. */
async function publishHalfWay(): Promise<{ publish: Promise<unknown> }> {
	simulator.latencyMs = 60;
	simulator.clearRequests();
	const publish = workflow.publish();
	// Should it fail, the test says so when it awaits it.
	publish.catch(() => undefined);
	await received(simulator, 15);
	return { publish };
}

describe('a publish while another one runs', () => {
	it('goes on where that one was: no company twice, no request twice', async () => {
		const { publish } = await publishHalfWay();
		await Promise.all([publish, workflow.publish(), workflow.publish()]);
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(counts(simulator)).toEqual({ POST: 30, GET: 2 });
	});
});

describe('an unpublish while a publish runs', () => {
	it.each([
		['creates', false],
		['resumes, as n8n has stored it before', true],
	])('pauses all that it %s, and n8n is not told of a failure', async (_what, resumes) => {
		if (resumes) {
			await workflow.publish();
			await workflow.change({ parameters: watching(companyNumbers(5)) });
			await workflow.restart();
			workflow.setup.parameters = watching(COMPANIES);
		}
		const { publish } = await publishHalfWay();
		await Promise.all([publish, workflow.unpublish()]);
		expect(active(simulator)).toEqual([]);
		expect(await workflow.isPublished()).toBe(false);

		simulator.latencyMs = 0;
		await workflow.publish();
		expect(watched(simulator)).toEqual(COMPANIES);
		expect(simulator.webhooks()).toHaveLength(30);
	});
});

it('a publish takes over from an unpublish that the service has told to wait, and pauses nothing more', async () => {
	await workflow.publish();
	const action = { status: 429, headers: { 'Retry-After': '2' } };
	simulator.fault({ method: 'PATCH', action });
	await workflow.takeDown();
	// As many as are sent at once: the others are held back.
	await received(simulator, 10, 'PATCH');
	await sleep(100);
	await workflow.publish();
	expect(simulator.requests.filter(PAUSES.when)).toHaveLength(10);
	expect(watched(simulator)).toEqual(COMPANIES);
});
