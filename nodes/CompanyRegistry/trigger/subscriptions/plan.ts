import { intersection, shuffle, sortBy } from 'lodash';

import type { Webhook, WebhookList } from '../../registry/webhooks';
import { comparableNumber } from '../../shared/companyNumber';
import { offeredEvents } from '../../shared/events';
import { withReference } from '../identity/destination';
import type { Drift, Subscription } from '../memory/state';
import { sameMembers, type Wanted } from '../memory/store';

/** Of the webhooks that the list lacks, so many are asked about at once. */
const MAXIMUM_ABSENT = 20;

export interface Update {
	one: Subscription;
	/** What somebody else has changed; `removed` if the list lacks it, which proves nothing yet. */
	drift?: Drift;
}

export interface Plan {
	/** To be given today's destination and events, and made active. */
	update: Update[];
	/** Companies that need a new webhook. */
	create: string[];
	/** No longer wanted, and active or not known to be paused. */
	pause: Subscription[];
}

export type Listed = Pick<WebhookList, 'webhooks' | 'hasMore'>;

/** Of these names those that the service documents: it may show others in another way. */
export function documented(events: string[]): string[] {
	return intersection(events, offeredEvents);
}

/**
 * What has to be done so that each wanted company has one active webhook that delivers the wanted events to
 * today's destination.
 *
 * The list may lag behind, and have further pages: a request is left out only where it agrees with what the
 * service has confirmed, and a known webhook that is not listed is asked about, not replaced. One that is listed
 * for another company is somebody else's with the same id: it is left alone.
 * @param known with the status that they have for what is wanted
 * @param isRecent whether we have written to a webhook so lately that the list may not know
 */
export function makePlan(
	wanted: Wanted,
	known: Subscription[],
	{ webhooks, hasMore }: Listed,
	isRecent: (one: Subscription) => boolean,
): Plan {
	const plan: Plan = { update: [], create: [], pause: [] };
	const absent: Update[] = [];
	const missing = new Set(wanted.companies);
	const own = known.filter((one) => !isOfAnother(one, webhooks.get(one.id)));
	// Should a company have several webhooks, the listed and active one is used.
	const order = [
		({ id }: Subscription) => [true, false, undefined].indexOf(webhooks.get(id)?.is_active),
		({ status }: Subscription) => status !== 'watched',
	];
	for (const one of sortBy(own, order)) {
		const remote = webhooks.get(one.id);
		if (!missing.delete(one.company)) {
			if (!isPaused(one, remote)) plan.pause.push(one);
		} else if (one.status !== 'watched') {
			plan.update.push({ one });
		} else if (remote === undefined) {
			if (!hasMore && !isRecent(one)) absent.push({ one, drift: 'removed' });
		} else {
			const drift = driftOf(one, remote, wanted);
			if (drift) plan.update.push(isRecent(one) ? { one } : { one, drift });
		}
	}
	plan.update.push(...shuffle(absent).slice(0, MAXIMUM_ABSENT));
	return { ...plan, create: [...missing] };
}

/** What the list shows of a webhook that the service has confirmed otherwise. */
function driftOf(one: Subscription, remote: Webhook, wanted: Wanted): Drift | undefined {
	if (!remote.is_active) return 'paused';
	const { url, events } = wanted;
	// Whether the service lists it is not known.
	const isShown = typeof remote.url === 'string';
	if (isShown && remote.url !== withReference(url, one.reference)) return 'redirected';
	return sameMembers(documented(remote.events), documented(events)) ? undefined : 'events';
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
function isPaused({ status }: Subscription, remote: Webhook | undefined): boolean {
	if (status === 'unknown') return remote?.is_active === false;
	return status === 'paused' && remote?.is_active !== true;
}
