import { sortBy } from 'lodash';

import type { Webhook } from '../../registry/webhooks';
import { mayBeActive, sameMembers, type Subscription } from '../memory/subscription';

export interface Wanted {
	companies: string[];
	events: string[];
	/** The destination of the webhook with this reference. */
	urlOf: (reference: string) => string;
}

export interface Plan {
	/** Already as wanted: no request. */
	keep: Subscription[];
	/** To be given today's destination and events, and made active. */
	resume: Subscription[];
	/** Companies that need a new webhook. */
	create: string[];
	/** No longer wanted, and active or not known to be paused. */
	pause: Subscription[];
}

/** What the service lists of a webhook, as far as it matters here. */
export type ListedWebhook = Pick<Webhook, 'id' | 'events' | 'is_active'> & {
	/** Whether the service lists it is not known. */
	url?: unknown;
};

/**
 * The state table: what has to be done so that each wanted company has one active webhook that
 * delivers the wanted events to today's destination.
 *
 * The list may lag behind, and it may have further pages. So what the service has confirmed counts as well:
 * a request is left out only where both agree. And a known webhook that is not listed is resumed, not
 * replaced: only a refused update proves that it is gone.
 *
 * @param listed the account's webhooks by id, as the service lists them
 */
export function makePlan(
	wanted: Wanted,
	known: Subscription[],
	listed: ReadonlyMap<string, ListedWebhook>,
): Plan {
	const plan: Omit<Plan, 'create'> = { keep: [], resume: [], pause: [] };
	const missing = new Set(wanted.companies);

	for (const one of sortBy(known, ({ id }) => usability(listed.get(id)))) {
		const remote = listed.get(one.id);
		if (missing.delete(one.company)) {
			const url = wanted.urlOf(one.reference);
			const { confirmed } = one;
			const asWanted =
				confirmed?.url === url &&
				confirmed.active &&
				sameMembers(confirmed.events, wanted.events) &&
				isListedAs(remote, wanted.events, url);
			plan[asWanted ? 'keep' : 'resume'].push(one);
		} else if (!isPaused(one, remote)) {
			plan.pause.push(one);
		}
	}
	return { ...plan, create: [...missing] };
}

/** Whether the service lists a webhook as active with these events and, if it lists that, with this URL. */
export function isListedAs(
	remote: ListedWebhook | undefined,
	events: string[],
	url: string,
): boolean {
	return (
		remote?.is_active === true &&
		sameMembers(remote.events, events) &&
		(typeof remote.url !== 'string' || remote.url === url)
	);
}

/** Where nothing is confirmed, the list alone says so. */
export function isPaused(one: Subscription, remote: ListedWebhook | undefined): boolean {
	if (one.confirmed === undefined) return remote?.is_active === false;
	return !mayBeActive(one) && remote?.is_active !== true;
}

/** Should a company have several webhooks, the listed and active one is used. */
function usability(remote: ListedWebhook | undefined): number {
	return remote?.is_active ? 0 : remote ? 1 : 2;
}
