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

/** What the service is answered while it creates the webhook, and once it has. */
async function whileCreating(...requests: Array<[body: string, headers?: Record<string, string>]>) {
	const workflow = harness.workflow({ workflowId: randomUUID(), parameters: watching('00445790') });
	captureLog(workflow);
	const executions = harness.serve(workflow);
	const publishing = harness.publish(workflow);
	const isCreate = ({ method }: { method: string }) => method === 'POST';
	const create = await waitFor('the create', () => harness.simulator.requests.find(isCreate));
	const { url } = create.body as { url: string };
	const during: unknown[] = [];
	for (const [body, headers] of requests) during.push(await post(url, body, headers));
	harness.simulator.latencyMs = 0;
	await publishing;
	const after = await post(url, '{}');
	return { during, after, executions: executions.length };
}

it('an unsigned check is answered 200, with its challenge if that is short, and starts nothing', async () => {
	const { during, after, executions } = await whileCreating(
		['{"challenge":"a1b2c3"}'],
		[JSON.stringify({ challenge: 'a'.repeat(1000) })],
		['{"challenge":{"a":1}}'],
		['not JSON'],
	);
	expect(during).toEqual([
		{ status: 200, body: { challenge: 'a1b2c3' } },
		...Array(3).fill({ status: 200, body: {} }),
	]);
	// The first delivery that cannot be verified is shown as a failed execution.
	expect(after.status).toBe(500);
	expect(executions).toBe(0);
});

it('what is signed may be an event: it is put off with 503, and so is any other reference', async () => {
	const body = '{"event":"filing.new"}';
	const signable = { secret: 'x', body: Buffer.from(body), id: 'a', timestamp: Date.now() / 1000 };
	const { during, executions } = await whileCreating([body, signDelivery('github', signable)]);
	expect(during).toMatchObject([{ status: 503, body: { error: 'unavailable' } }]);
	expect(executions).toBe(0);
});
