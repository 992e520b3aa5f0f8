import { difference, intersection, isEqual, sortBy } from 'lodash';

import type { Gap } from './gap';

/** Where the service delivers to, and which of its events. */
export interface Target {
	/** n8n's URL of the trigger, without a reference. */
	url: string;
	events: string[];
}

/** A webhook that this trigger owns at the service. It records how the service last described it, never what is desired. */
export interface Subscription {
	/** Random query parameter of its URL, by which a delivery finds its secret. */
	reference: string;
	company: string;
	/** As the service assigned it. */
	id: string;
	secret: string;
	/** `unsure`: a change was sent, and no usable answer came; or others may have changed it. `paused`: nothing comes. */
	state: 'active' | 'paused' | 'unsure';
	/** The target that the service last confirmed. */
	target: Target;
	/** When its events may be missing, until a report has said so. */
	gap?: Gap;
	/** Whether a report has called its company watched. */
	isAnnounced?: boolean;
}

export function isSameTarget(one: Target, other: Target): boolean {
	return one.url === other.url && isEqual(sortBy(one.events), sortBy(other.events));
}

/** Whether the service has confirmed all that is desired of this webhook, and no more. */
export function isConfirmed({ state, target }: Subscription, desired: Target): boolean {
	return state === 'active' && isSameTarget(target, desired);
}

/** Whether the service has confirmed that it delivers here. It may lack some of the desired events, but not all. */
export function isServing({ state, target }: Subscription, { url, events }: Target): boolean {
	return state === 'active' && target.url === url && intersection(events, target.events).length > 0;
}

/** The desired events that the service has not confirmed for a webhook. */
export function lackingEvents({ target }: Subscription, { events }: Target): string[] {
	return difference(events, target.events);
}

/** Whether a published trigger may receive deliveries of this webhook, perhaps with the previous events. */
export function mayDeliver({ state, target }: Subscription, url: string): boolean {
	return state !== 'paused' && target.url === url;
}
