// Many forged deliveries start nothing, write nothing and do not hold up genuine ones.
// Takes long because this n8n, with its own log level, is started for it alone.
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import type { DeliveryRequest } from '../../simulator';
import { startSurroundings, type Surroundings } from '../surroundings';
import {
	PATIENCE,
	PERSISTENT,
	companyNumbers,
	executedDeliveries,
	waitForExecutions,
	watcher,
	webhooksOf,
} from './watchers';

jest.setTimeout(600_000);

let surroundings: Surroundings;
let workflow: WorkflowRecord;
/** Ids of genuine deliveries that came first: what is refused after them is taken for forged. */
let first: string[];

beforeAll(async () => {
	surroundings = await startSurroundings({ env: { N8N_LOG_LEVEL: 'debug' } });
	const { client, credential } = surroundings;
	workflow = await client.createWorkflow(watcher(credential, companyNumbers(2, 60_000_000)));
	await client.waitUntilPublished(workflow.id, PATIENCE);
	const { simulator, ca } = surroundings;
	const answers = webhooksOf(simulator, workflow).map(
		async ({ id }) => await simulator.deliver(id, { ca, ...PERSISTENT }),
	);
	first = (await Promise.all(answers)).map(({ deliveryId }) => deliveryId);
	await waitForExecutions(client, workflow.id, first.length);
});

afterAll(async () => await surroundings?.stop());

test('a burst of forgeries starts nothing but one failed execution that shows it, asks the service nothing and writes nothing to the workflow', async () => {
	const { client, simulator, ca } = surroundings;
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

	const statuses = await Promise.all(
		forgeries.flatMap(([, forgery]) =>
			Array.from(
				{ length: 5 },
				async () => (await simulator.deliver(one.id, { ca, ...PERSISTENT, ...forgery })).status,
			),
		),
	);

	expect(statuses).toEqual(
		forgeries.flatMap(([status]) => Array.from({ length: 5 }, () => status)),
	);
	expect(simulator.requests).toEqual([]);
	expect(await stored()).toEqual(before);
	await waitForExecutions(client, workflow.id, first.length + 1);
	const [shown, ...others] = await client.executions(workflow.id);
	expect(await client.waitForExecution(shown.id, PATIENCE)).toMatchObject({ status: 'error' });
	expect(others).toHaveLength(first.length);
});

test('genuine deliveries get through while forgeries arrive, and change no static data', async () => {
	const { client, simulator, ca } = surroundings;
	const [{ id }] = webhooksOf(simulator, workflow);
	const { staticData } = await client.workflow(workflow.id);

	const genuine = Array.from(
		{ length: 20 },
		async () => await simulator.deliver(id, { ca, ...PERSISTENT }),
	);
	const forged = Array.from(
		{ length: 40 },
		async () => await simulator.deliver(id, { ca, ...PERSISTENT, secret: 'guessed' }),
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

test("n8n's log at level debug names no secret and no API key", () => {
	const { host, simulator } = surroundings;
	const log = host.logs();

	expect(log).toMatch(
		/a delivery for company 6000000[01] was refused with 401 because its signature is wrong; headers that look like a signature: webhook-signature/,
	);
	for (const { secret } of simulator.webhooks())
		expect(log).not.toContain(secret.replace('whsec_', ''));
	expect(log).not.toContain(simulator.apiKey);
});
