import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { CompanyRegistryTrigger } from '../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import type { DeliveryRequest } from '../simulator';
import { startTlsProxy } from '../simulator/tlsProxy';
import { Activation, callHook, register } from './activation';
import { startService } from './atService';
import { testWorkflow, type NodeSetup, type TestWorkflow } from './contexts';
import { settled } from './loadedTriggers';
import { saved } from './savedWorkflow';
import { webhookApp, type Served } from './webhookServer';

export type TriggerHarness = Awaited<ReturnType<typeof startTriggerHarness>>;

/** A trigger node in real n8n-core contexts, between the simulated service and an https front. */
export async function startTriggerHarness() {
	const simulator = await startService();
	let served: Served | undefined;
	const server = createServer(webhookApp(() => served)).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const proxy = await startTlsProxy({ targetPort: port });
	const node = new CompanyRegistryTrigger();
	// The trigger's memory outlives a test: no two tests share a workflow.
	const workflowId: string = randomUUID();
	return {
		simulator,
		/** Plain http; the proxy is in front of it. */
		server: {
			url: `http://127.0.0.1:${port}`,
			/** Nothing is served any more, as after deactivation. */
			unserve: () => {
				served = undefined;
			},
		},
		proxy,
		/** A workflow as n8n builds it for a life-cycle run: from its definition and saved static data. */
		workflow: (setup: Partial<NodeSetup> = {}) =>
			testWorkflow({
				nodeType: node,
				workflowId,
				credentials: { companyRegistryApi: { baseUrl: simulator.url, apiKey: simulator.apiKey } },
				webhookBaseUrl: `${proxy.url}/webhook`,
				webhookTestBaseUrl: `${proxy.url}/webhook-test`,
				...setup,
			}),
		async publish(workflow: TestWorkflow, { isTest = false } = {}): Promise<void> {
			const n8n = { save: () => undefined, execution: () => undefined };
			if (isTest) await register(workflow, true);
			else await new Activation(n8n, workflow).begin('activate');
			await settled(workflow);
		},
		async unpublish(workflow: TestWorkflow, { isTest = false } = {}): Promise<void> {
			await callHook('delete', workflow, isTest);
			await settled(workflow);
		},
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
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
			await simulator.close();
		},
	};
}

/** Parameters that watch these companies. */
export function watching(...companyNumbers: string[]): INodeParameters {
	return { companiesFrom: 'numbers', companyNumbers: companyNumbers.join('\n') };
}

/** A published trigger that deliveries can be sent to, served from its saved static data. */
export type PublishedTrigger = Awaited<ReturnType<typeof startPublishedTrigger>>;

/** Of a delivery, whatever it is: nothing is written, read of a credential or asked of the service. */
export const NO_TRACES = { isWritten: false, credentialReads: 0, requests: [] };

export async function startPublishedTrigger(...companies: string[]) {
	const harness = await startTriggerHarness();
	const published = harness.workflow({ parameters: watching(...companies) });
	const workflowId = published.workflow.id;
	// Who waits for this has nothing to close where it fails, and the tests would not end.
	await harness.publish(published).catch(async (failure: unknown) => {
		await harness.close();
		throw failure;
	});
	const created = harness.simulator.webhooks();
	const webhooks = companies.flatMap((company) =>
		created.filter((one) => one.company_number === company),
	);
	const staticData = saved(published);
	harness.simulator.clearRequests();
	let workflow = published;
	/** Delivers over https to the first webhook, or to another. */
	const deliver = async (delivery: DeliveryRequest, { id } = webhooks[0]) =>
		await harness.simulator.deliver(id, { ca: harness.proxy.ca, ...delivery });
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
			const parameters = { ...watching(...companies), options, ...changes };
			workflow = harness.workflow({ parameters, staticData });
			return harness.serve(workflow, { execute });
		},
		/** The trigger with this changed in what is stored of it; this process remembers nothing of it unless it is named. */
		storedWith(
			text: string | RegExp,
			changed: string,
			{ id = randomUUID() as string, parameters = workflow.node.parameters } = {},
		): TestWorkflow {
			const stored = JSON.stringify(staticData).replace(text, changed).replaceAll(workflowId, id);
			return harness.workflow({ workflowId: id, parameters, staticData: JSON.parse(stored) });
		},
		/** What the trigger that was served last has done beside its answers. */
		traces: () => ({
			isWritten: workflow.workflow.staticData.__dataChanged,
			credentialReads: workflow.credentials.reads,
			requests: harness.simulator.requests,
		}),
		/** The workflow served last. */
		served: () => workflow,
		deliver,
		close: harness.close,
	};
}
