import { difference, intersection, map, sortBy } from 'lodash';

import type { Webhook } from '../../registry/webhooks';
import { comparableNumber } from '../../shared/companyNumber';
import { offeredEvents } from '../../shared/events';
import { withReference } from '../identity/destination';
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

export type ListedWebhook = Pick<Webhook, 'id' | 'events' | 'is_active' | 'company_number'> & {
	/** Whether the service lists it is not known. */
	url?: unknown;
};

/** Of these names those that the service documents: it may show others in another way. */
export function documented(events: string[]): string[] {
	return intersection(events, offeredEvents);
}

/**
 * What has to be done so that each wanted company has one active webhook that delivers the wanted events to
 * today's destination.
 *
 * The list may lag behind, and have further pages: a request is left out only where it agrees with what the
 * service has confirmed, and a known webhook that is not listed is resumed, not replaced. One that is listed for
 * another company is somebody else's with the same id: it is left alone.
 * @param listed the account's webhooks by id
 */
export function makePlan(
	wanted: Wanted,
	known: Subscription[],
	listed: ReadonlyMap<string, ListedWebhook>,
): Plan {
	const plan: Omit<Plan, 'create'> = { keep: [], resume: [], pause: [] };
	const missing = new Set(wanted.companies);
	const own = known.filter((one) => !isOfAnother(one, listed.get(one.id)));

	for (const one of sortBy(own, ({ id }) => usability(listed.get(id)))) {
		const remote = listed.get(one.id);
		if (missing.delete(one.company)) {
			const isAsWanted =
				isConfirmed(one, wanted) &&
				remote?.is_active === true &&
				sameMembers(documented(remote.events), documented(wanted.events)) &&
				(typeof remote.url !== 'string' || remote.url === withReference(wanted.url, one.reference));
			plan[isAsWanted ? 'keep' : 'resume'].push(one);
		} else if (!isPaused(one, remote)) {
			plan.pause.push(one);
		}
	}
	return { ...plan, create: [...missing] };
}

/** Wanted companies that are not watched as wanted by what the service has confirmed. */
export function findUnconfirmed(wanted: Wanted, known: Subscription[]): string[] {
	const confirmed = known.filter((one) => isConfirmed(one, wanted));
	return difference(wanted.companies, map(confirmed, 'company'));
}

/** Whether what the service shows under an id is another company's webhook. */
export function isOfAnother(
	{ company }: Pick<Subscription, 'company'>,
	shown: { company_number?: string } | undefined,
): boolean {
	const number = shown?.company_number;
	return number !== undefined && comparableNumber(number) !== company;
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
