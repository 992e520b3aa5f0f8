import { updateWebhook } from '../../registry/webhooks';
import type { Item, Send } from '../run';

/** The fields of a webhook that can be changed. */
export interface WebhookChanges {
	url?: string;
	events?: string[];
	is_active?: boolean;
}

/**
 * Changes the chosen webhook.
 * @param readChanges what to send; throws what the user has to put right
 */
export function patchWebhook(
	{ account }: Item,
	id: string,
	readChanges: () => Promise<WebhookChanges>,
): Send {
	return async () =>
		await account.inTurn(id, async () => {
			const changes = await readChanges();
			const answer = await updateWebhook(account.registry, id, changes, account.signal).catch(
				(reason: unknown) => {
					// The change may have been made or not.
					account.forgetList();
					return Promise.reject(reason);
				},
			);
			await account.noteUpdate(id, changes);
			// An answer without the webhook says no more than that what was sent is done.
			return [answer.id === undefined ? { id, ...changes } : answer];
		});
}
