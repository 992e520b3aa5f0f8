// No delivery is lost or executed twice, at any time and in any form.
// Takes long because n8n starts again.
import { setTimeout as sleep } from 'node:timers/promises';

import { outputOf } from '../../n8n-host/execution';
import { waitFor } from '../../n8n-host/waitFor';
import type { DeliveryRequest, DeliveryResult } from '../../simulator';
import { useSurroundings } from '../surroundings';
import {
	TRIGGER,
	companyNumbers,
	publishedWatcher,
	successfulDeliveries,
	watcher,
	webhooksOf,
} from './watchers';

const surroundings = useSurroundings();

/** Delivers as a sender that does not give up easily. */
async function deliver(webhookId: string, delivery: DeliveryRequest = {}): Promise<DeliveryResult> {
	const { simulator, ca } = surroundings;
	const persistent = { retries: 60, maxRetryWaitMs: 1_000 };
	return await simulator.deliver(webhookId, { ca, ...persistent, ...delivery });
}

/**
 * As a sender that minds the answers of an n8n that is starting no more than a 5xx: it answers 404 for
 * a moment, and 200 with a line of text while it migrates its database.
 */
async function deliverUntilTaken(webhookId: string, deliveryId: string): Promise<void> {
	await waitFor(`delivery ${deliveryId} to be taken`, async () => {
		const { status, body } = await deliver(webhookId, { deliveryId });
		return status === 200 && ['', '{"duplicate":true}'].includes(body);
	});
}

test('a delivery sent the moment its webhook exists, long before n8n saves its secret, is executed once', async () => {
	const { client, simulator, credential } = surroundings;
	const workflow = await client.createWorkflow(watcher(credential, companyNumbers(10, 51_000_000)));
	// The others are made once the first has delivered: until then n8n is publishing.
	const later = { status: 429, headers: { 'Retry-After': '1' } };
	simulator.fault({ method: 'POST', nth: 2, times: Infinity, action: later });
	const answers = new Map<string, Promise<DeliveryResult & { at: number }>>();
	const publishing = client.waitUntilPublished(workflow.id).then(() => Date.now());
	while (answers.size < 10) {
		for (const { id } of webhooksOf(simulator, workflow)) {
			if (answers.has(id)) continue;
			const answer = deliver(id).finally(() => simulator.clearFaults());
			answers.set(
				id,
				answer.then((result) => ({ ...result, at: Date.now() })),
			);
		}
		await sleep(10);
	}
	const publishedAt = await publishing;

	const answered = await Promise.all(answers.values());
	expect(answered.filter(({ status }) => status !== 200)).toEqual([]);
	expect(Math.min(...answered.map(({ at }) => at))).toBeLessThan(publishedAt);
	const executed = async () => await successfulDeliveries(client, workflow.id);
	await waitFor('all to be executed', async () => {
		const listed = await client.executions(workflow.id);
		const isOver = listed.every(({ status }) => !['new', 'running'].includes(status));
		return isOver && (await executed()).length >= 10;
	});
	expect((await executed()).sort()).toEqual(answered.map(({ deliveryId }) => deliveryId).sort());
});

describe('a signed body', () => {
	const large = { event: 'filing.new', text: 'é'.repeat(2_500_000) };
	const event = { event: 'filing.new' };
	const headers = { 'content-type': 'application/cloudevents+json' };
	let workflowId: string;
	let webhookId: string;

	beforeAll(async () => {
		const workflow = await publishedWatcher(surroundings, ['53000000']);
		workflowId = workflow.id;
		[{ id: webhookId }] = webhooksOf(surroundings.simulator, workflow);
	});

	test.each<[string, DeliveryRequest, object]>([
		['compressed with gzip', { gzip: true, payload: event }, event],
		['of 5 MB', { payload: large }, large],
		['of a type that n8n does not parse', { payload: event, headers }, event],
		['with a byte order mark', { rawBody: `\uFEFF${JSON.stringify(event)}` }, event],
	])('%s arrives as it was sent', async (_case, delivery, payload) => {
		const { client } = surroundings;
		const known = await client.executions(workflowId);
		expect((await deliver(webhookId, delivery)).status).toBe(200);
		const execution = await client.waitForNextExecution(workflowId, known);
		expect(execution.status).toBe('success');
		expect(outputOf(execution, TRIGGER).map(({ json }) => json.payload)).toEqual([payload]);
	});
});

test('deliveries sent while n8n is down after a kill are executed once; n8n executes what it had accepted, or shows it as broken off', async () => {
	const { client, simulator, host } = surroundings;
	const workflow = await publishedWatcher(surroundings, companyNumbers(2, 54_000_000));
	const webhooks = webhooksOf(simulator, workflow);
	const named = (when: string, count: number) =>
		Array.from({ length: count }, (_, index) => `msg_${when}_${index}`);
	const before = named('before', 5);
	const down = named('down', 10);
	const send = async (deliveryIds: string[]) => {
		await Promise.all(
			deliveryIds.map(
				async (id, index) => await deliverUntilTaken(webhooks[index % webhooks.length].id, id),
			),
		);
	};
	await send(before);
	simulator.clearRequests();

	await host.kill();
	const sending = send(down);
	await host.restart();
	await sending;
	expect(webhooksOf(simulator, workflow)).toEqual(webhooks);
	expect(simulator.requests.filter(({ method }) => method !== 'GET')).toEqual([]);

	const executedOf = async (ids: string[]) =>
		(await successfulDeliveries(client, workflow.id)).filter((id) => ids.includes(id)).sort();
	await waitFor(
		'all that was sent meanwhile to be executed',
		async () => new Set(await executedOf(down)).size === down.length,
	);
	expect(await executedOf(down)).toEqual([...down].sort());
	// n8n does not go on with what it had accepted and not finished when it was killed, but shows it.
	await waitFor('all that it had accepted to be executed or shown as broken off', async () => {
		const brokenOff = (await client.executions(workflow.id)).filter(
			// The trigger's report that n8n ended is a failed execution, and not one of these.
			({ status }) => status !== 'success' && status !== 'error',
		);
		return (await executedOf(before)).length === before.length - brokenOff.length;
	});
});
