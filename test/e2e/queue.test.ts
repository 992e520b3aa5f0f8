// n8n in queue mode: deliveries to several processes, of which some are killed.
// Takes minutes: five n8n processes start, and three times one of them again.
import { setTimeout as sleep } from 'node:timers/promises';

import { chunk, unzip } from 'lodash';

import { Cleanups } from '../n8n-host/cleanups';
import { withParameters } from '../n8n-host/exampleWorkflows';
import { outputOf } from '../n8n-host/execution';
import type { N8nHost } from '../n8n-host/n8nProcess';
import type { Credential } from '../n8n-host/n8nTypes';
import { waitFor } from '../n8n-host/waitFor';
import { startSimulator, type Simulator } from '../simulator';
import { startCluster, type Cluster } from './queue/cluster';
import { planDeliveries, sendAll } from './queue/deliveries';
import {
	TRIGGER,
	atStake,
	companyNumbers,
	failures,
	publishedWatcher,
	successfulDeliveries,
	waitUntilStored,
	watcher,
} from './reliability/watchers';
import { E2E_TIMEOUT_MS, keepLog } from './surroundings';

const { TEST_REDIS_URL, TEST_POSTGRES_URL } = process.env;
const COMPANIES = 40;
const MANY = 1000;
/** n8n's default for a worker: so many executions it may have in hand when it is killed. */
const WORKER_CONCURRENCY = 10;

jest.setTimeout(E2E_TIMEOUT_MS);

// `npm test` names both, where they are found, and says so loudly where they are not.
const withBackends = TEST_REDIS_URL && TEST_POSTGRES_URL ? describe : describe.skip;

