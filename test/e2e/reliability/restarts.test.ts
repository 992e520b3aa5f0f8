// After restarts and crashes of n8n, webhooks are as before and deliveries go on.
import { pinnedInstallation, testedInstallation } from '../../n8n-host/installation';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { behindProxy } from '../../n8n-host/publicAddress';
import { waitFor } from '../../n8n-host/waitFor';
import type { StoredWebhook } from '../../simulator';
import { startTlsProxy } from '../../simulator/tlsProxy';
import { startSurroundings, type Surroundings } from '../surroundings';
import {
	PATIENCE,
	PERSISTENT,
	companyNumbers,
	executedDeliveries,
	waitForExecutions,
	watcher,
	webhooksOf,
	withTrigger,
} from './watchers';

jest.setTimeout(600_000);

/**
 * n8n 2.40 trusts its database at a start and does not ask the trigger. With its older publisher it
 * asks, as n8n 1.x does.
 */
const ASKING_AT_START = { N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false' };
const TRUSTING_AT_START = { N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true' };

const asksAtStart = testedInstallation !== pinnedInstallation;

let surroundings: Surroundings;
let workflow: WorkflowRecord;
let webhooks: StoredWebhook[];
let executions = 0;

beforeAll(async () => {
	surroundings = await startSurroundings();
	const { client, simulator, credential } = surroundings;
	workflow = await client.createWorkflow(watcher(credential, companyNumbers(3)));
	await client.waitUntilPublished(workflow.id, PATIENCE);
	webhooks = webhooksOf(simulator, workflow);
});

afterAll(async () => await surroundings?.stop());

beforeEach(() => {
	surroundings.simulator.clearFaults();
	surroundings.simulator.latencyMs = 0;
	surroundings.simulator.clearRequests();
});

/** n8n 1.x, which asks the trigger at its start, may have it list the webhooks. */
function expectNoRequest(): void {
	const made = surroundings.simulator.requests.map(({ method, path }) => `${method} ${path}`);
	const allowed = asksAtStart ? ['GET /v1/webhooks'] : [];
	expect(made.filter((request) => !allowed.includes(request))).toEqual([]);
}

/** The service has the webhooks that it had, and each of them starts an execution. */
async function expectUnchangedAndDelivering(): Promise<void> {
	const { simulator } = surroundings;
	expect(simulator.webhooks()).toEqual(webhooks);
	await expectEachToStartAnExecution();
}

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

/** Restarts with the older publisher, waits until it is through, and answers what was logged meanwhile. */
async function restartAsking(): Promise<string> {
	const { host } = surroundings;
	const before = host.logs().length;
	const logged = () => host.logs().slice(before);
	await host.restart(ASKING_AT_START);
	await waitFor(
		'n8n to go through its workflows',
		() => /Activated workflow/.test(logged()),
		PATIENCE,
	);
	return logged();
}

test.each([1, 2, 3])(
	'restart %i with nothing changed makes no request and loses nothing',
	async () => {
		await surroundings.host.restart();

		expectNoRequest();
		await expectUnchangedAndDelivering();
	},
);

test.each([1, 2])(
	'after SIGKILL number %i nothing is created anew and deliveries go on',
	async () => {
		await surroundings.host.kill();
		await surroundings.host.restart();

		expectNoRequest();
		await expectUnchangedAndDelivering();
	},
);

test('a restart at which n8n asks the trigger makes one list request', async () => {
	await restartAsking();

	const { requests } = surroundings.simulator;
	expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/webhooks']);
	await expectUnchangedAndDelivering();
});

test.each([
	['drops every connection', { action: 'drop' as const }],
	['answers 503', { action: { status: 503 } }],
	['answers with a web page', { action: { raw: '<!doctype html><h1>Maintenance</h1>' } }],
])(
	'when n8n asks at its start and the service %s, published workflows keep receiving',
	async (_case, fault) => {
		const { simulator } = surroundings;
		simulator.fault({ ...fault, times: Infinity });

		const logged = await restartAsking();

		expect(new Set(simulator.requests.map(({ method, path }) => `${method} ${path}`))).toEqual(
			new Set(['GET /v1/webhooks']),
		);
		expect(logged).toMatch(/could not check its webhooks and keeps using the stored ones/);
		await expectUnchangedAndDelivering();
	},
);

test('when the service is slower than its time limit at a start, published workflows keep receiving', async () => {
	const { simulator } = surroundings;
	simulator.latencyMs = 20_000;

	const logged = await restartAsking();

	expect(simulator.requests).toHaveLength(1);
	expect(logged).toMatch(/did not answer in time/);
	await expectUnchangedAndDelivering();
});

test('a new public address reaches the webhooks that exist once the user says that n8n has moved', async () => {
	const { host, client, simulator } = surroundings;
	const proxy = await startTlsProxy({ targetPort: host.port });
	try {
		await host.restart({ ...TRUSTING_AT_START, ...behindProxy(proxy.url) });
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
		webhooks = moved;
	} finally {
		await proxy.close();
	}
});
