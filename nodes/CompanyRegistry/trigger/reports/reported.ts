// Records of news that a person has read, so that no report repeats it within a day.
import { keyBy, mapValues, pick, pickBy } from 'lodash';

import { digestOf } from '../../shared/digest';
import type { Facts } from '../records/facts';
import type { Outcome } from '../lifecycle/outcome';
import { REFUSED } from './ledger';
import type { Report } from './report';

type Keys = Report['keys'];
type Reported = NonNullable<Facts['reported']>;

const DAY = 86_400_000;

/** Whether a report has something that a person has not read. @param at milliseconds since the epoch */
export function isUnread(keys: Keys, reported: Reported = {}, at: number): boolean {
	return digestsOf(keys, reported).some((digest) => !isRecent(reported[digest], at));
}

/** The previous ones without those of earlier days. @param isRead whether a person reads this report as well */
export function reportedAfter(
	keys: Keys,
	reported: Reported = {},
	at: number,
	isRead: boolean,
): Reported {
	const now = mapValues(keyBy(digestsOf(keys, reported)), () => at);
	const recent = pickBy(reported, (readAt) => isRecent(readAt, at));
	return isRead ? { ...recent, ...now } : recent;
}

/** A check that came to its end forgets what it did not find again. */
export function withoutEnded(
	keys: Keys,
	reported: Reported,
	{ isChecked, failure }: Outcome,
): Reported {
	const isWhole = isChecked && failure === undefined;
	const { lasting, happened, waiting } = keys;
	// Deliveries that are refused now and then are one problem.
	const kept = [...lasting, ...happened, ...waiting, REFUSED];
	const current = kept.flatMap((key) => [key, again(key)]);
	return isWhole ? pick(reported, current.map(digest)) : reported;
}

/** Something that happens a second time is news, because its time is another one. A third time is not. */
function digestsOf({ lasting, happened }: Keys, reported: Reported): string[] {
	const repeated = happened.filter((key) => digest(key) in reported);
	return [...lasting, ...happened, ...repeated.map(again)].map(digest);
}

function again(key: string): string {
	return `again ${key}`;
}

function digest(key: string): string {
	return digestOf(key, 16);
}

/** A clock may have been ahead. */
function isRecent(readAt: number | undefined, at: number): boolean {
	return readAt !== undefined && Math.abs(at - readAt) < DAY;
}
