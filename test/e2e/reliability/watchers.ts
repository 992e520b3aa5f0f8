import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { outputOf } from '../../n8n-host/execution';
import type { N8nClient } from '../../n8n-host/n8nClient';
import type { Credential, WorkflowFile } from '../../n8n-host/n8nTypes';
import { waitFor, type WaitOptions } from '../../n8n-host/waitFor';
import type { Simulator, StoredWebhook } from '../../simulator';

export const TRIGGER = 'Company Registry Trigger';

/** A busy machine takes long for an n8n start: waits are generous, assertions are not. */
export const PATIENCE: WaitOptions = { timeoutMs: 240_000 };

/** Deliveries are sent again as senders do: n8n closes idle connections, now and then one just in use. */
export const PERSISTENT = { retries: 3, maxRetryWaitMs: 500 };

/** A workflow that holds nothing but a trigger; ids are new with every call, as the editor makes them. */
export function watcher(
	credential: Credential,
	companies: string[],
	parameters: INodeParameters = {},
): WorkflowFile {
	const { id, name, type } = credential;
	return {
		name: `Watches ${companies.length}`,
		nodes: [
			{
				id: randomUUID(),
				webhookId: randomUUID(),
				name: TRIGGER,
				type: 'n8n-nodes-company-registry.companyRegistryTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {
					companiesFrom: 'numbers',
					companyNumbers: companies.join('\n'),
					events: ['filing.new'],
					options: {},
					...parameters,
				},
				credentials: { [type]: { id, name } },
			},
		],
		connections: {},
		settings: { executionOrder: 'v1' },
	};
}

/** The workflow with its trigger changed. */
export function withTrigger<Workflow extends WorkflowFile>(
	workflow: Workflow,
	{ name, parameters }: { name?: string; parameters?: INodeParameters },
): Workflow {
	const [trigger] = workflow.nodes;
	const changed = {
		...trigger,
		name: name ?? trigger.name,
		parameters: { ...trigger.parameters, ...parameters },
	};
	return { ...workflow, nodes: [changed] };
}

/** That many different company numbers, beginning with `first`. */
export function companyNumbers(count: number, first = 10_000_000): string[] {
	return Array.from({ length: count }, (_, index) => String(first + index));
}

/** The webhooks that deliver to one trigger, by the path of its destination. */
export function webhooksOf(
	simulator: Simulator,
	{ nodes: [{ webhookId }] }: WorkflowFile,
): StoredWebhook[] {
	return simulator.webhooks().filter(({ url }) => url.includes(`/webhook/${webhookId}/`));
}

/** Waits for what unpublishing does in the background: no webhook is active any more. */
export async function waitUntilPaused(webhooks: () => StoredWebhook[]): Promise<void> {
	await waitFor(
		'all webhooks to be paused',
		() => webhooks().every(({ is_active }) => !is_active),
		PATIENCE,
	);
}

export function testWebhooks(simulator: Simulator): StoredWebhook[] {
	return simulator.webhooks().filter(({ url }) => url.includes('/webhook-test/'));
}

/** The `delivery_id` of every item that the workflow has put out, once all its executions have finished. */
export async function executedDeliveries(client: N8nClient, workflowId: string): Promise<string[]> {
	const executions = await client.executions(workflowId);
	await Promise.all(executions.map(async ({ id }) => await client.waitForExecution(id, PATIENCE)));
	return await successfulDeliveries(client, workflowId);
}

/** The same of the executions that have succeeded by now. */
export async function successfulDeliveries(
	client: N8nClient,
	workflowId: string,
): Promise<string[]> {
	const summaries = (await client.executions(workflowId)).filter(
		({ status }) => status === 'success',
	);
	const executions = await Promise.all(summaries.map(async ({ id }) => await client.execution(id)));
	return executions
		.flatMap((execution) => outputOf(execution, TRIGGER))
		.map(({ json }) => String(json.delivery_id));
}

/** Waits until as many executions as that have begun. */
export async function waitForExecutions(
	client: N8nClient,
	workflowId: string,
	count: number,
): Promise<void> {
	await waitFor(
		`${count} executions of workflow ${workflowId}`,
		async () => (await client.executions(workflowId)).length >= count,
		PATIENCE,
	);
}
