import { difference, intersection, map } from 'lodash';

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

/** The part of the outcome that a pass collects on its way. */
export type PassResults = Omit<Outcome, 'desired' | 'watched' | 'delivering' | 'lost'>;

export function emptyResults(): PassResults {
	return {
		refused: new Map(),
		drift: new Map(),
		repaired: new Set(),
		others: {},
		alreadyWatched: [],
		leftActive: [],
	};
}

/** @param failure why the pass could not begin, or did not come to its end */
export function outcomeOf(
	memory: TriggerMemory,
	desired: DesiredState,
	failure?: unknown,
	results: PassResults = emptyResults(),
): Outcome {
	const isConfirmed = memory.isConfirmedFor(desired.url, desired.events);
	const drifted = difference([...results.drift.keys()], [...results.repaired]);
	const silent = drifted.filter((company) => results.drift.get(company) !== 'events');
	const desiredOf = (...statuses: Status[]) =>
		intersection(desired.companies, map(memory.withStatus(...statuses), 'company'));
	const delivering = memory.facts.url === desired.url ? desiredOf('active', 'unknown') : [];
	return {
		...results,
		desired,
		watched: difference(isConfirmed ? desiredOf('active') : [], drifted, [
			...results.refused.keys(),
		]),
		delivering: difference(delivering, silent),
		lost: desiredOf('pending'),
		failure,
	};
}

/** The service answered, but not with what was asked for. The message names no webhook or company. */
export class UnusableAnswer extends Error {}

/** Why a pass stopped although the service answers; the cause is the last reason. */
export class Stopped extends Error {}

/** Whether the same may succeed later: the service or the link is down, busy, or did not answer. */
export function isTemporary(reason: unknown): boolean {
	if (reason instanceof RegistryFailure) return reason.kind !== 'refused';
	return reason instanceof Error && 'isTemporary' in reason && reason.isTemporary === true;
}

/** A key that failures for the same reason share: the words of the service may hold the id of a request. */
export function reasonKey(reason: unknown): string {
	if (reason instanceof Stopped) return reasonKey(reason.cause ?? reason.message);
	if (!(reason instanceof RegistryFailure)) return messageOf(reason);
	return `${reason.status ?? reason.reason} ${reason.code ?? ''}`;
}
