import type { INode } from 'n8n-workflow';

import { exampleWorkflow, withCredential } from '../../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../../n8n-host/execution';
import type { Credential, Execution, WorkflowRecord } from '../../n8n-host/n8nTypes';
import type { Account, DeliveryRequest, StoredWebhook } from '../../simulator';
import type { Surroundings } from '../surroundings';

/** An example in n8n, its credentials chosen: of an account of its own, so that no other example's webhooks show. */
export interface ImportedExample {
	workflow: WorkflowRecord;
	account: Account;
	credential: Credential;
	/** Of its account, in order of creation. */
	webhooks(): StoredWebhook[];
}

/** Imports `examples/<name>.json` and chooses credentials, and nothing else. */
export async function importExample(
	{ client, simulator }: Surroundings,
	name: string,
): Promise<ImportedExample> {
	const account = simulator.addAccount();
	const credential = await client.createCredential({
		name: `Company Registry of ${name}`,
		type: 'companyRegistryApi',
		data: { baseUrl: simulator.url, apiKey: account.apiKey },
	});
	const workflow = await client.createWorkflow(withCredential(exampleWorkflow(name), credential));
	return { workflow, account, credential, webhooks: () => simulator.webhooks(account.apiKey) };
}

export async function publishExample(
	surroundings: Surroundings,
	name: string,
): Promise<ImportedExample> {
	const example = await importExample(surroundings, name);
	await surroundings.client.waitUntilPublished(example.workflow.id);
	return example;
}

/** Changes parameters of one node as a user does, saves and publishes. */
export async function publishChange(
	{ client }: Surroundings,
	{ workflow }: ImportedExample,
	nodeName: string,
	changes: INode['parameters'],
): Promise<void> {
	const nodes = workflow.nodes.map((node) =>
		node.name === nodeName ? { ...node, parameters: { ...node.parameters, ...changes } } : node,
	);
	await client.updateWorkflow(workflow.id, { nodes });
	await client.waitUntilPublished(workflow.id);
}

/** Delivers to the example's webhook of that company and waits for the execution that this starts. */
export async function deliverTo(
	{ client, simulator, ca }: Surroundings,
	{ workflow, webhooks }: ImportedExample,
	companyNumber: string,
	delivery: DeliveryRequest,
): Promise<Execution> {
	const webhook = webhooks().find(({ company_number }) => company_number === companyNumber);
	if (!webhook) throw new Error(`Nothing watches ${companyNumber}`);
	const before = await client.executions(workflow.id);
	const { status, body } = await simulator.deliver(webhook.id, { ca, ...delivery });
	if (status !== 200 || body !== '') throw new Error(`n8n answered ${status}: ${body}`);
	return await client.waitForNextExecution(workflow.id, before);
}

/** What a node put out in an execution that went well. */
export function jsonOf(execution: Execution, nodeName: string, output = 0) {
	const error = errorOf(execution);
	if (error !== undefined) throw new Error(`The execution failed: ${error}`);
	return outputOf(execution, nodeName, output).map(({ json }) => json);
}
