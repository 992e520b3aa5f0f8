// After restarts of n8n webhooks are as before and deliveries go on; what it logs; and "Execute step", with
// and without a public address.
// Takes long because n8n starts four times.
import { outputOf } from '../../n8n-host/execution';
import { testedInstallation, versionOf } from '../../n8n-host/installation';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { behindProxy } from '../../n8n-host/publicAddress';
import type { StoredWebhook } from '../../simulator';
import { startTlsProxy } from '../../simulator/tlsProxy';
import { useSurroundings } from '../surroundings';
import {
	PATIENCE,
	PERSISTENT,
	TRIGGER,
	companyNumbers,
	executedDeliveries,
	publishedWatcher,
	waitForExecutions,
	watcher,
	webhooksOf,
	withTrigger,
} from './watchers';

const asksAtStart = versionOf(testedInstallation).startsWith('1.');

const surroundings = useSurroundings();
let workflow: WorkflowRecord;
let webhooks: StoredWebhook[];
let executions = 0;

beforeAll(async () => {
	workflow = await publishedWatcher(surroundings, companyNumbers(3));
	webhooks = webhooksOf(surroundings.simulator, workflow);
});

async function expectEachToStartAnExecution(ca = surroundings.ca): Promise<void> {
	const { simulator, client } = surroundings;
	const deliveries = await Promise.all(
		webhooks.map(async ({ id }) => await simulator.deliver(id, { ca, ...PERSISTENT })),
	);
	expect(deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
	executions += webhooks.length;
	await waitForExecutions(client, workflow.id, executions);
	const executed = await executedDeliveries(client, workflow.id);
	expect(executed).toHaveLength(executions);
	expect(executed).toEqual(expect.arrayContaining(deliveries.map(({ deliveryId }) => deliveryId)));
}

/** A test run of a new workflow shows a sample of each event. Answers the workflow's id. */
async function expectSample(): Promise<string> {
	const { client, credential } = surroundings;
	const events = ['filing.new', 'psc.added'];
	const { id } = await client.createWorkflow(watcher(credential, companyNumbers(2), { events }));
	await client.listenForTestEvent(id, TRIGGER);
	const execution = await client.waitForNextExecution(id, [], PATIENCE);
	expect(outputOf(execution, TRIGGER).map(({ json }) => json)).toMatchObject(
		events.map((event) => ({
			event,
			company_number: '10000000',
			webhook_id: 'sample',
			payload: { sample: true },
		})),
	);
	return id;
}

test('test runs show a sample of each event, and the service hears of none', async () => {
	const { host, simulator } = surroundings;
	simulator.clearRequests();
	await expectSample();
	await expectSample();
	expect(simulator.requests).toEqual([]);
	expect(host.logs()).not.toMatch(/unknown webhook|sample event could not/i);
});

test('a restart with nothing changed makes no request and loses nothing', async () => {
	const { host, simulator } = surroundings;
	simulator.clearRequests();
	await host.restart();

	// n8n 1.x, which asks the trigger at its start, may have it list the webhooks.
	const allowed = asksAtStart ? ['GET /v1/webhooks'] : [];
	const made = simulator.requests.map(({ method, path }) => `${method} ${path}`);
	expect(made.filter((request) => !allowed.includes(request))).toEqual([]);
	expect(simulator.webhooks()).toEqual(webhooks);
	await expectEachToStartAnExecution();
});

test('a new public address reaches the webhooks that exist once the user says that n8n has moved', async () => {
	const { host, client, simulator } = surroundings;
	const proxy = await startTlsProxy({ targetPort: host.port });
	try {
		await host.restart({ N8N_LOG_LEVEL: 'debug', ...behindProxy(proxy.url) });
		// n8n 2.40 calls no trigger for a publish that changes nothing about the node.
		await client.waitUntilPublished(workflow.id, PATIENCE);
		expect(simulator.webhooks()).toEqual(webhooks);

		await client.waitUntilUnpublished(workflow.id, PATIENCE);
		await expect(client.waitUntilPublished(workflow.id, PATIENCE)).rejects.toThrow(
			/and this n8n's address is .*'Address Changed'/,
		);
		expect(simulator.webhooks()).toEqual(webhooks);

		const moving = { parameters: { options: { addressChanged: 'move' } } };
		workflow = await client.updateWorkflow(workflow.id, withTrigger(workflow, moving));
		await client.waitUntilPublished(workflow.id, PATIENCE);

		const moved = simulator.webhooks();
		expect(moved).toEqual(
			webhooks.map((webhook) => ({
				...webhook,
				url: expect.stringContaining(`${proxy.url}/webhook/`),
			})),
		);
		await expectEachToStartAnExecution(proxy.ca);

		const [{ id }] = moved;
		expect((await simulator.deliver(id, { ca: proxy.ca, sign: false })).status).toBe(401);
	} finally {
		await proxy.close();
	}
});

test("n8n's log, since then at level debug, names no secret and no API key", () => {
	const { host, simulator } = surroundings;
	const log = host.logs();

	expect(log).toMatch(
		/a delivery for company 1000000\d was refused with 401 because it has no sig/,
	);
	for (const { secret } of webhooks) expect(log).not.toContain(secret.replace('whsec_', ''));
	expect(log).not.toContain(simulator.apiKey);
});

test('without a public address a test run shows samples as well, and publishing says what it needs', async () => {
	const { client, host, simulator } = surroundings;
	simulator.clearRequests();
	await host.restart({ N8N_WEBHOOK_URL: '', WEBHOOK_URL: '' });
	const id = await expectSample();
	await expect(client.waitUntilPublished(id, PATIENCE)).rejects.toThrow(
		/delivers to https addresses only.*N8N_WEBHOOK_URL.*to n8n's public https address and restart n8n/s,
	);
	expect(simulator.requests).toEqual([]);
});
