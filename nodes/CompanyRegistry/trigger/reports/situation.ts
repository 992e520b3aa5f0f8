import { difference, intersection, map, union } from 'lodash';

import { isTemporary } from '../records/failures';
import { keptFor } from '../lifecycle/kept';
import type { Outcome } from '../lifecycle/outcome';
import type { News } from './ledger';

/** Everything that a report is made from. Times are milliseconds since the epoch. */
export interface Situation {
	/** Of the last pass. */
	outcome: Outcome;
	/** News that a person has not read yet. */
	news: News;
	/** Since when the webhooks could not be checked or the list could not be read; undefined where this pass could both. */
	failingSince?: number;
	/** The same of the list alone. */
	unreadSince?: number;
	/** Whether it is too early to report a failure, and something else is reported. */
	mayPassSoon?: boolean;
	/** Whether a publish goes on behind its answer. */
	isSettingUp: boolean;
	/** Whether n8n takes the trigger down before the setup has ended. */
	isInterrupted?: boolean;
	/** Whether this is the trigger's first publish: nothing was ever watched by it. */
	isFirst: boolean;
	/** Whether another trigger of the workflow watches a company. */
	isWatchedBeside?: boolean;
	at: number;
	/** For example `Europe/London`. */
	timezone: string;
	/** Its name. */
	workflow: string;
}

/**
 * Whether a person can end the companies that have left the list. Behind a failure that may pass, no one reads of
 * them, and the user may publish again because of that.
 */
export function areRemovalsTold({ isChecked, failure, desired }: Outcome): boolean {
	if (desired.problem !== undefined) return false;
	return failure === undefined || (isChecked && !isTemporary(failure));
}

/** Companies by what a person reads of them. */
export interface Headings {
	/** Not watched. */
	left: string[];
	/** Still watched, although most of the list is gone. */
	shrunk: string[];
	/** Still watched, although their name has another number now. */
	renumbered: string[];
	/** Their events may be missing. */
	gap: string[];
	/** Still watched, because a row that cannot be read may hold their number. */
	unreadable: string[];
	added: string[];
	removed: string[];
}

/** Each company under one heading only: the first that fits, in the order of the verdicts. */
export function headingsOf({ outcome, news }: Situation): Headings {
	const { desired, watched, notEnded } = outcome;
	const { kept, companies } = desired;
	const seen = new Set<string>();
	const take = (some: readonly string[]) =>
		some.filter((company) => !seen.has(company) && seen.add(company));

	// The new number of a company is shown with its old one.
	const newNumbers = map([...kept.values()], 'newNumber');
	const isNew = difference(watched, news.watchedBefore, newNumbers as string[]);

	const withNews = [...news.companies.keys()];

	return {
		left: take(difference(companies, watched)),
		shrunk: take(keptFor('shrunk', kept)),
		renumbered: take(keptFor('renumbered', kept)),
		removed: take(difference(union(news.watchedBefore, withNews), companies, notEnded)),
		// In the order of the list, as far as it has them.
		gap: take([...intersection(companies, withNews), ...withNews]),
		unreadable: take(keptFor('unreadable', kept)),
		added: take(intersection(isNew, companies)),
	};
}
