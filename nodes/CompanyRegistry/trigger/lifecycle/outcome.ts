import { difference, groupBy, intersection, map, mapValues, pickBy, reject } from 'lodash';

import type { DesiredState } from './desired';
import type { TriggerMemory } from './state';
import { isWatched, mayDeliver, type Known, type Pending } from '../records/subscription';

/** Findings of one pass, collected on its way. */
export interface Findings {
	/** Whether the service has answered with the list of webhooks. */
	isChecked: boolean;
	/** Companies that the service refused, with the reason. */
	refused: Map<string, unknown>;
	/** Ids of other active webhooks of the desired companies, by company. */
	others: Record<string, string[]>;
	/** Companies that a first publish has to ask about. */
	alreadyWatched: string[];
	/** Webhooks that are not desired and could not be paused, and why. With a failure, the pass may be tried again. */
	failedPauses?: { subscriptions: Known[]; why: string; failure?: unknown };
	/** Webhooks that the list lacks, so that the service may have removed them, until an answer shows more. */
	doubtful?: Set<Known>;
	/** Companies to whose webhooks someone has added events. */
	extended: string[];
	/** Whether the list of the account has further pages, which the service documents no way to read. */
	hasMorePages: boolean;
	/** Why the pass did not come to its end. */
	failure?: unknown;
}

/** The result of one pass, made at its end. All counts and words are computed from it. */
export interface Outcome extends Findings {
	desired: DesiredState;
	/** Desired companies whose webhook the service confirmed as desired. */
	watched: string[];
	/** Desired companies that have a webhook. */
	existing: string[];
	/** Those watched, and those that may still deliver here with the previous events. */
	delivering: string[];
	/** Companies that are no longer desired, although their webhook may still be active. */
	notEnded: string[];
	/** Companies for which the service may hold a webhook that this trigger cannot verify. */
	lost: string[];
	/** Ids of the active webhooks that may be those, by company. */
	unverified: Record<string, string[]>;
}

export function noFindings(more: Partial<Findings> = {}): Findings {
	const nothing = { isChecked: false, others: {}, hasMorePages: false };
	return { ...nothing, refused: new Map(), alreadyWatched: [], extended: [], ...more };
}

export function summarise(
	memory: TriggerMemory,
	desired: DesiredState,
	findings: Findings,
): Outcome {
	const isDesired = new Set(desired.companies);
	const isEnded = ({ said, company }: Known) => said === 'paused' || isDesired.has(company);

	return {
		...findings,
		desired,
		watched: desiredAmong(
			desired,
			memory.known.filter((one) => isWatched(one, desired) && !findings.doubtful?.has(one)),
		),
		existing: desiredAmong(desired, memory.known),
		delivering: deliveringCompanies(memory, desired),
		notEnded: map(reject(memory.known, isEnded), 'company'),
		lost: desiredAmong(desired, memory.pending),
		unverified: unverifiedIn(memory.pending, findings),
	};
}

function unverifiedIn(pending: Pending[], { others }: Findings): Record<string, string[]> {
	const earlier = mapValues(groupBy(pending, 'company'), (all) =>
		intersection(...map(all, 'earlier')),
	);
	return pickBy(
		mapValues(earlier, (ids, company) => difference(others[company], ids)),
		'length',
	);
}

/** The part that a pass could not do; undefined where it could do both. */
export function failingIn({ failure, desired }: Outcome): 'check' | 'list' | undefined {
	if (failure !== undefined) return 'check';
	return desired.problem && 'list';
}

/** Desired companies of which deliveries may arrive here. */
export function deliveringCompanies(memory: TriggerMemory, desired: DesiredState): string[] {
	return desiredAmong(
		desired,
		memory.known.filter((one) => mayDeliver(one, desired.url)),
	);
}

function desiredAmong({ companies }: DesiredState, some: Array<{ company: string }>): string[] {
	return intersection(companies, map(some, 'company'));
}
