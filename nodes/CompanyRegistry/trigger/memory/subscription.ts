import { xor } from 'lodash';

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

export interface Confirmed {
	/** The destination, with the reference. */
	url: string;
	events: string[];
	active: boolean;
}

/** Whether the service may deliver for it. */
export function mayBeActive({ confirmed }: Subscription): boolean {
	return confirmed?.active !== false;
}

/** Ids and companies, for the log. */
export function namesOf(subscriptions: Subscription[]): string {
	return subscriptions.map(({ id, company }) => `${id} (${company})`).join(', ');
}

/** Whether two lists hold the same texts, in any order. */
export function sameMembers(one: string[], other: string[]): boolean {
	return xor(one, other).length === 0;
}
