// No delivery is lost and none is executed twice, whenever and in whatever form it arrives.
// Takes long because n8n starts anew.
import { setTimeout as sleep } from 'node:timers/promises';

import { outputOf } from '../../n8n-host/execution';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import type { DeliveryRequest, DeliveryResult } from '../../simulator';
import { useSurroundings } from '../surroundings';
import {
	PATIENCE,
	TRIGGER,
	companyNumbers,
	executedDeliveries,
	publishedWatcher,
	successfulDeliveries,
	waitForExecutions,
	watcher,
	webhooksOf,
} from './watchers';

const surroundings = useSurroundings();

/** Delivers as a sender that does not give up easily. */
async function deliver(webhookId: string, delivery: DeliveryRequest = {}): Promise<DeliveryResult> {
	const { simulator, ca } = surroundings;
	return await simulator.deliver(webhookId, {
		ca,
		retries: 60,
		maxRetryWaitMs: 1_000,
		...delivery,
	});
}

/**
 * As a sender that minds the answers of an n8n that is starting no more than a 5xx: it answers 404 for
 * a moment, and 200 with a line of text while it migrates its database.
 */
async function deliverUntilTaken(webhookId: string, deliveryId: string): Promise<void> {
	await waitFor(
		`delivery ${deliveryId} to be taken`,
		async () => {
			const { status, body } = await deliver(webhookId, { deliveryId });
			return status === 200 && ['', '{"duplicate":true}'].includes(body);
		},
		{ ...PATIENCE, everyMs: 500 },
	);
}

async function expectExecutedOnce(workflow: WorkflowRecord, deliveryIds: string[]): Promise<void> {
	const { client } = surroundings;
	await waitForExecutions(client, workflow.id, deliveryIds.length);
	expect((await executedDeliveries(client, workflow.id)).sort()).toEqual([...deliveryIds].sort());
}

test('a delivery sent the moment its webhook exists, long before n8n saves its secret, is executed once', async () => {
	const { client, simulator, credential } = surroundings;
	const workflow = await client.createWorkflow(watcher(credential, companyNumbers(10, 51_000_000)));
	simulator.latencyMs = 2_500;
	const deliveries = new Map<string, Promise<{ result: DeliveryResult; at: number }>>();
	const publishing = client.waitUntilPublished(workflow.id, PATIENCE).then(() => Date.now());
	while (deliveries.size < 10) {
		for (const { id } of webhooksOf(simulator, workflow)) {
			if (deliveries.has(id)) continue;
			deliveries.set(
				id,
				deliver(id).then((result) => ({ result, at: Date.now() })),
			);
		}
		await sleep(10);
	}
	const publishedAt = await publishing;
	simulator.latencyMs = 0;

	const answers = await Promise.all(deliveries.values());
	expect(answers.filter(({ result }) => result.status !== 200)).toEqual([]);
	expect(Math.min(...answers.map(({ at }) => at))).toBeLessThan(publishedAt);
	await expectExecutedOnce(
		workflow,
		answers.map(({ result }) => result.deliveryId),
	);
});

test('a delivery that is repeated, one after the other and at the same time, is executed once', async () => {
	const { simulator } = surroundings;
	const workflow = await publishedWatcher(surroundings, ['52000000']);
	const [{ id }] = webhooksOf(simulator, workflow);
	const first = await deliver(id);
	const repeat = { deliveryId: first.deliveryId };

	const repeats = [await deliver(id, repeat), await deliver(id, repeat)];
	const together = await Promise.all(
		Array.from({ length: 5 }, async () => await deliver(id, { deliveryId: 'msg_together' })),
	);

	expect(repeats.map(({ status, body }) => [status, body])).toEqual([
		[200, '{"duplicate":true}'],
		[200, '{"duplicate":true}'],
	]);
	expect(together.map(({ status }) => status)).toEqual(together.map(() => 200));
	expect(together.filter(({ body }) => body !== '{"duplicate":true}')).toHaveLength(1);
	await expectExecutedOnce(workflow, [first.deliveryId, 'msg_together']);
});

describe('a signed body', () => {
	const nested = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
	const large = { event: 'filing.new', text: 'é'.repeat(2_500_000) };
	const event = { event: 'filing.new' };
	let workflow: WorkflowRecord;
	let webhookId: string;

	beforeAll(async () => {
		workflow = await publishedWatcher(surroundings, ['53000000']);
		[{ id: webhookId }] = webhooksOf(surroundings.simulator, workflow);
	});

	test.each<[string, DeliveryRequest, object]>([
		['compressed with gzip', { gzip: true, payload: event }, event],
		['of 5 MB', { payload: large }, large],
		['with 900 levels', { rawBody: nested(900) }, JSON.parse(nested(900))],
		['with a byte order mark', { rawBody: `\uFEFF${JSON.stringify(event)}` }, event],
	])('%s arrives as it was sent', async (_case, delivery, payload) => {
		const { client } = surroundings;
		const known = await client.executions(workflow.id);
		expect((await deliver(webhookId, delivery)).status).toBe(200);
		const execution = await client.waitForNextExecution(workflow.id, known, PATIENCE);
		expect(execution.status).toBe('success');
		expect(outputOf(execution, TRIGGER).map(({ json }) => json.payload)).toEqual([payload]);
	});

	test('of 100,000 levels is refused by the trigger, and one that is no JSON by n8n itself', async () => {
		const { client } = surroundings;
		const known = await client.executions(workflow.id);
		expect((await deliver(webhookId, { rawBody: nested(100_000) })).status).toBe(400);
		expect((await deliver(webhookId, { rawBody: '{"event": ' })).status).toBe(422);
		expect(await client.executions(workflow.id)).toEqual(known);
	});
});

test('deliveries sent while n8n is down after a kill are executed once; of those it had accepted, all but what it shows as broken off', async () => {
	const { client, simulator, host } = surroundings;
	const workflow = await publishedWatcher(surroundings, companyNumbers(2, 54_000_000));
	const webhooks = webhooksOf(simulator, workflow);
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

	const executed = async () => await successfulDeliveries(client, workflow.id);
	const amongThese = (ids: string[], executions: string[]) =>
		executions.filter((id) => ids.includes(id)).sort();
	await waitFor(
		'all that was sent meanwhile to be executed',
		async () => new Set(amongThese(down, await executed())).size === down.length,
		{ ...PATIENCE, everyMs: 1_000 },
	);
	expect(amongThese(down, await executed())).toEqual([...down].sort());
	// n8n does not go on with what it had accepted and not finished when it was killed, but shows it.
	const brokenOff = (await client.executions(workflow.id)).filter(
		({ status }) => status !== 'success',
	);
	expect(amongThese(before, await executed())).toHaveLength(before.length - brokenOff.length);
});

function named(when: string, count: number): string[] {
	return Array.from({ length: count }, (_, index) => `msg_${when}_${index}`);
}
