// Deliveries are taken at every moment of a change, also while the runner is at work on their webhook.
import type { INodeParameters } from 'n8n-workflow';

import type { TestWorkflow } from '../../support/contexts';
import { afterRestart } from '../../support/restart';
import { callHook, register } from '../../support/savedWorkflow';
import { settled } from '../../support/settled';
import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../../support/triggerHarness';

const COMPANIES = ['00445790', 'SC123456'];
const BEFORE: INodeParameters = watching(...COMPANIES);
const AFTER: INodeParameters = { ...BEFORE, events: ['filing.new', 'psc.added'] };

let harness: TriggerHarness;
let published: TestWorkflow;

beforeEach(async () => {
	harness = await startTriggerHarness();
	published = harness.workflow({ parameters: BEFORE });
	await harness.publish(published);
	harness.simulator.clearRequests();
});
afterEach(async () => await harness.close());

/** What each webhook's delivery is answered, and how many executions they start. */
async function deliverToAll(served: TestWorkflow): Promise<{ answers: number[]; started: number }> {
	const { simulator, proxy } = harness;
	const executions = harness.serve(served);
	const answers = await Promise.all(
		simulator
			.webhooks()
			.map(async ({ id }) => (await simulator.deliver(id, { ca: proxy.ca })).status),
	);
	return { answers, started: executions.length };
}

const TAKEN = { answers: [200, 200], started: 2 };

/** n8n has taken the old version down, and has saved that. */
async function takenDown(): Promise<TestWorkflow> {
	await callHook('delete', published);
	return harness.workflow({ parameters: AFTER, staticData: saved(published) });
}

it('between the unpublishing of a version and the publishing of the next', async () => {
	const next = await takenDown();
	expect(await deliverToAll(next)).toEqual(TAKEN);
	await register(next);
	await settled(next);
});

it.each([
	['in the process that publishes', false],
	['in a webhook process, which knows only what is stored', true],
])('while the webhooks are being changed, %s', async (_where, isOther) => {
	const next = await takenDown();
	const nodeType = isOther ? await afterRestart() : next.nodeType;
	const served = harness.workflow({ nodeType, parameters: AFTER, staticData: saved(published) });
	harness.simulator.latencyMs = 1500;
	const publishing = register(next);
	const isPatch = ({ method }: { method: string }) => method === 'PATCH';
	while (!harness.simulator.requests.some(isPatch)) {
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
	expect(await deliverToAll(served)).toEqual(TAKEN);
	harness.simulator.latencyMs = 0;
	await publishing;
	expect(await deliverToAll(next)).toEqual(TAKEN);
});

it('while another account is being set up', async () => {
	const { simulator } = harness;
	const { apiKey } = simulator.addAccount();
	const credentials = { companyRegistryApi: { baseUrl: simulator.url, apiKey } };
	await callHook('delete', published);
	const next = harness.workflow({
		parameters: BEFORE,
		credentials,
		staticData: saved(published),
	});
	simulator.latencyMs = 1500;
	const publishing = register(next);
	while (!simulator.requests.some(({ method }) => method === 'POST')) {
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
	expect(await deliverToAll(next)).toEqual(TAKEN);
	simulator.latencyMs = 0;
	await publishing;
	await settled(next);
});

it('of a company that is taken out they start nothing any more', async () => {
	await callHook('delete', published);
	const next = harness.workflow({
		parameters: watching(COMPANIES[0]),
		staticData: saved(published),
	});
	await register(next);
	await settled(next);
	const executions = harness.serve(next);
	for (const { id } of harness.simulator.webhooks()) {
		const { status } = await harness.simulator.deliver(id, {
			ca: harness.proxy.ca,
			ignoreActive: true,
		});
		expect(status).toBe(200);
	}
	expect(executions.flat().map(({ json }) => json.company_number)).toEqual([COMPANIES[0]]);
});
