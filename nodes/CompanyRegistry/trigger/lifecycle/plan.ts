import { difference, groupBy, intersection, map, mapValues, sortBy } from 'lodash';

import type { Webhook, WebhookList } from '../../registry/webhooks';
import { comparableNumber } from '../../shared/companyNumber';
import { offeredEvents } from '../../shared/events';
import { withReference } from './identity';
import { isConfirmed, type Subscription, type Target } from '../records/subscription';

interface Wanted extends Target {
	companies: string[];
}
type Shown = Pick<WebhookList, 'webhooks'>;

/** What is left of an active webhook that someone else changed: it may deliver some events, or none. */
export type Drift = Exclude<Subscription['state'], 'active'>;

export interface Plan {
	/** To be given the desired URL and events, and made active. */
	update: Subscription[];
	/** Of the desired ones: how the list differs from what the service last said. */
	drift: Map<Subscription, Drift>;
	/** Active by the last answer but missing from the list, which proves nothing: to be asked about. */
	absent: Subscription[];
	/** Companies that need a new webhook. */
	create: string[];
	/** Not desired, and not known to be paused. */
	pause: Subscription[];
}

/**
 * What is to be done with a known webhook. The first row that fits counts.
 *
 * | condition  | the webhook                                       | action         |
 * |------------|---------------------------------------------------|----------------|
 * | resting    | is not needed, and known to be paused             | none           |
 * | unneeded   | is not needed                                     | pause          |
 * | outdated   | is not confirmed as active for the desired target | update         |
 * | absent     | is not in the list                                | ask, or create |
 * | drifted    | differs in the list from what the service said    | update         |
 * | confirmed  | is as desired                                     | none           |
 */
type Condition = 'resting' | 'unneeded' | 'outdated' | 'absent' | 'drifted' | 'confirmed';

/** The part of the plan that a webhook belongs to; none where it needs no request. */
const ACTIONS: Partial<Record<Condition, 'update' | 'pause' | 'absent'>> = {
	outdated: 'update',
	drifted: 'update',
	unneeded: 'pause',
	absent: 'absent',
};

/**
 * The difference between the desired state and the account. The list may have further pages, so a request is left out
 * only where the list agrees with what the service last said.
 */
export function makePlan(desired: Wanted, subscriptions: Subscription[], list: Shown): Plan {
	const plan: Omit<Plan, 'create'> = { update: [], absent: [], pause: [], drift: new Map() };
	const unmet = new Set(desired.companies);

	for (const one of byUsefulness(subscriptions, list)) {
		const shown = list.webhooks.get(one.id);
		const isNeeded = unmet.has(one.company);
		const drift = driftOf(one, list, desired);
		const condition = conditionOf(one, shown, { desired, isNeeded, drift });
		unmet.delete(one.company);
		if (isNeeded && drift) plan.drift.set(one, drift);
		const action = ACTIONS[condition];
		if (action) plan[action].push(one);
	}

	return { ...plan, create: [...unmet] };
}

interface Circumstances {
	desired: Wanted;
	/** Whether its company is desired, and no better webhook serves it. */
	isNeeded: boolean;
	drift: Drift | undefined;
}

function conditionOf(
	one: Subscription,
	shown: Webhook | undefined,
	{ desired, isNeeded, drift }: Circumstances,
): Condition {
	if (!isNeeded) return isResting(one, shown) ? 'resting' : 'unneeded';
	if (!isConfirmed(one, desired)) return 'outdated';
	if (shown) return drift ? 'drifted' : 'confirmed';
	return 'absent';
}

/** Of several webhooks for one company, a listed and active one is used. */
function byUsefulness(subscriptions: Subscription[], { webhooks }: Shown): Subscription[] {
	const isUnlisted = ({ id }: Subscription) => !webhooks.has(id);
	const isInactive = ({ state }: Subscription) => state !== 'active';
	return sortBy(subscriptions, isUnlisted, isInactive);
}

/** The list may lack a paused webhook. */
function isResting({ state }: Subscription, shown: Webhook | undefined): boolean {
	return shown ? !shown.is_active && state !== 'active' : state === 'paused';
}

/** How the list differs from an active webhook, as the service last described it. More events do no harm. */
function driftOf(one: Subscription, list: Shown, desired: Target): Drift | undefined {
	const shown = list.webhooks.get(one.id);
	if (shown === undefined || one.state !== 'active') return undefined;
	if (!shown.is_active) return 'paused';
	// It is not known whether the service lists URLs.
	const isUrlShown = typeof shown.url === 'string';
	if (isUrlShown && shown.url !== withReference(one.target.url, one.reference)) return 'paused';
	const confirmed = intersection(one.target.events, desired.events);
	return lacksEvents(shown.events, confirmed) ? 'unsure' : undefined;
}

/** Whether a webhook lacks documented events that the service last confirmed. Others may have several names. */
export function lacksEvents(shown: string[], confirmed: string[]): boolean {
	return documented(difference(confirmed, shown)).length > 0;
}

/** The events that the service documents. */
export function documented(events: string[]): string[] {
	return intersection(events, offeredEvents);
}

/** Ids of the active webhooks that are not this trigger's, by company. @param own ids */
export function othersIn({ webhooks }: Shown, own: string[]): Record<string, string[]> {
	const ids = new Set(own);
	const others = [...webhooks.values()].filter(({ id, is_active }) => is_active && !ids.has(id));
	const byCompany = groupBy(others, (one) => comparableNumber(one.company_number));
	return mapValues(byCompany, (all) => map(all, 'id'));
}
