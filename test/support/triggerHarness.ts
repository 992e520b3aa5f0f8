import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { CompanyRegistryTrigger } from '../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import { startSimulator, type Simulator, type SimulatorOptions } from '../simulator';
import { startTlsProxy, type TlsProxy } from '../simulator/tlsProxy';
import { testWorkflow, type NodeSetup, type TestWorkflow } from './contexts';
import { callHook, register } from './savedWorkflow';
import { settled } from './settled';
import { startWebhookServer, type WebhookServer } from './webhookServer';

/** A trigger node in real n8n-core contexts, between the stand-in service and an https front. */
export interface TriggerHarness {
	simulator: Simulator;
	server: WebhookServer;
	proxy: TlsProxy;
	/** A workflow as n8n builds it for a life-cycle run: from its definition and saved static data. */
	workflow(setup?: Partial<NodeSetup>): TestWorkflow;
	/** checkExists and, when that is false, create: as n8n publishes. */
	publish(workflow: TestWorkflow, options?: { isTest?: boolean }): Promise<void>;
	unpublish(workflow: TestWorkflow, options?: { isTest?: boolean }): Promise<void>;
	/** Serves the trigger's webhook; what it hands over is collected. */
	serve(workflow: TestWorkflow, options?: { isTest?: boolean }): INodeExecutionData[][];
	close(): Promise<void>;
}

let harnesses = 0;

export async function startTriggerHarness(options?: SimulatorOptions): Promise<TriggerHarness> {
	const simulator = await startSimulator(options);
	const server = await startWebhookServer();
	const proxy = await startTlsProxy({ targetPort: server.port });
	const node = new CompanyRegistryTrigger();
	// The trigger's memory outlives a test: no two tests share a workflow.
	const workflowId = `harness-${++harnesses}`;
	return {
		simulator,
		server,
		proxy,
		workflow: (setup = {}) =>
			testWorkflow({
				nodeType: node,
				workflowId,
				credentials: { companyRegistryApi: { baseUrl: simulator.url, apiKey: simulator.apiKey } },
				webhookBaseUrl: `${proxy.url}/webhook`,
				webhookTestBaseUrl: `${proxy.url}/webhook-test`,
				...setup,
			}),
		publish: async (workflow, { isTest } = {}) => {
			await register(workflow, isTest);
			await settled(workflow);
		},
		unpublish: async (workflow, { isTest } = {}) => {
			await callHook('delete', workflow, isTest);
			await settled(workflow);
		},
		serve: (workflow, { isTest } = {}) => {
			const executions: INodeExecutionData[][] = [];
			server.serve(workflow, { isTest, execute: (items) => void executions.push(items) });
			return executions;
		},
		close: async () => {
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

/** Static data as n8n saves and loads it. */
export function saved(workflow: TestWorkflow): IDataObject {
	return JSON.parse(JSON.stringify(workflow.workflow.staticData)) as IDataObject;
}
