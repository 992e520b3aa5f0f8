import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';

import { readText } from '../../shared/readParameters';
import { refuse } from '../../shared/refuse';

/**
 * The field in which a user chooses one of the account's webhooks. Define it once: n8n evaluates its
 * expression once per field of the same name, for every item.
 */
export const webhookIdField: INodeProperties = {
	displayName: 'Webhook',
	name: 'webhookId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: "One of the account's webhooks",
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a webhook…',
			typeOptions: { searchListMethod: 'searchWebhooks', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. the ID in the output of Create',
		},
	],
	displayOptions: {
		show: { resource: ['webhook'], operation: ['get', 'pause', 'resume', 'update'] },
	},
};

/**
 * The chosen webhook's ID.
 * @throws NodeOperationError when nothing was chosen, or what cannot be an ID
 */
export function readWebhookId(context: IExecuteSingleFunctions): string {
	const value = context.getNodeParameter('webhookId', '', { extractValue: true });
	const id = readText(context, webhookIdField, value);
	// Dots alone would mean another path to the service.
	if (id !== '' && id !== '.' && id !== '..') return id;
	throw refuse(context, {
		message: "'Webhook' is empty",
		description:
			"Choose a webhook from the list, or enter the ID that 'Create' or 'Get Many' shows.",
	});
}

export function webhookPath(id: string): string {
	return `/v1/webhooks/${encodeURIComponent(id)}`;
}
