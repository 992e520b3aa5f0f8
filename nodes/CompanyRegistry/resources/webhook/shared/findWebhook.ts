import type { IExecuteSingleFunctions } from 'n8n-workflow';

import type { Webhook } from '../../../shared/registry/schemas';
import { refuse } from '../../shared/refuse';

/**
 * One webhook out of the account's list; the service has no route to read a single one.
 * @throws NodeOperationError when the list does not have it
 */
export function findWebhook(
	context: IExecuteSingleFunctions,
	webhooks: Webhook[],
	id: string,
): Webhook {
	const webhook = webhooks.find((candidate) => candidate.id === id);
	if (webhook !== undefined) return webhook;
	throw refuse(context, {
		message: `The account has no webhook with the ID "${id}"`,
		description:
			"Choose the webhook from the list, or look its ID up with 'Get Many'. It may belong to another account than the credential's.",
	});
}
