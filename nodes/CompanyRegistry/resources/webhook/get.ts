import type { Webhook } from '../../registry/webhooks';
import type { Item, Operation } from '../run';
import { readWebhookId, webhookIdField } from './fields';

export const get = {
	option: {
		name: 'Get',
		value: 'get',
		description: 'Get the company, events and state of a webhook',
		action: 'Get webhook',
	},
	fields: [webhookIdField],
	prepare: (item) => {
		const id = readWebhookId(item);
		return async () => [await findWebhook(item, id)];
	},
} satisfies Operation;

/** The service documents no route for a single webhook. @throws NodeOperationError if it is not in the list */
export async function findWebhook(item: Item, id: string): Promise<Webhook> {
	const { webhooks, isWhole } = await item.account.webhooks();
	const webhook = webhooks.get(id);
	if (webhook !== undefined) return webhook;
	const unread = isWhole ? '' : 'be in a part of the list that this node cannot read, or ';
	throw item.refuse({
		message: `The account has no webhook with the ID "${id}"`,
		description: `Choose the webhook from the list, or find its ID with 'Get Many'. The webhook may ${unread}belong to another account.`,
	});
}
