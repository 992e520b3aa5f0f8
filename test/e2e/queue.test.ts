// n8n in queue mode: deliveries to several processes, of which some are stopped and killed.
// Takes minutes: five n8n processes start, five times one of them anew.
import { setTimeout as sleep } from 'node:timers/promises';

import { SIGN_OF_LIFE } from '../../nodes/CompanyRegistry/trigger/memory/phase';
import { WAITS } from '../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import { withCredential } from '../n8n-host/exampleWorkflows';
import { errorOf } from '../n8n-host/execution';
import type { N8nHost } from '../n8n-host/n8nProcess';
import { waitFor } from '../n8n-host/waitFor';
import { startSimulator, type Simulator } from '../simulator';
import { addWitness } from '../support/witnesses';
import { startCluster, type Cluster } from './queue/cluster';
import { planDeliveries, sendAll } from './queue/deliveries';
import { storedExecutions, type StoredExecution } from './queue/executions';
import { REMOVE_DUPLICATES, TRIGGER, watchingWorkflow } from './queue/workflow';

const { TEST_REDIS_URL, TEST_POSTGRES_URL } = process.env;
const COMPANIES = 40;
/** n8n's default for a worker: so many executions it may have in hand when it is killed. */
const WORKER_CONCURRENCY = 10;
/** Milliseconds after which an unpublish would have begun to pause. */
const PAUSING_BEGINS = WAITS.beforePausing + 1_000;

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
		const { client, main, webhooks, workers } = cluster;
		for (const [index, host] of [main, ...webhooks, ...workers].entries()) {
			addWitness({ name: `n8n process ${index + 1}`, log: () => host.logs() });
		}
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
			[25, async () => await stoppedWorker.restart()],
			[50, async () => await killAndRestart(killedReceiver)],
			[75, async () => await killAndRestart(killedWorker)],
		]);
		const planned = planDeliveries(simulator.webhooks(), {
			events: 100,
			repeats: 12,
			forgeries: 12,
		});
		const underWay: Array<Promise<void> | undefined> = [];

		const answered = await sendAll(simulator, cluster.webhooks, planned, (count) => {
			underWay.push(disturbances.get(count)?.());
		});
		await Promise.all(underWay);

		const genuine = answered.filter(({ isGenuine }) => isGenuine);
		const forged = answered.filter(({ isGenuine }) => !isGenuine);
		expect([genuine.length, forged.length]).toEqual([112, 12]);
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
		expect(events.size).toBe(100);
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

	describe('a published trigger is changed', () => {
		beforeEach(() => {
			// So that a change takes seconds.
			simulator.latencyMs = 400;
			simulator.clearRequests();
		});
		afterEach(() => {
			simulator.latencyMs = 0;
		});

		const isPause = ({ body }: { body: unknown }) => JSON.stringify(body) === '{"is_active":false}';
		const sent = (method: string) => simulator.requests.filter((one) => one.method === method);

		/** Saves the workflow with so many companies and these events, without publishing it. */
		async function change(companies: number, events: string[]): Promise<void> {
			const { nodes } = watchingWorkflow(companies);
			const { nodes: saved } = await cluster.client.workflow(workflowId);
			const [{ parameters }] = nodes;
			await cluster.client.updateWorkflow(workflowId, {
				nodes: saved.map((node) =>
					node.name === TRIGGER ? { ...node, parameters: { ...parameters, events } } : node,
				),
			});
		}

		function expectOneEach(companies: number, events: string[]): void {
			const all = simulator.webhooks();
			expect(new Set(all.map(({ company_number }) => company_number)).size).toBe(companies);
			expect(all).toHaveLength(companies);
			for (const webhook of all) expect(webhook).toMatchObject({ is_active: true, events });
		}

		test('by a main process that was restarted since: the difference is sent, and deliveries go on', async () => {
			await cluster.main.restart();
			await change(COMPANIES + 1, ['filing.new']);
			const staying = simulator.webhooks();
			const planned = planDeliveries(staying, { events: 50, repeats: 0, forgeries: 0 });
			const renamed = planned.map((one) => ({ ...one, deliveryId: `change-${one.deliveryId}` }));

			const answering = sendAll(simulator, cluster.webhooks, renamed);
			await cluster.client.waitUntilPublished(workflowId, { timeoutMs: 60_000 });
			const answered = await answering;
			// Whatever might still be paused in the background.
			await sleep(PAUSING_BEGINS);

			expect([sent('GET').length, sent('POST').length, sent('PATCH').length]).toEqual([1, 1, 0]);
			expectOneEach(COMPANIES + 1, ['filing.new']);
			const taken = answered.filter(({ status }) => status === 200).length;
			// n8n has no route for a moment.
			expect(answered.filter(({ status }) => ![200, 404].includes(status))).toEqual([]);
			expect(taken).toBeGreaterThan(31);
		});

		test('to 1,000 companies, and its main process is killed in the middle: what was stored is verified, a failed execution says how much is left, and publishing again does that and no more', async () => {
			const { client, main, webhooks } = cluster;
			const events = ['filing.new', 'psc.added'];
			// Ten at a time: n8n has its answer before all are made.
			simulator.latencyMs = 1000;
			await change(1000, events);
			await client.waitUntilPublished(workflowId, { timeoutMs: 120_000 });
			const atAnswer = simulator.webhooks().length;
			await waitFor('some more', () => simulator.webhooks().length >= atAnswer + 150);
			await main.kill();
			simulator.latencyMs = 0;
			await main.restart();
			const made = simulator.webhooks();
			expect(made.length).toBeLessThan(1000);
			await sleep(SIGN_OF_LIFE.missedAfter);

			const stored = JSON.stringify((await client.workflow(workflowId)).staticData);
			const known = made.filter(({ secret }) => stored.includes(secret));
			expect(known.length).toBeGreaterThan(atAnswer);
			expect(made.length - known.length).toBeLessThanOrEqual(100);
			const planned = planDeliveries(known.reverse(), { events: 40, repeats: 0, forgeries: 0 });
			const after = planned.map((one) => ({ ...one, deliveryId: `after-${one.deliveryId}` }));
			const answered = await sendAll(simulator, webhooks, after);
			expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([200]));
			const latest = await Promise.all(
				(await client.executions(workflowId)).map(async ({ id }) => await client.execution(id)),
			);
			const told = latest.map(errorOf).filter((text) => text?.includes('was interrupted'));
			const left = `${1000 - known.length} of its webhooks are not as wanted`;
			// Once by each process that receives.
			expect(told).toEqual([expect.stringContaining(left), expect.stringContaining(left)]);

			simulator.clearRequests();
			await client.unpublish(workflowId);
			await client.waitUntilPublished(workflowId, { timeoutMs: 60_000 });
			await sleep(PAUSING_BEGINS);
			expect(simulator.requests.filter(isPause)).toEqual([]);
			const added = simulator.webhooks().slice(made.length);
			expect(added).toHaveLength(1000 - known.length);
			expect(sent('POST')).toHaveLength(added.length);
			const all = new Set([...known, ...added].map(({ company_number }) => company_number));
			expect(all.size).toBe(1000);
		});
	});
});

function hasSucceeded({ status }: StoredExecution): boolean {
	return status === 'success';
}

async function killAndRestart(host: N8nHost): Promise<void> {
	await host.kill();
	await host.restart();
}
