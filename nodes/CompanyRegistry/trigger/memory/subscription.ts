import { xor } from 'lodash';

import { withReference } from '../identity/destination';

/** A webhook at the service that this trigger has made, and whose id and secret it holds. */
export interface Subscription {
	/** Random query parameter of its destination, by which a delivery finds it. */
	reference: string;
	company: string;
	id: string;
	secret: string;
	/** What the service has confirmed last; undefined while a change is unanswered, or its answer was lost. */
	confirmed?: Confirmed;
}

/** Active, with this destination and these events, none where it is not known which; or paused. */
export type Confirmed = { url: string; events: string[] } | 'paused';

/** Whether the service has confirmed that it delivers these events to the trigger's URL. */
export function isConfirmed(
	one: Subscription,
	{ url, events }: { url: string; events: string[] },
): boolean {
	const { confirmed } = one;
	if (!isActiveAt(one, url) || typeof confirmed !== 'object') return false;
	return sameMembers(confirmed.events, events);
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
export function namesOf(subscriptions: Subscription[]): string {
	return subscriptions.map(({ id, company }) => `${id} (${company})`).join(', ');
}

/** Whether two lists hold the same texts, in any order. */
export function sameMembers(one: string[], other: string[]): boolean {
	return xor(one, other).length === 0;
}
