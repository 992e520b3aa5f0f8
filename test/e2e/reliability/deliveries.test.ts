// No delivery is lost and none is executed twice, whenever and in whatever form it arrives.
// Takes long because n8n executes more than a hundred deliveries and starts anew.
import { setTimeout as sleep } from 'node:timers/promises';

import { outputOf } from '../../n8n-host/execution';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import type { DeliveryRequest, DeliveryResult } from '../../simulator';
import { startSurroundings, type Surroundings } from '../surroundings';
import {
	PATIENCE,
	TRIGGER,
	companyNumbers,
	executedDeliveries,
	successfulDeliveries,
	waitForExecutions,
	watcher,
	webhooksOf,
} from './watchers';

jest.setTimeout(600_000);

let surroundings: Surroundings;

beforeAll(async () => {
	surroundings = await startSurroundings();
});

afterAll(async () => await surroundings?.stop());

let firstCompany = 50_000_000;

async function createWatcher(companies: number): Promise<WorkflowRecord> {
	const { client, credential } = surroundings;
	firstCompany += 1_000;
	return await client.createWorkflow(watcher(credential, companyNumbers(companies, firstCompany)));
}

async function published(companies: number): Promise<WorkflowRecord> {
	const workflow = await createWatcher(companies);
	await surroundings.client.waitUntilPublished(workflow.id, PATIENCE);
	return workflow;
}

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
	const { client, simulator } = surroundings;
	const workflow = await createWatcher(30);
	simulator.latencyMs = 2_500;
	const deliveries = new Map<string, Promise<{ result: DeliveryResult; at: number }>>();
	const publishing = client.waitUntilPublished(workflow.id, PATIENCE).then(() => Date.now());
	while (deliveries.size < 30) {
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

test('fifty deliveries at once, of mixed companies and out of order, are executed once each', async () => {
	const { simulator } = surroundings;
	const workflow = await published(5);
	const webhooks = webhooksOf(simulator, workflow);
	const now = Math.floor(Date.now() / 1000);
	const inOrder = Array.from({ length: 50 }, (_, index) => ({
		webhook: webhooks[index % webhooks.length],
		timestamp: now - ((index * 37) % 200),
	}));

	const results = await Promise.all(
		inOrder.map(async ({ webhook, timestamp }) => await deliver(webhook.id, { timestamp })),
	);

	expect(results.filter(({ status }) => status !== 200)).toEqual([]);
	await expectExecutedOnce(
		workflow,
		results.map(({ deliveryId }) => deliveryId),
	);
});

test('a delivery that is repeated, one after the other and at the same time, is executed once', async () => {
	const { simulator } = surroundings;
	const workflow = await published(1);
	const [{ id }] = webhooksOf(simulator, workflow);
	const first = await deliver(id);
	const repeat = { deliveryId: first.deliveryId };

	const repeats = [await deliver(id, repeat), await deliver(id, repeat)];
	const together = await Promise.all(
		Array.from({ length: 10 }, async () => await deliver(id, { deliveryId: 'msg_together' })),
	);

	expect(repeats.map(({ status, body }) => [status, body])).toEqual([
		[200, '{"duplicate":true}'],
		[200, '{"duplicate":true}'],
	]);
	expect(together.map(({ status }) => status)).toEqual(together.map(() => 200));
	expect(together.filter(({ body }) => body !== '{"duplicate":true}')).toHaveLength(1);
	await expectExecutedOnce(workflow, [first.deliveryId, 'msg_together']);
});

const nested = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
const large = { event: 'filing.new', text: 'é'.repeat(2_500_000) };

test.each<[string, DeliveryRequest, unknown[]]>([
	[
		'compressed with gzip',
		{ gzip: true, payload: { event: 'filing.new', a: 1 } },
		[{ event: 'filing.new', a: 1 }],
	],
	['of 5 MB', { payload: large }, [large]],
	[
		'with an array of events',
		{
			payload: [
				{ event: 'filing.new', a: 1 },
				{ event: 'filing.new', a: 2 },
			],
		},
		[
			{ event: 'filing.new', a: 1 },
			{ event: 'filing.new', a: 2 },
		],
	],
	['with 900 levels', { rawBody: nested(900) }, [JSON.parse(nested(900))]],
	[
		'with a byte order mark',
		{ rawBody: '\uFEFF{"event":"filing.new"}' },
		[{ event: 'filing.new' }],
	],
])('a body %s arrives as it was sent', async (_case, delivery, payloads) => {
	const { client, simulator } = surroundings;
	const workflow = await published(1);
	const [{ id }] = webhooksOf(simulator, workflow);

	expect((await deliver(id, delivery)).status).toBe(200);

	const execution = await client.waitForNextExecution(workflow.id, [], PATIENCE);
	expect(execution.status).toBe('success');
	expect(outputOf(execution, TRIGGER).map(({ json }) => json.payload)).toEqual(payloads);
});

test.each<[string, number, DeliveryRequest]>([
	['of 100,000 levels is refused by the trigger', 400, { rawBody: nested(100_000) }],
	['that is no JSON is refused by n8n itself', 422, { rawBody: '{"event": ' }],
])('a signed body %s', async (_case, status, delivery) => {
	const { client, simulator } = surroundings;
	const workflow = await published(1);
	const [{ id }] = webhooksOf(simulator, workflow);

	expect((await deliver(id, delivery)).status).toBe(status);

	const { deliveryId } = await deliver(id);
	await waitForExecutions(client, workflow.id, 1);
	expect(await executedDeliveries(client, workflow.id)).toEqual([deliveryId]);
});

test('deliveries sent while n8n is down after a kill are executed once; of those it had accepted, all but what it shows as broken off', async () => {
	const { client, simulator, host } = surroundings;
	const workflow = await published(5);
	const webhooks = webhooksOf(simulator, workflow);
	const before = named('before', 10);
	const down = named('down', 20);
	const send = async (deliveryIds: string[]) => {
		await Promise.all(
			deliveryIds.map(
				async (id, index) => await deliverUntilTaken(webhooks[index % webhooks.length].id, id),
			),
		);
	};
	await send(before);

	await host.kill();
	const sending = send(down);
	await host.restart();
	await sending;

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