withBackends('n8n in queue mode, on the settings of deploy/n8n.env', () => {
	const cleanups = new Cleanups();
	let simulator: Simulator;
	let cluster: Cluster;
	let credential: Credential;
	let workflowId: string;

	beforeAll(async () => {
		simulator = await startSimulator();
		cleanups.add('stop the simulator', async () => await simulator.close());
		cluster = await startCluster(cleanups, String(TEST_REDIS_URL), String(TEST_POSTGRES_URL));
		const { client, running } = cluster;
		for (const [index, host] of running.entries()) keepLog(cleanups, host, `process-${index + 1}`);
		credential = await client.createRegistryCredential(simulator);
		const watched = { client, credential };
		workflowId = (await publishedWatcher(watched, companyNumbers(COMPANIES))).id;
	});

	afterAll(async () => await cleanups.run());

	const executed = async () => await successfulDeliveries(cluster.client, workflowId);

	// OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS, the rule in n8n 3, has workers run them.
	test('Execute step shows a sample, which a worker runs', async () => {
		const { client, workers } = cluster;
		const draft = watcher(credential, companyNumbers(2, 20_000_000));
		const { id } = await client.createWorkflow(draft);
		const requests = simulator.requests.length;
		await client.listenForTestEvent(id, TRIGGER);
		const execution = await client.waitForNextExecution(id);
		const sample = { company_number: '20000000', payload: { sample: true } };
		expect(outputOf(execution, TRIGGER)).toMatchObject([{ json: sample }]);
		const isRunBy = (worker: N8nHost) =>
			worker.logs().includes(`Worker started execution ${execution.id} `);
		expect(workers.filter(isRunBy)).toHaveLength(1);
		expect(simulator.requests).toHaveLength(requests);
	});

	test('a repeat starts the workflow once in each process that it reaches', async () => {
		const [event] = planDeliveries(simulator.webhooks(), 'in-turn', 1);
		for (const [index, process] of ([0, 1, 0, 1] as const).entries()) {
			const repeat = { ...event, process };
			expect(await sendAll(simulator, cluster.webhooks, [repeat])).toMatchObject([{ status: 200 }]);
			const count = Math.min(index + 1, 2);
			await waitFor(`${count} executions to end`, async () => (await executed()).length === count);
		}
		expect(await executed()).toEqual(['in-turn-0', 'in-turn-0']);
	});

	test('every event is executed but what a killed worker had in hand, and no forgery, while processes are killed', async () => {
		const [, killedReceiver] = cluster.webhooks;
		const [killedWorker] = cluster.workers;
		const disturbances = new Map([
			[12, async () => await killAndRestart(killedReceiver)],
			[36, async () => await killAndRestart(killedWorker)],
		]);
		const webhooks = simulator.webhooks();
		const first = planDeliveries(webhooks, 'event', 50);
		/** Half to the other process. */
		const repeats = first.slice(0, 8).map((event, index) => ({
			...event,
			process: index % 4 < 2 ? ((1 - event.process) as 0 | 1) : event.process,
		}));
		const forgeries = planDeliveries(webhooks, 'forgery', 6);
		// Mixed, in an order that is the same in every run.
		const planned = unzip(chunk([...first, ...repeats, ...forgeries], 8)).flat();
		const underWay: Array<Promise<void> | undefined> = [];

		const answered = await sendAll(simulator, cluster.webhooks, planned, (count) => {
			underWay.push(disturbances.get(count)?.());
		});
		await Promise.all(underWay);

		const genuine = answered.filter(({ isGenuine }) => isGenuine);
		const forged = answered.filter(({ isGenuine }) => !isGenuine);
		expect([genuine.length, forged.length]).toEqual([58, 6]);
		expect(new Set(genuine.map(({ status }) => status))).toEqual(new Set([200]));
		expect(new Set(forged.map(({ status }) => status))).toEqual(new Set([401]));

		const events = new Set(genuine.map(({ deliveryId }) => deliveryId));
		const ended = await waitFor(
			'every event to be executed',
			async () => {
				const all = await executed();
				const missing = [...events].filter((deliveryId) => !all.includes(deliveryId));
				// What a worker had in hand when it was killed n8n does not run again, but shows.
				const broken = (await cluster.client.executions(workflowId)).filter(
					({ status }) => status !== 'success',
				);
				return missing.length <= Math.min(broken.length, WORKER_CONCURRENCY) && all;
			},
			{ everyMs: 2000 },
		);

		expect(events.size).toBe(50);
		expect(ended.filter((deliveryId) => deliveryId.startsWith('forgery'))).toEqual([]);
		for (const deliveryId of events) {
			const sent = genuine.filter((delivery) => delivery.deliveryId === deliveryId);
			// The killed process came back with nothing remembered, so it may start an event twice.
			const most = new Set(
				sent.flatMap(({ process }) => (process === 1 ? ['1', '1 restarted'] : ['0'])),
			).size;
			expect(ended.filter((id) => id === deliveryId).length).toBeLessThanOrEqual(most);
		}
	});

	test('the main process is killed in the middle of a change to 1,000 companies: what was stored is verified by every process, and the rest follows after the start', async () => {
		const { client, main, webhooks } = cluster;
		const events = ['filing.new', 'psc.added'];
		// Ten at a time: n8n has its answer before all are created.
		simulator.latencyMs = 2000;
		const changes = { companyNumbers: companyNumbers(MANY).join('\n'), events };
		const { nodes } = withParameters(await client.workflow(workflowId), TRIGGER, changes);
		await client.publishChanges(workflowId, { nodes });
		const atAnswer = simulator.webhooks().length;
		await waitFor('some more', () => simulator.webhooks().length >= atAnswer + 50);
		await main.kill();
		// What was under way at the service ends there.
		await sleep(2 * simulator.latencyMs + 1_000);
		simulator.latencyMs = 0;
		const made = simulator.webhooks();
		expect(made.length).toBeLessThan(MANY);
		const stored = await main.restart().then(async () => await client.workflow(workflowId));
		const isKnown = ({ secret }: { secret: string }) =>
			JSON.stringify(stored.staticData).includes(secret);
		const known = made.filter(isKnown);
		expect(known.length).toBeGreaterThan(atAnswer);
		const lost = made.length - known.length;
		expect(lost).toBeLessThanOrEqual(atStake(MANY));

		await waitUntilStored({ client, simulator }, stored, companyNumbers(MANY));
		// Only what was not stored is created twice.
		expect(simulator.webhooks()).toHaveLength(MANY + lost);
		const some = [...known.slice(-20), ...simulator.webhooks().slice(-20)];
		const answered = await sendAll(simulator, webhooks, planDeliveries(some, 'after', 40));
		expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([200]));
		const reported = async () =>
			(await failures(client, workflowId)).filter((text) =>
				text?.includes('another active webhook'),
			);
		// By a worker, in the shape that error workflows know.
		if (lost > 0) await waitFor('a report', async () => (await reported()).length > 0);
		expect(await reported()).toHaveLength(lost > 0 ? 1 : 0);
	});
});

async function killAndRestart(host: N8nHost): Promise<void> {
	await host.kill();
	await host.restart();
}
