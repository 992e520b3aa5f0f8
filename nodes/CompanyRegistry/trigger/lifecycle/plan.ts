import { countBy, difference, groupBy, intersection, map, mapValues, sortBy, xor } from 'lodash';

import type { Webhook, WebhookList } from '../../registry/webhooks';
import { comparableNumber } from '../../shared/companyNumber';
import { offeredEvents } from '../../shared/events';
import type { DesiredState } from './desired';
import { withReference } from './identity';
import type { Subscription } from './state';

type Wanted = Pick<DesiredState, 'companies' | 'url' | 'events'>;
type Listed = Pick<WebhookList, 'webhooks' | 'hasMore' | 'unread'>;

/** How a webhook differs from what the service last confirmed. */
export type Drift = 'paused' | 'events' | 'redirected' | 'removed';

export interface Plan {
	/** To be given the desired URL and events, and made active. */
	update: Subscription[];
	/** Of these, by company: how the list differs from what the service confirmed. */
	drift: Map<string, Drift>;
	/** Active by the last answer but missing from the list, which proves nothing: to be checked. */
	absent: Subscription[];
	/** Companies that need a new webhook. */
	create: string[];
	/** Not desired, and not known to be paused; also pending ones that the list shows as active, with their id. */
	pause: Subscription[];
	/** Pending ones, where the whole list shows no active webhook that could be theirs. */
	drop: Subscription[];
}

/** Webhooks that are created for one company without a usable answer, until a person publishes. */
const MAXIMUM_PENDING = 2;

/**
 * The difference between the desired state and the account. The list may lag or have further pages, so a request is
 * left out only where the list agrees with what the service confirmed.
 * @param isRecent whether the list may not know our last change of a webhook yet
 * @param isPublish whether a person publishes: each company is tried again
 */
export function makePlan(
	desired: Wanted,
	known: Subscription[],
	list: Listed,
	isRecent: (one: Subscription) => boolean,
	isPublish: boolean,
): Plan {
	const plan: Plan = { update: [], drift: new Map(), absent: [], create: [], pause: [], drop: [] };
	const { webhooks, hasMore, unread } = list;
	const missing = new Set(desired.companies);
	const pending = known.filter(({ status }) => status === 'pending');
	const byUrl = new Map([...webhooks.values()].map((one) => [one.url, one]));
	// A list that is not whole, or shows none of ours, proves nothing.
	const isProof = !hasMore && unread === 0 && isListed(known, list);
	const others = othersIn(list, known);
	for (const one of pending) {
		const made = byUrl.get(withReference(desired.url, one.reference));
		if (made?.is_active) plan.pause.push({ ...one, id: made.id });
		else if (isProof && !others[one.company] && !isRecent(one)) plan.drop.push(one);
	}
	const isUnlisted = ({ id }: Subscription) => !webhooks.has(id);
	const isInactive = ({ status }: Subscription) => status !== 'active';
	// Of several for one company, a listed and active one is used.
	for (const one of sortBy(difference(known, pending), isUnlisted, isInactive)) {
		const listed = webhooks.get(one.id);
		if (isOfAnother(one, listed)) continue;
		if (!missing.delete(one.company)) {
			// The list may lag behind a resume, and lack a paused webhook.
			const isPaused = listed
				? !listed.is_active && one.status !== 'active'
				: one.status === 'paused';
			if (!isPaused) plan.pause.push(one);
		} else if (one.status !== 'active') {
			plan.update.push(one);
		} else if (listed === undefined) {
			if (!hasMore && !isRecent(one)) plan.absent.push(one);
		} else {
			const drift = driftOf(one, listed, desired);
			if (drift) plan.update.push(one);
			if (drift && !isRecent(one)) plan.drift.set(one.company, drift);
		}
	}
	const lost = countBy(difference(pending, plan.drop), 'company');
	// After two lost answers, only a publish tries again.
	plan.create = [...missing].filter((one) => isPublish || (lost[one] ?? 0) < MAXIMUM_PENDING);
	return plan;
}

/** Ids of the active webhooks that are not this trigger's, by company. */
export function othersIn({ webhooks }: Listed, own: Subscription[]): Record<string, string[]> {
	const ids = new Set(map(own, 'id'));
	const others = [...webhooks.values()].filter(({ id, is_active }) => is_active && !ids.has(id));
	const byCompany = groupBy(others, (one) => comparableNumber(one.company_number));
	return mapValues(byCompany, (all) => map(all, 'id'));
}

/** Whether the list shows one of these webhooks. */
export function isListed(known: Subscription[], { webhooks }: Listed): boolean {
	return known.some((one) => webhooks.has(one.id) && !isOfAnother(one, webhooks.get(one.id)));
}

function driftOf(one: Subscription, listed: Webhook, { url, events }: Wanted): Drift | undefined {
	if (!listed.is_active) return 'paused';
	// It is not known whether the service lists URLs.
	const isShown = typeof listed.url === 'string';
	if (isShown && listed.url !== withReference(url, one.reference)) return 'redirected';
	return xor(documented(listed.events), documented(events)).length > 0 ? 'events' : undefined;
}

/** The events that the service documents: it may show others under another name. */
export function documented(events: string[]): string[] {
	return intersection(events, offeredEvents);
}

/** Whether the service shows another company under the id of a webhook. */
export function isOfAnother(
	{ company }: Subscription,
	shown?: { company_number?: string },
): boolean {
	const number = shown?.company_number;
	return number !== undefined && comparableNumber(number) !== company;
}
