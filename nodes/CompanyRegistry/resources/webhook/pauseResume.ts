import type { Operation } from '../run';
import { readWebhookId, webhookIdField } from './fields';

const RESUMED_BY_TRIGGER =
	'If the webhook belongs to a trigger, its next check resumes it. To stop watching the company, take it off the list of the trigger.';

export const pause = {
	option: {
		name: 'Pause',
		value: 'pause',
		description: 'Pause a webhook. A trigger that watches its company resumes it.',
		action: 'Pause webhook',
	},
	fields: [webhookIdField],
	prepare: (item) => {
		const id = readWebhookId(item);
		return async () => {
			const webhook = await item.account.update(id, async () => ({ is_active: false }));
			item.account.hints.add(RESUMED_BY_TRIGGER);
			return [webhook];
		};
	},
} satisfies Operation;

export const resume = {
	option: {
		name: 'Resume',
		value: 'resume',
		description: 'Resume a paused webhook',
		action: 'Resume webhook',
	},
	fields: [webhookIdField],
	prepare: (item) => {
		const id = readWebhookId(item);
		return async () => [await item.account.update(id, async () => ({ is_active: true }))];
	},
} satisfies Operation;
