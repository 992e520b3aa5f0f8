import type { INodePropertyOptions } from 'n8n-workflow';

import type { Operation } from '../run';
import { readWebhookId } from './fields';

function switchTo(is_active: boolean, option: INodePropertyOptions) {
	return {
		option,
		takesWebhook: true,
		prepare: (item) => {
			const id = readWebhookId(item);
			return async () => [await item.account.update(id, async () => ({ is_active }))];
		},
	} satisfies Operation;
}

export const pause = switchTo(false, {
	name: 'Pause',
	value: 'pause',
	description: 'Switch a webhook off, keeping it for later',
	action: 'Pause webhook',
});

export const resume = switchTo(true, {
	name: 'Resume',
	value: 'resume',
	description: 'Switch a paused webhook on again',
	action: 'Resume webhook',
});
