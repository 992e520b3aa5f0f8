import type { INodePropertyOptions } from 'n8n-workflow';

import type { Operation } from '../run';
import { readWebhookId, webhookIdField } from './fields';

function setActive(is_active: boolean, option: INodePropertyOptions) {
	return {
		option,
		fields: [webhookIdField],
		prepare: (item) => {
			const id = readWebhookId(item);
			return async () => [await item.account.update(id, async () => ({ is_active }))];
		},
	} satisfies Operation;
}

export const pause = setActive(false, {
	name: 'Pause',
	value: 'pause',
	description: 'Stop the deliveries of a webhook',
	action: 'Pause webhook',
});

export const resume = setActive(true, {
	name: 'Resume',
	value: 'resume',
	description: 'Restart the deliveries of a paused webhook',
	action: 'Resume webhook',
});
