import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { CompanyRegistryTrigger } from '../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { startSimulator } from '../simulator';
import { startTlsProxy } from '../simulator/tlsProxy';
import { testWorkflow, type NodeSetup, type TestWorkflow } from './contexts';
import { callHook, register } from './savedWorkflow';
import { settled } from './settled';
import { startWebhookServer, type ServedWebhook } from './webhookServer';

export { saved } from './savedWorkflow';

export type TriggerHarness = Awaited<ReturnType<typeof startTriggerHarness>>;

let harnesses = 0;

/** A trigger node in real n8n-core contexts, between the stand-in service and an https front. */
export async function startTriggerHarness() {
	const simulator = await startSimulator();
	const server = await startWebhookServer();
	const proxy = await startTlsProxy({ targetPort: server.port });
	const node = new CompanyRegistryTrigger();
	// The trigger's memory outlives a test: no two tests share a workflow.
	const workflowId = `harness-${++harnesses}`;
	return {
		simulator,
		server,
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
		async publish(
			workflow: TestWorkflow,
			{ isTest }: Pick<ServedWebhook, 'isTest'> = {},
		): Promise<void> {
			await register(workflow, isTest);
			await settled(workflow);
		},
		async unpublish(
			workflow: TestWorkflow,
			{ isTest }: Pick<ServedWebhook, 'isTest'> = {},
		): Promise<void> {
			await callHook('delete', workflow, isTest);
			await settled(workflow);
		},
		/** Serves the trigger's webhook; what it hands over is collected. */
		serve(workflow: TestWorkflow, { isTest, execute }: ServedWebhook = {}): INodeExecutionData[][] {
			const executions: INodeExecutionData[][] = [];
			server.serve(workflow, {
				isTest,
				execute: async (items) => {
					executions.push(items);
					await execute?.(items);
				},
			});
			return executions;
		},
		async close(): Promise<void> {
			await proxy.close();
			await server.close();
			await simulator.close();
		},
	};
}

/** Parameters that watch these companies. */
export function watching(...companyNumbers: string[]): INodeParameters {
	return { companiesFrom: 'numbers', companyNumbers: companyNumbers.join('\n') };
}
