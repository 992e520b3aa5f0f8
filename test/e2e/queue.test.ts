// n8n in queue mode: deliveries to several processes, of which some are stopped and killed.
import { withCredential } from '../n8n-host/exampleWorkflows';
import type { N8nHost } from '../n8n-host/n8nProcess';
import { waitFor } from '../n8n-host/waitFor';
import { startSimulator, type Simulator } from '../simulator';
import { startCluster, type Cluster } from './queue/cluster';
import { planDeliveries, sendAll } from './queue/deliveries';
import { storedExecutions, type StoredExecution } from './queue/executions';
import { REMOVE_DUPLICATES, TRIGGER, watchingWorkflow } from './queue/workflow';

const { TEST_REDIS_URL, TEST_POSTGRES_URL } = process.env;
const COMPANIES = 200;
/** n8n's default for a worker: so many executions it may have in hand when it is killed. */
const WORKER_CONCURRENCY = 10;

jest.setTimeout(400_000);

// `npm test` names both, where they are found, and says so loudly where they are not.
const withBackends = TEST_REDIS_URL && TEST_POSTGRES_URL ? describe : describe.skip;

withBackends('n8n in queue mode, on the settings of deploy/n8n.env', () => {
	let simulator: Simulator;
	let cluster: Cluster;
	let workflowId: string;

	beforeAll(async () => {
		simulator = await startSimulator();
		cluster = await startCluster(String(TEST_REDIS_URL), String(TEST_POSTGRES_URL));
		const { client } = cluster;
		const credential = await client.createCredential({
			name: 'Company Registry',
			type: 'companyRegistryApi',
			data: { baseUrl: simulator.url, apiKey: simulator.apiKey },
		});
		const workflow = withCredential(watchingWorkflow(COMPANIES), credential);
		workflowId = (await client.createWorkflow(workflow)).id;
		await client.waitUntilPublished(workflowId, { timeoutMs: 120_000 });
	});

	afterAll(async () => {
		await cluster?.stop();
		await simulator?.close();
	});

	const executions = async (): Promise<StoredExecution[]> =>
		await storedExecutions(cluster.backends, workflowId, {
			trigger: TRIGGER,
			removeDuplicates: REMOVE_DUPLICATES,
		});

	test('publishing makes one webhook for each company', () => {
		const companies = simulator.webhooks().map(({ company_number }) => company_number);
		expect(companies).toHaveLength(COMPANIES);
		expect(new Set(companies).size).toBe(COMPANIES);
	});

	test('a repeat that reaches another process is left to Remove Duplicates, which drops it', async () => {
		const [event] = planDeliveries(simulator.webhooks(), { events: 1, repeats: 0, forgeries: 0 });
		for (const [index, process] of ([0, 1, 0, 1] as const).entries()) {
			const repeat = { ...event, deliveryId: 'sent-in-turn', process };
			expect(await sendAll(simulator, cluster.webhooks, [repeat])).toMatchObject([{ status: 200 }]);
			const count = Math.min(index + 1, 2);
			await waitFor(`${count} executions to end`, async () => {
				return (await executions()).filter(hasSucceeded).length === count;
			});
		}

		const all = await executions();

		expect(all.map(({ deliveryId }) => deliveryId)).toEqual(['sent-in-turn', 'sent-in-turn']);
		expect(all.map(({ isKept }) => isKept)).toEqual([true, false]);
	});

	test('every event is executed but what a killed worker had in hand, and no forgery, while processes are stopped and killed', async () => {
		const [, killedReceiver] = cluster.webhooks;
		const [stoppedWorker, killedWorker] = cluster.workers;
		const disturbances = new Map([
			[200, async () => await stoppedWorker.restart()],
			[400, async () => await killAndRestart(killedReceiver)],
			[600, async () => await killAndRestart(killedWorker)],
		]);
		const planned = planDeliveries(simulator.webhooks(), {
			events: 800,
			repeats: 100,
			forgeries: 100,
		});
		const underWay: Array<Promise<void> | undefined> = [];

		const answered = await sendAll(simulator, cluster.webhooks, planned, (count) => {
			underWay.push(disturbances.get(count)?.());
		});
		await Promise.all(underWay);

		const genuine = answered.filter(({ isGenuine }) => isGenuine);
		const forged = answered.filter(({ isGenuine }) => !isGenuine);
		expect([genuine.length, forged.length]).toEqual([900, 100]);
		expect(new Set(genuine.map(({ status }) => status))).toEqual(new Set([200]));
		expect(new Set(forged.map(({ status }) => status))).toEqual(new Set([401]));

		const events = new Set(genuine.map(({ deliveryId }) => deliveryId));
		const { all, missing } = await waitFor(
			'every event to be executed',
			async () => {
				const all = await executions();
				const succeeded = new Set(all.filter(hasSucceeded).map(({ deliveryId }) => deliveryId));
				const missing = [...events].filter((deliveryId) => !succeeded.has(deliveryId));
				// What a worker had in hand when it was killed n8n does not run again, but shows.
				const broken = all.filter((execution) => !hasSucceeded(execution));
				return missing.length <= Math.min(broken.length, WORKER_CONCURRENCY) && { all, missing };
			},
			{ timeoutMs: 120_000, everyMs: 2000 },
		);

		const executed = all.filter(hasSucceeded).map(({ deliveryId }) => deliveryId);
		expect(events.size).toBe(800);
		expect(executed.filter((deliveryId) => deliveryId.startsWith('forgery'))).toEqual([]);
		expect(missing.length).toBeLessThanOrEqual(WORKER_CONCURRENCY);
		for (const deliveryId of events) {
			const sent = genuine.filter((delivery) => delivery.deliveryId === deliveryId);
			// The killed process came back with nothing remembered, so it may start an event twice.
			const most = new Set(sent.flatMap(({ process }) => (process === 1 ? ['1', '1 anew'] : ['0'])))
				.size;
			expect(executed.filter((id) => id === deliveryId).length).toBeLessThanOrEqual(most);
		}
	});
});

function hasSucceeded({ status }: StoredExecution): boolean {
	return status === 'success';
}

async function killAndRestart(host: N8nHost): Promise<void> {
	await host.kill();
	await host.restart();
}
