import { difference, map, sortBy } from 'lodash';

import type { Webhook } from '../../registry/webhooks';
import { withReference } from '../memory/destination';
import { isConfirmed, mayBeActive, sameMembers, type Subscription } from '../memory/subscription';

export interface Wanted {
	companies: string[];
	events: string[];
	/** n8n's URL of the trigger. */
	url: string;
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
			const isAsWanted =
				isConfirmed(one, wanted) &&
				remote?.is_active === true &&
				sameMembers(remote.events, wanted.events) &&
				(typeof remote.url !== 'string' || remote.url === withReference(wanted.url, one.reference));
			plan[isAsWanted ? 'keep' : 'resume'].push(one);
		} else if (!isPaused(one, remote)) {
			plan.pause.push(one);
		}
	}
	return { ...plan, create: [...missing] };
}

/** Wanted companies that are not watched by what the service has confirmed, for when it cannot be asked. */
export function findUnconfirmed(wanted: Wanted, known: Subscription[]): string[] {
	const confirmed = known.filter((one) => isConfirmed(one, wanted));
	return difference(wanted.companies, map(confirmed, 'company'));
}

/** Where nothing is confirmed, the list alone says so. */
function isPaused(one: Subscription, remote: ListedWebhook | undefined): boolean {
	if (one.confirmed === undefined) return remote?.is_active === false;
	return !mayBeActive(one) && remote?.is_active !== true;
}

/** Should a company have several webhooks, the listed and active one is used. */
function usability(remote: ListedWebhook | undefined): number {
	return remote?.is_active ? 0 : remote ? 1 : 2;
}
