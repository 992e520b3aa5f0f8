import { startSimulator, type Simulator } from '../../simulator';
import { afterRestart } from '../../support/restart';
import {
	saved,
	startTriggerHarness,
	watching,
	type TriggerHarness,
} from '../../support/triggerHarness';

const parameters = watching('00445790');

let harness: TriggerHarness;
let other: Simulator;

beforeEach(async () => {
	harness = await startTriggerHarness();
	other = await startSimulator();
});
afterEach(async () => {
	await harness.close();
	await other.close();
});

// The base URL of the credential is edited: n8n unpublishes with the new one, so nothing is paused at the old.
it.each([
	['at once', false],
	['after a restart', true],
])('what the account before still delivers starts nothing, %s', async (_when, restarts) => {
	const { simulator, proxy } = harness;
	const before = harness.workflow({ parameters });
	await harness.publish(before);
	const credentials = { companyRegistryApi: { baseUrl: other.url, apiKey: other.apiKey } };
	const after = harness.workflow({ parameters, credentials, staticData: saved(before) });
	await harness.unpublish(after);
	await harness.publish(after);
	const [left] = simulator.webhooks();
	const [current] = other.webhooks();
	expect(left.is_active).toBe(true);

	const nodeType = restarts ? await afterRestart() : after.nodeType;
	const executions = harness.serve(
		harness.workflow({ nodeType, parameters, credentials, staticData: saved(after) }),
	);
	const ignored = await simulator.deliver(left.id, { ca: proxy.ca });
	expect([ignored.status, ignored.body]).toEqual([200, '{"ignored":true}']);
	expect(executions).toEqual([]);

	expect((await other.deliver(current.id, { ca: proxy.ca })).status).toBe(200);
	expect(executions).toHaveLength(1);
});

it('switched back to, the account before is watched again with the same webhook', async () => {
	const { simulator, proxy } = harness;
	const first = harness.workflow({ parameters });
	await harness.publish(first);
	const webhooks = simulator.webhooks();
	const credentials = { companyRegistryApi: { baseUrl: other.url, apiKey: other.apiKey } };
	const second = harness.workflow({ parameters, credentials, staticData: saved(first) });
	await harness.publish(second);
	const back = harness.workflow({ parameters, staticData: saved(second) });
	await harness.publish(back);
	expect(simulator.webhooks()).toEqual(webhooks);

	const executions = harness.serve(back);
	expect((await simulator.deliver(webhooks[0].id, { ca: proxy.ca })).status).toBe(200);
	expect(executions).toHaveLength(1);
});
