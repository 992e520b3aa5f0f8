import type { Webhook } from '../../registry/webhooks';
import type { Item, Operation } from '../run';
import { readWebhookId, webhookIdField } from './fields';

/** A trigger checks its webhooks and undoes the pause of one. */
const RESUMED_BY_TRIGGER =
	'A trigger that watches this company resumes it. To stop, take the company off its list.';

type PausedWebhook = Partial<Webhook> & { note?: string };

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
		return async (): Promise<PausedWebhook[]> => {
			const webhook = await item.account.update(id, async () => ({ is_active: false }));
			if (!mayBelongToTrigger(item, webhook)) return [webhook];
			item.account.hints.add(RESUMED_BY_TRIGGER);
			return [{ ...webhook, note: RESUMED_BY_TRIGGER }];
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

/** Whether the webhook delivers to this n8n, or its address is not shown. */
function mayBelongToTrigger({ context }: Item, { url }: Partial<Webhook>): boolean {
	if (typeof url !== 'string' || !URL.canParse(url)) return true;
	// The only address of n8n's webhooks that n8n tells an action.
	const own = String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0));
	return URL.canParse(own) && new URL(own).host === new URL(url).host;
}
