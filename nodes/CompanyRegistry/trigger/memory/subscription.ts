import { xor } from 'lodash';

import type { Registry } from '../../registry/registry';
import { withReference } from '../identity/destination';

/** What this trigger holds of a webhook that it has made at the service. */
export interface Subscription {
	/** Random query parameter of its destination, by which a delivery finds it. */
	reference: string;
	company: string;
	/** The webhook's, as the service has assigned it. */
	id: string;
	secret: string;
	/** What the service has confirmed last; undefined while a change is unanswered, or its answer was lost. */
	confirmed?: Confirmed;
	/** When it was written to last by this process, in milliseconds of `performance.now()`. */
	wroteAt?: number;
}

/** Active, with this destination and these events, none where it is not known which; or paused. */
export type Confirmed = { url: string; events: string[] } | 'paused';

/** Subscriptions of one account that deliver to one n8n. */
export interface SubscriptionSet {
	account: string;
	/** What all triggers' URLs of that n8n begin with. */
	address: string;
	/** By reference. */
	subscriptions: Map<string, Subscription>;
	/** The service as the credential showed it that worked last in this process. */
	registry?: Registry;
}

/** Whether the service has confirmed that it delivers these events to the trigger's URL. */
export function isConfirmed(one: Subscription, wish: { url: string; events: string[] }): boolean {
	const { confirmed } = one;
	if (!isActiveAt(one, wish.url) || typeof confirmed !== 'object') return false;
	return sameMembers(confirmed.events, wish.events);
}

/** Whether the service has confirmed that it delivers to the trigger's URL, whichever events. */
export function isActiveAt({ reference, confirmed }: Subscription, url: string): boolean {
	return typeof confirmed === 'object' && confirmed.url === withReference(url, reference);
}

/** Whether the service may deliver for it. */
export function mayBeActive({ confirmed }: Subscription): boolean {
	return confirmed !== 'paused';
}

/** Ids and companies, for the log. */
export function describeSubscriptions(subscriptions: Subscription[]): string {
	return subscriptions.map(({ id, company }) => `${id} (${company})`).join(', ');
}

/** Whether two lists hold the same texts, in any order. */
export function sameMembers(one: string[], other: string[]): boolean {
	return xor(one, other).length === 0;
}
