import type { INodePropertyOptions } from 'n8n-workflow';

import { webhookListSchema } from '../../shared/registry/schemas';
import { operationRouting } from '../shared/operationRouting';
import { findWebhook } from './shared/findWebhook';
import { readWebhookId } from './shared/webhookIdField';

export const getOperation: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	description: 'See what one webhook watches and whether it is paused',
	action: 'Get webhook',
	routing: operationRouting({
		method: 'GET',
		url: '/v1/webhooks',
		prepare: (context) => {
			readWebhookId(context);
		},
		schema: webhookListSchema,
		read: ({ data }, context) => [findWebhook(context, data, readWebhookId(context))],
	}),
};
