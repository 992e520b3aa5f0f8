import type { WebhookList } from '../../registry/webhooks';
import { beginGap, endGap } from '../records/gap';
import type { Subscription } from '../records/subscription';
import type { Drift } from './plan';

/** The list shows what a lost answer to a pause would have said. */
export function recordPaused(subscriptions: Subscription[], { webhooks }: WebhookList): void {
	for (const one of subscriptions) {
		const isInactive = webhooks.get(one.id)?.is_active === false;
		if (one.state === 'unsure' && isInactive) one.state = 'paused';
	}
}

/** The service shows it as it should be. */
export function markActive(one: Subscription): void {
	one.state = 'active';
	endGap(one, Date.now());
}

/**
 * Someone else has changed a webhook.
 * @param since when the service last showed all as desired, in milliseconds since the epoch
 */
export function recordDrift(one: Subscription, drift: Drift, since: number | undefined): void {
	beginGap(one, 'changed', since);
	one.state = drift;
}
