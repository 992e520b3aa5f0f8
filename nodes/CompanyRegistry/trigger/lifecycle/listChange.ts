import { countBy, difference, filter, map, partition, uniqBy } from 'lodash';

import type { ListRow } from '../../lists/list';
import { joinRows } from '../../lists/storedList';
import { readName } from '../../shared/companyName';
import type { ChangedNumber, Waiting } from '../records/desired';
import { namesIn, type Companies } from '../parameters/watchlist';

interface ListChange {
	/** Of the list in force. */
	before: ListRow[];
	now: Companies;
	/** Whether this trigger has a webhook for a company. */
	hasWebhook: (company: string) => boolean;
	allowsLargeRemovals: boolean;
}

/** Shorter lists change as a whole. */
const SHORTEST_LIST = 4;

/**
 * What becomes of the list in force when another one is read: no company is dropped by accident. While companies wait,
 * the list is on hold: rows that only it has are marked, and do not count when the next one is compared.
 */
export function changeList(change: ListChange): {
	rows: ListRow[];
	waiting: Waiting[];
	changedNumbers: ChangedNumber[];
} {
	const { before, now } = change;
	const counted = before.filter(({ isOnHold }) => !isOnHold);
	const waiting = waitingCompanies(change, counted);
	if (waiting.length === 0) {
		return { rows: now.rows, waiting, changedNumbers: findChangedNumbers(counted, now) };
	}

	const earlier = new Set(map(counted, 'number'));
	const waits = new Set(map(waiting, 'company'));
	const added = now.rows.map((row) => (earlier.has(row.number) ? row : { ...row, isOnHold: true }));
	const kept = counted.filter(({ number = '' }) => waits.has(number));
	return { rows: joinRows(added, kept), waiting, changedNumbers: [] };
}

function waitingCompanies(
	{ now, hasWebhook, allowsLargeRemovals }: ListChange,
	counted: ListRow[],
): Waiting[] {
	const watched = map(counted, 'number').filter((one) => hasWebhook(one ?? '')) as string[];
	const gone = difference(watched, now.companies);
	const isLarge = (watched.length - gone.length) * 2 < watched.length;
	const holdsAll = isLarge && watched.length >= SHORTEST_LIST && !allowsLargeRemovals;
	if (holdsAll) return gone.map((company) => ({ company, why: 'large' }));

	// Such a row may be any company that the list lacks, or the one with its name.
	const mistyped = filter(now.unreadable, 'looksMistyped');
	const [named, nameless] = partition(mistyped, 'name');
	const names = new Set(named.map(({ name }) => comparable(name)));
	const earlier = namesIn(counted);
	const mayBeHidden = (company: string) =>
		nameless.length > 0 || names.has(comparable(earlier.get(company) ?? ''));
	return gone.filter(mayBeHidden).map((company) => ({ company, why: 'row' }));
}

/** Names that occur once in both lists, with another number: the earlier number has left. */
function findChangedNumbers(counted: ListRow[], now: Companies): ChangedNumber[] {
	const earlier = numbersByName([...namesIn(counted)]);
	const later = numbersByName([...now.names, ...now.unclearNames]);
	const isListed = new Set(now.companies);

	return [...earlier].flatMap(([name, before]) => {
		const number = later.get(name);
		if (number === undefined || isListed.has(before)) return [];
		return [{ name: now.names.get(number) ?? '', before, now: number }];
	});
}

/** The number of each name that one company only has. */
function numbersByName(named: Array<readonly [company: string, name: string]>) {
	const all = named.map(([company, name]) => [comparable(name), company] as const);
	const counts = countBy(uniqBy(all, String), 0);
	return new Map(all.filter(([name]) => counts[name] === 1));
}

function comparable(name: string): string {
	return JSON.stringify(readName(name));
}
