import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { webhookListSchema, webhookSchema, type Webhook } from '../../../registry/schemas';
import type { Send } from '../../shared/operationRouting';
import { refuse } from '../../shared/refuse';

const listsOfRuns = new WeakMap<object, Promise<Map<string, Webhook>>>();

/**
 * The account's webhooks by ID, read once for all items of a run. A read that fails fails the items that
 * wait for it; the next one reads again.
 */
export async function readAccountWebhooks(
	context: IExecuteSingleFunctions,
	send: Send,
): Promise<Map<string, Webhook>> {
	const run = context.getExecuteData();
	let list = listsOfRuns.get(run);
	if (list === undefined) {
		list = send({ method: 'GET', url: '/v1/webhooks' }, webhookListSchema).then(
			({ data }) =>
				new Map(
					data.map((row) => webhookSchema.parse(row)).map((webhook) => [webhook.id, webhook]),
				),
			(reason: unknown) => {
				listsOfRuns.delete(run);
				return Promise.reject(reason);
			},
		);
		listsOfRuns.set(run, list);
	}
	return await list;
}

/**
 * One webhook out of the account's list; the service has no route to read a single one.
 * @throws NodeOperationError when the list does not have it
 */
export async function findWebhook(
	context: IExecuteSingleFunctions,
	send: Send,
	id: string,
): Promise<Webhook> {
	const webhook = (await readAccountWebhooks(context, send)).get(id);
	if (webhook !== undefined) return webhook;
	// With 'Retry On Fail' n8n repeats the run, and the webhook may be there by then.
	forgetAccountWebhooks(context);
	throw refuse(context, {
		message: `The account has no webhook with the ID "${id}"`,
		description:
			"Choose the webhook from the list, or look its ID up with 'Get Many'. It may belong to another account than the credential's.",
	});
}

/** Keeps the run's list, if it was read, in step with what the run itself has changed. */
export async function noteUpdate(
	context: IExecuteSingleFunctions,
	id: string,
	changes: Partial<Webhook>,
): Promise<void> {
	const list = await listsOfRuns.get(context.getExecuteData())?.catch(() => undefined);
	const webhook = list?.get(id);
	if (webhook !== undefined) list?.set(id, { ...webhook, ...changes });
}

/** The next item that needs the list reads it again. */
export function forgetAccountWebhooks(context: IExecuteSingleFunctions): void {
	listsOfRuns.delete(context.getExecuteData());
}
