import { randomUUID } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { outputOf } from '../../n8n-host/execution';
import type { N8nClient } from '../../n8n-host/n8nClient';
import type { Credential, WorkflowFile, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor, type WaitOptions } from '../../n8n-host/waitFor';
import type { Simulator, StoredWebhook } from '../../simulator';
import type { Surroundings } from '../surroundings';

export const TRIGGER = 'Company Registry Trigger';

/** A busy machine takes long for an n8n start: waits are generous, assertions are not. */
export const PATIENCE: WaitOptions = { timeoutMs: 150_000 };

/** Deliveries are sent again as senders do: n8n closes idle connections, now and then one just in use. */
export const PERSISTENT = { retries: 3, maxRetryWaitMs: 500 };

/**
 * n8n takes up a publish that it was killed in only when its lease is over, by default after two minutes,
 * and looks for one every 15 seconds.
 */
export const SHORT_LEASE = {
	N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '10',
	N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '1000',
};

/** Signed with the webhook's secret in a way that is not recognised. */
export const UNRECOGNISED = {
	custom: {
		header: 'X-Foo-Seal',
		prefix: 'v3=',
		content: '{id}:{timestamp}:{body}',
		timestampHeader: 'X-Foo-Sent-At',
		idHeader: 'X-Foo-Call',
	},
};

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

/** The same in n8n, published. */
export async function publishedWatcher(
	{ client, credential }: Pick<Surroundings, 'client' | 'credential'>,
	companies: string[],
	parameters: INodeParameters = {},
): Promise<WorkflowRecord> {
	const workflow = await client.createWorkflow(watcher(credential, companies, parameters));
	await client.waitUntilPublished(workflow.id, PATIENCE);
	return workflow;
}

/** A workflow that n8n starts when another one that names it has failed. */
export function errorWorkflow(): WorkflowFile {
	return {
		name: 'Hears of what fails',
		nodes: [
			{
				id: randomUUID(),
				name: 'Error Trigger',
				type: 'n8n-nodes-base.errorTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
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

/** The `delivery_id` of every item that the workflow has put out, once all its executions have finished. */
export async function executedDeliveries(client: N8nClient, workflowId: string): Promise<string[]> {
	const begun = await client.executions(workflowId);
	await Promise.all(begun.map(async ({ id }) => await client.waitForExecution(id, PATIENCE)));
	return await successfulDeliveries(client, workflowId);
}

/** The same of the executions that have succeeded by now. */
export async function successfulDeliveries(
	client: N8nClient,
	workflowId: string,
): Promise<string[]> {
	const succeeded = (await client.executions(workflowId)).filter(
		({ status }) => status === 'success',
	);
	const executions = await Promise.all(
		succeeded.map(async ({ id }) => await client.waitForExecution(id)),
	);
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

/** n8n has stored the secret of each of these: their deliveries, which cost it a tenth of a second each, can be verified. */
export async function expectSecretsStored(
	client: N8nClient,
	{ id }: WorkflowRecord,
	webhooks: StoredWebhook[],
): Promise<void> {
	const { staticData } = await client.workflow(id);
	const stored = JSON.stringify(staticData);
	expect(webhooks.filter(({ secret }) => !stored.includes(secret))).toEqual([]);
}
