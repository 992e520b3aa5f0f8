import { countBy, difference, groupBy, intersection, map, mapValues, sortBy } from 'lodash';

import type { Webhook, WebhookList } from '../../registry/webhooks';
import { comparableNumber } from '../../shared/companyNumber';
import { offeredEvents } from '../../shared/events';
import { withReference } from './identity';
import {
	isConfirmed,
	isKnown,
	isPending,
	type Known,
	type Subscription,
	type Target,
} from '../records/subscription';

interface Wanted extends Target {
	companies: string[];
}
type Shown = Pick<WebhookList, 'webhooks' | 'events' | 'isWhole'>;

/** What is left of an active webhook that someone else changed: it may deliver some events, or none. */
export type Drift = Exclude<Known['said'], 'active'>;

export interface Plan {
	/** To be given the desired URL and events, and made active. */
	update: Known[];
	/** Of the desired ones: how the list differs from what the service last said. */
	drift: Map<Known, Drift>;
	/** Active by the last answer but missing from the list, which proves nothing: to be asked about. */
	absent: Known[];
	/** Companies that need a new webhook. */
	create: string[];
	/** Whether another webhook may be created for a company. */
	mayCreate: (company: string) => boolean;
	/** Not desired, and not known to be paused. */
	pause: Known[];
}

/**
 * What is to be done with a known webhook. The first row that fits counts.
 *
 * | condition  | the webhook                                       | action         |
 * |------------|---------------------------------------------------|----------------|
 * | mismatched | the list shows another company under its id       | none           |
 * | resting    | is not needed, and known to be paused             | none           |
 * | unneeded   | is not needed                                     | pause          |
 * | outdated   | is not confirmed as active for the desired target | update         |
 * | absent     | is not in the list                                | ask, or create |
 * | drifted    | differs in the list from what the service said    | update         |
 * | confirmed  | is as desired                                     | none           |
 */
type Condition =
	| 'mismatched'
	| 'resting'
	| 'unneeded'
	| 'outdated'
	| 'absent'
	| 'drifted'
	| 'confirmed';

/** The part of the plan that a webhook belongs to; none where it needs no request. */
const ACTIONS: Partial<Record<Condition, 'update' | 'pause' | 'absent'>> = {
	outdated: 'update',
	drifted: 'update',
	unneeded: 'pause',
	absent: 'absent',
};

/** Webhooks that are created for one company without a usable answer, until a person publishes. */
const MAXIMUM_PENDING = 2;

/**
 * The difference between the desired state and the account. The list may have further pages, so a request is left out
 * only where the list agrees with what the service last said.
 * @param isPublish whether a person publishes: each company is tried again
 */
export function makePlan(
	desired: Wanted,
	all: Subscription[],
	list: Shown,
	isPublish: boolean,
): Plan {
	const pending = countBy(all.filter(isPending), 'company');
	const others = othersIn(list, all);
	// After two lost answers, only a publish tries again, unless the list shows that they left no webhook.
	const mayCreate = (company: string) =>
		isPublish ||
		(pending[company] ?? 0) < MAXIMUM_PENDING ||
		(list.isWhole && others[company] === undefined);
	const plan: Omit<Plan, 'create'> = {
		...{ update: [], absent: [], pause: [] },
		...{ drift: new Map(), mayCreate },
	};
	const unserved = new Set(desired.companies);
	const known = all.filter(isKnown);

	for (const one of byUsefulness(known, list)) {
		const shown = list.webhooks.get(one.id);
		const isNeeded = unserved.has(one.company);
		const drift = driftOf(one, list, desired);
		const condition = conditionOf(one, shown, { desired, isNeeded, drift });
		if (condition === 'mismatched') continue;

		unserved.delete(one.company);
		if (isNeeded && drift) plan.drift.set(one, drift);
		const action = ACTIONS[condition];
		if (action) plan[action].push(one);
	}

	return { ...plan, create: [...unserved].filter(mayCreate) };
}

interface Circumstances {
	desired: Wanted;
	/** Whether its company is desired, and no better webhook serves it. */
	isNeeded: boolean;
	drift: Drift | undefined;
}

function conditionOf(
	one: Known,
	shown: Webhook | undefined,
	{ desired, isNeeded, drift }: Circumstances,
): Condition {
	if (isOfAnother(one, shown)) return 'mismatched';
	if (!isNeeded) return isResting(one, shown) ? 'resting' : 'unneeded';
	if (!isConfirmed(one, desired)) return 'outdated';
	if (shown) return drift ? 'drifted' : 'confirmed';
	return 'absent';
}

/** Of several webhooks for one company, a listed and active one is used. */
function byUsefulness(known: Known[], { webhooks }: Shown): Known[] {
	const isUnlisted = ({ id }: Known) => !webhooks.has(id);
	const isInactive = ({ said }: Known) => said !== 'active';
	return sortBy(known, isUnlisted, isInactive);
}

/** The list may lack a paused webhook. */
function isResting({ said }: Known, shown: Webhook | undefined): boolean {
	return shown ? !shown.is_active && said !== 'active' : said === 'paused';
}

/** How the list differs from an active webhook, as the service last described it. More events do no harm. */
function driftOf(one: Known, list: Shown, desired: Target): Drift | undefined {
	const shown = list.webhooks.get(one.id);
	if (shown === undefined || one.said !== 'active') return undefined;
	if (!shown.is_active) return 'paused';
	// It is not known whether the service lists URLs.
	const isUrlShown = typeof shown.url === 'string';
	if (isUrlShown && shown.url !== withReference(one.target.url, one.reference)) return 'paused';
	const confirmed = intersection(one.target.events, desired.events);
	return lacksEvents(shown.events, confirmed, list) ? 'unsure' : undefined;
}

/**
 * Whether a webhook lacks events that the service last confirmed. The service may show an additional event under
 * another name: such an event is missing only where the list shows its name for another webhook.
 */
export function lacksEvents(
	shown: string[],
	confirmed: string[],
	list: Pick<Shown, 'events'>,
): boolean {
	const lacking = difference(confirmed, shown);
	return documented(lacking).length > 0 || lacking.some((event) => list.events.has(event));
}

/** The events that the service documents. */
export function documented(events: string[]): string[] {
	return intersection(events, offeredEvents);
}

/** Ids of the active webhooks that are not this trigger's, by company. */
export function othersIn(
	{ webhooks }: Shown,
	own: Array<Subscription | { id: string }>,
): Record<string, string[]> {
	const ids = new Set(map(own, 'id'));
	const others = [...webhooks.values()].filter(({ id, is_active }) => is_active && !ids.has(id));
	const byCompany = groupBy(others, (one) => comparableNumber(one.company_number));
	return mapValues(byCompany, (all) => map(all, 'id'));
}

/** Whether the list shows one of these webhooks. */
export function showsOneOf(known: Known[], { webhooks }: Shown): boolean {
	return known.some((one) => webhooks.has(one.id) && !isOfAnother(one, webhooks.get(one.id)));
}

/** Whether the service shows another company under the id of a webhook. */
export function isOfAnother(
	{ company }: Pick<Known, 'company'>,
	shown?: { company_number?: string },
): boolean {
	const number = shown?.company_number;
	return number !== undefined && comparableNumber(number) !== company;
}
