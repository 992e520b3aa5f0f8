import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { patchWebhook } from './patchWebhook';
import { webhookIdLocator } from './webhookIdLocator';

export const resumeOperation: INodePropertyOptions = {
	name: 'Resume',
	value: 'resume',
	description: 'Switch a paused webhook on again',
	action: 'Resume webhook',
	routing: patchWebhook(() => ({ is_active: true })),
};

export const resumeFields: INodeProperties[] = [
	webhookIdLocator({ displayOptions: { show: { resource: ['webhook'], operation: ['resume'] } } }),
];
