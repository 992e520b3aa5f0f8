import { difference, get, intersection, map } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';
import type { DesiredState } from './desired';
import type { Drift } from './plan';
import type { Status, Subscription, TriggerMemory } from './state';

/** The result of one pass: all counts and words are computed from it. */
export interface Outcome {
	desired: DesiredState;
	/** Desired companies whose webhook the service confirmed as desired. */
	watched: string[];
	/** The same, and those that may deliver to this URL with the previous events. */
	delivering: string[];
	/** Companies that the service refused, with the reason. */
	refused: Map<string, unknown>;
	/** Companies for which the service may hold a webhook that this trigger cannot verify. */
	lost: string[];
	/** Drift that was found, by company, and the companies for which it was repaired. */
	drift: Map<string, Drift>;
	repaired: Set<string>;
	/** Ids of other active webhooks of the desired companies, by company. */
	others: Record<string, string[]>;
	/** Companies that a first publish has to ask about. */
	alreadyWatched: string[];
	/** Webhooks of the previous account, which stay active there. */
	leftActive: Subscription[];
	/** Webhooks that are not desired and could not be paused, and why. */
	failedPauses?: { subscriptions: Subscription[]; why: string };
	/** Why the pass did not come to its end. */
	failure?: unknown;
}

/** @param failure why the pass did not begin or end. @param collected what it found on its way */
export function outcomeOf(
	memory: TriggerMemory,
	desired: DesiredState,
	failure?: unknown,
	collected: Partial<Outcome> = {},
): Outcome {
	const { drift = new Map(), repaired = new Set(), refused = new Map() } = collected;
	const desiredOf = (...statuses: Status[]) =>
		intersection(desired.companies, map(memory.withStatus(...statuses), 'company'));
	const confirmed = memory.isConfirmedFor(desired.url, desired.events) ? desiredOf('active') : [];
	const delivering = memory.facts.url === desired.url ? desiredOf('active', 'unknown') : [];
	const drifted = difference([...drift.keys()], [...repaired]);
	const silent = drifted.filter((company) => drift.get(company) !== 'events');
	return {
		others: {},
		alreadyWatched: [],
		leftActive: [],
		...collected,
		...{ desired, drift, repaired, refused, failure },
		watched: difference(confirmed, drifted, [...refused.keys()]),
		delivering: difference(delivering, silent),
		lost: desiredOf('pending'),
	};
}

/** The service answered, but not with what was asked for. The message names no webhook or company. */
export class UnusableAnswer extends Error {}

/** Why a pass stopped although the service answers; the cause is the last reason. */
export class Stopped extends Error {}

/** Whether the same may succeed later: the service or the link is down, busy, or did not answer. */
export function isTemporary(reason: unknown): boolean {
	return get(reason, 'isTemporary') === true;
}

/** A key that failures for the same reason share: the words of the service may hold the id of a request. */
export function reasonKey(reason: unknown): string {
	if (reason instanceof Stopped) return reasonKey(reason.cause ?? reason.message);
	if (!(reason instanceof RegistryFailure)) return messageOf(reason);
	return `${reason.status ?? reason.reason} ${reason.code ?? ''}`;
}
