import { randomUUID } from 'node:crypto';

import { range } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	cronOf,
	isDue,
	nextCheck,
} from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import type { TriggerOptions } from '../../../nodes/CompanyRegistry/trigger/parameters/options';
import { newNode, triggerAlone, withParameters } from '../../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../../n8n-host/execution';
import type { N8nClient } from '../../n8n-host/n8nClient';
import type { Credential, WorkflowFile, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import type { Simulator, StoredWebhook } from '../../simulator';
import type { Surroundings } from '../surroundings';

export const TRIGGER = 'Company Registry Trigger';

/** Deliveries are sent again as senders do: n8n closes idle connections, now and then one just in use. */
export const PERSISTENT = { retries: 3, maxRetryWaitMs: 500 };

/**
 * An id for a trigger whose first check is not due before the first of these seconds, and made by the last; later
 * than a test takes unless given. A check becomes due at a half minute, and the last digit of the second at which n8n
 * wakes the trigger is that of its minute, so the two lie more than 71 seconds apart.
 */
export function newTriggerId(
	every: TriggerOptions['checkEvery'] = 'hour',
	[earliest, latest] = [30 * 60, 60 * 60],
): string {
	const now = Date.now();
	const [from, until] = [now + earliest * 1_000, now + latest * 1_000];
	for (let attempts = 0; attempts < 100_000; attempts++) {
		const id = randomUUID();
		const dueAt = nextCheck(id, every, now);
		const [second] = cronOf(id).split(' ');
		// n8n wakes the trigger at the same second of each minute.
		const isChecked = range(from, until, 1_000).some(
			(at) => new Date(at).getSeconds() === Number(second) && isDue(dueAt, at),
		);
		if (isChecked && !isDue(dueAt, from)) return id;
	}
	throw new Error(`No trigger has a check between ${earliest} and ${latest} seconds from now`);
}

/** A registry trigger alone, with these parameters beside; ids are new with every call, as the editor makes them. */
export function watcher(
	credential: Credential,
	companies: string[],
	parameters: INodeParameters = {},
	triggerId = newTriggerId(),
): WorkflowFile {
	const file = withParameters(triggerAlone(credential, companies), TRIGGER, parameters);
	Object.assign(file.nodes[0], { id: triggerId, webhookId: randomUUID() });
	return file;
}

/** With a second trigger, without which n8n publishes no workflow whose registry trigger is disabled. */
export function withOtherTrigger(file: WorkflowFile): WorkflowFile {
	const path = randomUUID();
	const webhook = newNode('n8n-nodes-base.webhook', 'Webhook', { path });
	return { ...file, nodes: [...file.nodes, { ...webhook, typeVersion: 2, webhookId: path }] };
}

/** A watcher in n8n, published. */
export async function publishedWatcher(
	{ client, credential }: Pick<Surroundings, 'client' | 'credential'>,
	companies: string[],
): Promise<WorkflowRecord> {
	return await client.createPublished(watcher(credential, companies));
}

/** The most that a kill in a setup of so many loses: n8n saves behind a store, so two of them, and ten requests. */
export function atStake(creates: number): number {
	return 2 * Math.max(25, Math.ceil(creates / 20)) + 10;
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
export async function waitUntilPaused(simulator: Simulator): Promise<void> {
	const isPaused = () => simulator.webhooks().every(({ is_active }) => !is_active);
	await waitFor('all webhooks to be paused', isPaused);
}

/** Waits until each company has an active webhook whose secret n8n has stored. */
export async function waitUntilStored(
	{ client, simulator }: Pick<Surroundings, 'client' | 'simulator'>,
	workflow: WorkflowRecord,
	companies: string[],
): Promise<void> {
	const areStored = async () => {
		const stored = JSON.stringify((await client.workflow(workflow.id)).staticData);
		const usable = webhooksOf(simulator, workflow).filter(
			({ is_active, secret }) => is_active && stored.includes(secret),
		);
		const watched = new Set(usable.map(({ company_number }) => company_number));
		return companies.every((company) => watched.has(company));
	};
	await waitFor('all to be stored', areStored, { timeoutMs: 300_000 });
}

/** The errors of the workflow's failed executions, newest first. */
export async function failures(
	client: N8nClient,
	workflowId: string,
): Promise<Array<string | undefined>> {
	const failed = (await client.executions(workflowId)).filter(({ status }) => status === 'error');
	return await Promise.all(
		failed.map(async ({ id }) => errorOf(await client.waitForExecution(id))),
	);
}

/** The delivery's id in every item that the workflow's executions have put out that have succeeded by now. */
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
	return (
		executions
			.flatMap((execution) => outputOf(execution, TRIGGER))
			// The simulator has it in the body, too: not every scheme signs one. A name has a digest of the body.
			.map(({ json }) =>
				String((json.payload as IDataObject).id ?? json.delivery_id).replace(/:[\w-]{11}$/, ''),
			)
	);
}
