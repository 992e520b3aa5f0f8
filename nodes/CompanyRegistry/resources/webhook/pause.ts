import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { patchWebhook } from './patchWebhook';
import { webhookIdLocator } from './webhookIdLocator';

export const pauseOperation: INodePropertyOptions = {
	name: 'Pause',
	value: 'pause',
	description: 'Switch a webhook off, keeping it for later',
	action: 'Pause webhook',
	routing: patchWebhook(() => ({ is_active: false })),
};

export const pauseFields: INodeProperties[] = [
	webhookIdLocator({ displayOptions: { show: { resource: ['webhook'], operation: ['pause'] } } }),
];
