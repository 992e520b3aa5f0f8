import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { CompanyRegistryTrigger } from '../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { startSimulator } from '../simulator';
import { startTlsProxy } from '../simulator/tlsProxy';
import { testWorkflow, type NodeSetup, type TestWorkflow } from './contexts';
import { settled } from './loadedTriggers';
import { Activation, callHook, register } from './activation';
import { answerRequest, webhookApp, type Served } from './webhookServer';

export { saved } from './savedWorkflow';

export type TriggerHarness = Awaited<ReturnType<typeof startTriggerHarness>>;

let harnesses = 0;

/** A trigger node in real n8n-core contexts, between the stand-in service and an https front. */
export async function startTriggerHarness() {
	const simulator = await startSimulator();
	let served: Served | undefined;
	const app = webhookApp(async (request, response) => {
		await answerRequest(served, request, response).catch((error: Error) => {
			response.status(500).json({ code: 0, message: error.message });
		});
	});
	const server = createServer(app).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const proxy = await startTlsProxy({ targetPort: port });
	const node = new CompanyRegistryTrigger();
	// The trigger's memory outlives a test: no two tests share a workflow.
	const workflowId = `harness-${++harnesses}`;
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
		 * @param execute takes it over then, as n8n's execution queue does
		 */
		serve(
			workflow: TestWorkflow,
			{
				isTest,
				execute,
			}: { isTest?: boolean; execute?: (items: INodeExecutionData[]) => unknown } = {},
		): INodeExecutionData[][] {
			const executions: INodeExecutionData[][] = [];
			const handOver = async (items?: INodeExecutionData[]) => {
				if (items) executions.push(items);
				if (items) await execute?.(items);
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
