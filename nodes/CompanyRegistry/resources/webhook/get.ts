import type { Webhook } from '../../registry/webhooks';
import type { Item, Operation } from '../run';
import { readWebhookId } from './fields';

export const get = {
	option: {
		name: 'Get',
		value: 'get',
		description: 'See what one webhook watches and whether it is paused',
		action: 'Get webhook',
	},
	takesWebhook: true,
	prepare: (item) => {
		const id = readWebhookId(item);
		return async () => [await findWebhook(item, id)];
	},
} satisfies Operation;

/**
 * One webhook out of the account's list; the service has no route to read a single one.
 * @throws NodeOperationError when the list does not have it
 */
export async function findWebhook(item: Item, id: string): Promise<Webhook> {
	const { webhooks, hasMore } = await item.account.webhooks();
	const webhook = webhooks.get(id);
	if (webhook !== undefined) return webhook;
	const elsewhere = hasMore ? 'be on a page of the list that this node cannot read, or ' : '';
	throw item.refuse({
		message: `The account has no webhook with the ID "${id}"`,
		description: `Choose the webhook from the list, or look its ID up with 'Get Many'. It may ${elsewhere}belong to another account than the credential's.`,
	});
}
