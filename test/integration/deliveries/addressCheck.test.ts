// A service may send something to a webhook's address before it answers that it has created it.
import { randomUUID } from 'node:crypto';

import { waitFor } from '../../n8n-host/waitFor';
import { signDelivery } from '../../simulator/signing';
import { captureLog } from '../../support/logCapture';
import { startTriggerHarness, watching, type TriggerHarness } from '../../support/triggerHarness';

let harness: TriggerHarness;
beforeEach(async () => {
	harness = await startTriggerHarness();
	harness.simulator.latencyMs = 2000;
});
afterEach(async () => {
	jest.restoreAllMocks();
	await harness.close();
});

/** The status of the answer to JSON that anybody may send to an address of the trigger, and its body. */
async function post(url: string, body: string, headers: Record<string, string> = {}) {
	const { pathname, search } = new URL(url);
	const response = await fetch(harness.server.url + pathname + search, {
		method: 'POST',
		// As bytes: n8n answers a malformed JSON body by itself.
		headers: { 'content-type': 'application/octet-stream', ...headers },
		body,
	});
	return { status: response.status, body: await response.json() };
}

it('while the service creates a webhook, an unsigned check is answered 200, with its challenge if that is short; what is signed may be an event and is put off with 503; nothing is started', async () => {
	const workflow = harness.workflow({ workflowId: randomUUID(), parameters: watching('00445790') });
	captureLog(workflow);
	const executions = harness.serve(workflow);
	const publishing = harness.publish(workflow);
	const isCreate = ({ method }: { method: string }) => method === 'POST';
	const create = await waitFor('the create', () => harness.simulator.requests.find(isCreate));
	const { url } = create.body as { url: string };

	expect(await post(url, '{"challenge":"a1b2c3"}')).toEqual({
		status: 200,
		body: { challenge: 'a1b2c3' },
	});
	for (const body of [`{"challenge":"${'a'.repeat(1000)}"}`, '{"challenge":{"a":1}}', 'not JSON']) {
		expect(await post(url, body)).toEqual({ status: 200, body: {} });
	}
	const body = '{"event":"filing.new"}';
	const signable = { secret: 'x', body: Buffer.from(body), id: 'a', timestamp: Date.now() / 1000 };
	expect(await post(url, body, signDelivery('github', signable))).toMatchObject({
		status: 503,
		body: { error: 'unavailable' },
	});

	harness.simulator.latencyMs = 0;
	await publishing;
	// The first delivery that cannot be verified is shown as a failed execution.
	expect((await post(url, '{}')).status).toBe(500);
	expect(executions).toEqual([]);
});
