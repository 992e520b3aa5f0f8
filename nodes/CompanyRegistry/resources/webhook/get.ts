import type { INodePropertyOptions } from 'n8n-workflow';

import { operationRouting } from '../shared/operationRouting';
import { findWebhook } from './shared/accountWebhooks';
import { readWebhookId } from './shared/webhookIdField';

export const getOperation: INodePropertyOptions = {
	name: 'Get',
	value: 'get',
	description: 'See what one webhook watches and whether it is paused',
	action: 'Get webhook',
	routing: operationRouting(async (context, send) => [
		await findWebhook(context, send, readWebhookId(context)),
	]),
};
