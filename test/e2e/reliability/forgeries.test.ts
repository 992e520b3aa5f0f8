// What becomes of deliveries that are not proven: they start nothing, write nothing, do not hold up genuine
// ones, and the first one that cannot be verified is shown.
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { errorOf, outputOf } from '../../n8n-host/execution';
import type { DeliveryRequest } from '../../simulator';
import { startSurroundings, type Surroundings } from '../surroundings';
import {
	PATIENCE,
	PERSISTENT,
	TRIGGER,
	UNRECOGNISED,
	companyNumbers,
	errorWorkflow,
	executedDeliveries,
	publishedWatcher,
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

async function deliver(webhookId: string, delivery: DeliveryRequest = {}) {
	const { simulator, ca } = surroundings;
	return await simulator.deliver(webhookId, { ca, ...delivery });
}

test('of deliveries that cannot be verified the first is shown as a failed execution and starts the error workflow; the others get 401', async () => {
	const { client, simulator, credential, host } = surroundings;
	const alarm = await client.createWorkflow(errorWorkflow());
	await client.enableErrorWorkflow(alarm.id, PATIENCE);
	const file = watcher(credential, companyNumbers(2, 70_000_000));
	const settings = { ...file.settings, errorWorkflow: alarm.id };
	const workflow = await client.createWorkflow({ ...file, settings });
	await client.waitUntilPublished(workflow.id, PATIENCE);
	const [one, other] = webhooksOf(simulator, workflow);
	/** In nothing else: no part of a value may be quoted anywhere. */
	const value = 'qwertyuiopasdfghjklzxcvb';
	const unrecognised: DeliveryRequest = {
		...UNRECOGNISED,
		deliveryId: value,
		payload: { event: 'filing.new', note: value },
	};

	const statuses: number[] = [];
	for (const { id } of [one, one, other]) statuses.push((await deliver(id, unrecognised)).status);
	expect(statuses).toEqual([500, 401, 401]);

	await waitForExecutions(client, workflow.id, 1);
	const [{ id }] = await client.executions(workflow.id);
	const execution = await client.waitForExecution(id, PATIENCE);
	expect(execution.status).toBe('error');
	expect(outputOf(execution, TRIGGER)).toEqual([]);
	expect(Object.keys(execution.data.resultData.runData)).toEqual([TRIGGER]);
	const text = errorOf(execution);
	expect(text).toContain(`for company ${one.company_number} is genuine, but signed in a way`);
	expect(text).toContain('X-Foo-Seal');
	expect(text).toContain('{id}:{timestamp}:{body}');

	await waitForExecutions(client, alarm.id, 1);
	const heard = JSON.stringify(await client.waitForNextExecution(alarm.id, [], PATIENCE));
	expect(heard).toContain('is genuine, but signed in a way');

	for (const told of [JSON.stringify(execution), heard, host.logs()]) {
		expect(told).not.toContain(value);
		expect(told).not.toContain(one.secret.replace('whsec_', ''));
	}

	expect((await deliver(one.id)).status).toBe(200);
	expect((await deliver(one.id, unrecognised)).status).toBe(401);
	const [accepted, ...others] = await client.executions(workflow.id);
	expect(await client.waitForExecution(accepted.id, PATIENCE)).toMatchObject({ status: 'success' });
	expect(others.map((execution) => execution.id)).toEqual([id]);
});

describe('once each webhook has verified a delivery', () => {
	let workflow: WorkflowRecord;
	/** Ids of genuine deliveries that came first: what is refused after them is taken for forged. */
	let first: string[];

	beforeAll(async () => {
		const { client, simulator } = surroundings;
		workflow = await publishedWatcher(surroundings, companyNumbers(2, 60_000_000));
		const answers = webhooksOf(simulator, workflow).map(
			async ({ id }) => await deliver(id, PERSISTENT),
		);
		first = (await Promise.all(answers)).map(({ deliveryId }) => deliveryId);
		await waitForExecutions(client, workflow.id, first.length);
	});

	test('a burst of forgeries starts nothing but one failed execution that shows it, asks the service nothing and writes nothing to the workflow', async () => {
		const { client, simulator } = surroundings;
		const [one, other] = webhooksOf(simulator, workflow);
		const now = Math.floor(Date.now() / 1000);
		const [address] = one.url.split('?');
		const forgeries: Array<[number, DeliveryRequest]> = [
			[401, { secret: 'whsec_Zm9yZ2VkIGZvcmdlZCBmb3JnZWQgZm8=' }],
			[401, { secret: other.secret }],
			[401, { sign: false }],
			[401, { timestamp: now - 3_600 }],
			[401, { timestamp: now + 3_600 }],
			[401, { scheme: 'github', secret: 'guessed' }],
			[503, { url: address }],
			[503, { url: `${address}?ref=${'A'.repeat(22)}` }],
			[503, { url: `${address}?ref=__proto__` }],
		];
		// Without its owner, whom n8n notes a moment later to have had a first successful execution.
		const stored = async () => ({ ...(await client.workflow(workflow.id)), shared: undefined });
		const before = await stored();
		simulator.clearRequests();

		const burst = forgeries.flatMap((forgery) => [forgery, forgery]);
		const answers = await Promise.all(
			burst.map(async ([, forgery]) => await deliver(one.id, { ...PERSISTENT, ...forgery })),
		);

		expect(answers.map(({ status }) => status)).toEqual(burst.map(([status]) => status));
		for (const { status, headers, body } of answers) {
			const text = expect.any(String);
			expect(JSON.parse(body)).toEqual({ error: text, message: text, status });
			expect(Number(headers['retry-after'] ?? 0) > 0).toBe(status === 503);
		}
		expect(simulator.requests).toEqual([]);
		expect(await stored()).toEqual(before);
		await waitForExecutions(client, workflow.id, first.length + 1);
		const [shown, ...others] = await client.executions(workflow.id);
		expect(await client.waitForExecution(shown.id, PATIENCE)).toMatchObject({ status: 'error' });
		expect(others).toHaveLength(first.length);
	});

	test('genuine deliveries, at once and out of order, are executed once each while forgeries arrive, and change no static data', async () => {
		const { client, simulator } = surroundings;
		const webhooks = webhooksOf(simulator, workflow);
		const { staticData } = await client.workflow(workflow.id);
		const now = Math.floor(Date.now() / 1000);
		const sent = Array.from({ length: 20 }, (_, index) => ({
			...webhooks[index % webhooks.length],
			timestamp: now - ((index * 37) % 200),
		}));

		const genuine = sent.map(
			async ({ id, timestamp }) => await deliver(id, { ...PERSISTENT, timestamp }),
		);
		const forged = Array.from(
			{ length: 40 },
			async () => await deliver(webhooks[0].id, { ...PERSISTENT, secret: 'guessed' }),
		);
		const results = await Promise.all(genuine);

		expect(results.map(({ status }) => status)).toEqual(results.map(() => 200));
		expect((await Promise.all(forged)).filter(({ status }) => status !== 401)).toEqual([]);
		// And the one that failed.
		await waitForExecutions(client, workflow.id, first.length + 21);
		expect((await executedDeliveries(client, workflow.id)).sort()).toEqual(
			[...first, ...results.map(({ deliveryId }) => deliveryId)].sort(),
		);
		expect((await client.workflow(workflow.id)).staticData).toEqual(staticData);
	});
});
