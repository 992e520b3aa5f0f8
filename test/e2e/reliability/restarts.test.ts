// After restarts and crashes of n8n, webhooks are as before and deliveries go on.
// Takes long because n8n starts five times.
import { testedInstallation, versionOf } from '../../n8n-host/installation';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { behindProxy } from '../../n8n-host/publicAddress';
import { waitFor } from '../../n8n-host/waitFor';
import { startSimulator, type Fault, type Simulator, type StoredWebhook } from '../../simulator';
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

const asksAtStart = versionOf(testedInstallation).startsWith('1.');

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

beforeEach(() => surroundings.simulator.clearRequests());

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

test('a restart with nothing changed makes no request and loses nothing', async () => {
	await surroundings.host.restart();

	expectNoRequest();
	await expectUnchangedAndDelivering();
});

test('after SIGKILL nothing is created anew and deliveries go on', async () => {
	await surroundings.host.kill();
	await surroundings.host.restart();

	expectNoRequest();
	await expectUnchangedAndDelivering();
});

/** A published workflow whose service is another stand-in, which fails from then on. */
async function published(fail: (service: Simulator) => void) {
	const { client, ca } = surroundings;
	const service = await startSimulator();
	const credential = await client.createCredential({
		name: 'Another service',
		type: 'companyRegistryApi',
		data: { baseUrl: service.url, apiKey: service.apiKey },
	});
	const watching = await client.createWorkflow(watcher(credential, companyNumbers(1)));
	await client.waitUntilPublished(watching.id, PATIENCE);
	const before = service.webhooks();
	service.clearRequests();
	fail(service);
	return {
		service,
		async expectUnchangedAndDelivering() {
			expect(service.webhooks()).toEqual(before);
			const { status, deliveryId } = await service.deliver(before[0].id, { ca, ...PERSISTENT });
			expect(status).toBe(200);
			await waitForExecutions(client, watching.id, 1);
			expect(await executedDeliveries(client, watching.id)).toEqual([deliveryId]);
		},
	};
}

// All at one restart, each workflow with a service of its own.
test('when n8n asks the triggers at its start, a service that answers gets one list request, and without an answer published workflows keep receiving', async () => {
	const answers: Fault['action'][] = [
		'drop',
		{ status: 503 },
		{ raw: '<!doctype html><h1>Maintenance</h1>' },
	];
	const failing = await Promise.all([
		...answers.map(
			async (action) => await published((service) => service.fault({ action, times: Infinity })),
		),
		published((service) => (service.latencyMs = 20_000)),
	]);
	try {
		const { host } = surroundings;
		const before = host.logs().length;
		const logged = () => host.logs().slice(before);
		await host.restart(ASKING_AT_START);
		await waitFor(
			'n8n to go through its workflows',
			() => logged().match(/Activated workflow/g)?.length === 1 + failing.length,
			PATIENCE,
		);

		for (const { requests } of [surroundings.simulator, ...failing.map(({ service }) => service)]) {
			expect(new Set(requests.map(({ method, path }) => `${method} ${path}`))).toEqual(
				new Set(['GET /v1/webhooks']),
			);
		}
		expect(surroundings.simulator.requests).toHaveLength(1);
		expect(failing.at(-1)?.service.requests).toHaveLength(1);
		expect(
			logged().match(/could not check its webhooks and keeps using the stored ones/g),
		).toHaveLength(failing.length);
		expect(logged()).toMatch(/did not answer in time/);
		await expectUnchangedAndDelivering();
		for (const each of failing) await each.expectUnchangedAndDelivering();
	} finally {
		for (const { service } of failing) await service.close();
	}
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
