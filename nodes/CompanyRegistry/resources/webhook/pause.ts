import type { INodePropertyOptions } from 'n8n-workflow';

import { patchWebhook } from './shared/patchWebhook';

export const pauseOperation: INodePropertyOptions = {
	name: 'Pause',
	value: 'pause',
	description: 'Switch a webhook off, keeping it for later',
	action: 'Pause webhook',
	routing: patchWebhook(() => ({ is_active: false })),
};
