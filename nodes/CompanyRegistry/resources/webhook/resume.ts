import type { INodePropertyOptions } from 'n8n-workflow';

import { patchWebhook } from './shared/patchWebhook';

export const resumeOperation: INodePropertyOptions = {
	name: 'Resume',
	value: 'resume',
	description: 'Switch a paused webhook on again',
	action: 'Resume webhook',
	routing: patchWebhook(() => ({ is_active: true })),
};
