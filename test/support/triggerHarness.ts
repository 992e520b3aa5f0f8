import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { endServer, listen } from '../n8n-host/ports';
import type { DeliveryRequest, StoredWebhook } from '../simulator';
import { signDelivery, type CustomScheme, type SchemeName } from '../simulator/signing';
import { startTlsProxy } from '../simulator/tlsProxy';
import { startService } from './atService';
import { testWorkflow, type NodeSetup, type TestWorkflow } from './contexts';
import { watch, watching } from './savedWorkflow';
import { webhookApp, type Served } from './webhookServer';

export type TriggerHarness = Awaited<ReturnType<typeof startTriggerHarness>>;

/** A trigger node in real n8n-core contexts, between the simulated service and an https front. */
export async function startTriggerHarness() {
	const simulator = await startService();
	let served: Served | undefined;
	const server = createServer(webhookApp(() => served));
	const port = await listen(server);
	const proxy = await startTlsProxy({ targetPort: port });
	const setup = {
		webhookBaseUrl: `${proxy.url}/webhook`,
		webhookTestBaseUrl: `${proxy.url}/webhook-test`,
	};
	return {
		simulator,
		proxy,
		server: {
			/** Plain http; the proxy is in front of it. */
			url: `http://127.0.0.1:${port}`,
			/** Nothing is served any more, as after deactivation. */
			unserve: () => {
				served = undefined;
			},
		},
		/** A workflow that watches these companies, at the address of the proxy. */
		watch: (companies: string[], changes: Partial<NodeSetup> = {}) =>
			watch(simulator, companies, { ...setup, ...changes }),
		/**
		 * From now on requests to the trigger's webhook path reach its `webhook()`; what it hands over is collected.
		 * @param execute stands for n8n's execution queue, which may fail
		 */
		serve(
			workflow: TestWorkflow,
			{ isTest, execute }: { isTest?: boolean; execute?: () => void } = {},
		): INodeExecutionData[][] {
			const executions: INodeExecutionData[][] = [];
			const handOver = (items?: INodeExecutionData[]) => {
				if (items) executions.push(items);
				if (items) execute?.();
			};
			served = { workflow, isTest, handOver };
			return executions;
		},
		async close(): Promise<void> {
			await proxy.close();
			await endServer(server);
			await simulator.close();
		},
	};
}

/** A published trigger that deliveries can be sent to, served from its saved static data. */
export type PublishedTrigger = Awaited<ReturnType<typeof startPublishedTrigger>>;

/** Of a delivery, whatever it is: nothing is written, read of a credential or asked of the service. */
export const NO_TRACES = { isWritten: false, credentialReads: 0, requests: [] };

export const referenceOf = ({ url }: StoredWebhook) => new URL(url).searchParams.get('ref');

/** Headers of a delivery that is signed with the webhook's secret now. */
export function signedFor(
	{ secret, url }: StoredWebhook,
	scheme: SchemeName | CustomScheme,
	body: Buffer,
	id: string = randomUUID(),
) {
	const timestamp = Math.floor(Date.now() / 1000);
	return signDelivery(scheme, { secret, body, id, timestamp, url });
}

/** @param rows numbers, perhaps with names behind tabs */
export async function startPublishedTrigger(...rows: string[]) {
	const harness = await startTriggerHarness();
	const { simulator, proxy } = harness;
	const published = harness.watch(rows);
	// Who waits for this has nothing to close where it fails, and the tests would not end.
	await published.publish().catch(async (failure: unknown) => {
		await harness.close();
		throw failure;
	});
	const companies = rows.map((row) => row.split('\t')[0]);
	const webhooks = companies.flatMap((company) =>
		simulator.webhooks().filter((one) => one.company_number === company),
	);
	const { staticData, setup } = published;
	const workflowId = String(setup.workflowId);
	simulator.clearRequests();
	let workflow = published.load();
	return {
		harness,
		/** In the order of the companies. */
		webhooks,
		/** Serves the trigger with these options and other parameters; `execute` stands for n8n's execution queue. */
		serve(
			options: INodeParameters = {},
			changes: INodeParameters = {},
			execute?: () => void,
		): INodeExecutionData[][] {
			const parameters = { ...watching(rows), options, ...changes };
			workflow = testWorkflow({ ...setup, parameters, staticData: structuredClone(staticData) });
			return harness.serve(workflow, { execute });
		},
		/** The trigger with this changed in what is stored of it; this process remembers nothing of it unless it is named. */
		storedWith(
			text: string | RegExp,
			changed: string,
			{ id = randomUUID() as string, parameters = workflow.node.parameters } = {},
		): TestWorkflow {
			const stored = JSON.stringify(staticData).replace(text, changed).replaceAll(workflowId, id);
			return testWorkflow({ ...setup, workflowId: id, parameters, staticData: JSON.parse(stored) });
		},
		/** What the trigger that was served last has done beside its answers. */
		traces: () => ({
			isWritten: workflow.workflow.staticData.__dataChanged,
			credentialReads: workflow.credentials.reads,
			requests: simulator.requests,
		}),
		/** The workflow served last. */
		served: () => workflow,
		/** Delivers over https to the first webhook, or to another. */
		deliver: async (delivery: DeliveryRequest, { id } = webhooks[0]) =>
			await simulator.deliver(id, { ca: proxy.ca, ...delivery }),
		close: harness.close,
	};
}
