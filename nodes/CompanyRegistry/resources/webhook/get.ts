import type { INodePropertyOptions } from 'n8n-workflow';

import { webhookListSchema } from '../../shared/registry/schemas';
import { perItem } from '../shared/perItem';
import { findWebhook } from './findWebhook';
import { readWebhookId } from './webhookIdField';

export const getOperation: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	description: 'See what one webhook watches and whether it is paused',
	action: 'Get webhook',
	routing: perItem({
		method: 'GET',
		url: '/v1/webhooks',
		prepare: (context) => {
			readWebhookId(context);
		},
		schema: webhookListSchema,
		read: ({ data }, context) => [findWebhook(context, data, readWebhookId(context))],
	}),
};
