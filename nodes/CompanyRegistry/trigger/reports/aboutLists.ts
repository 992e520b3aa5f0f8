// Rows 1, 2, 5, 6, 7 and 8 of the table of situations: the list, and what became of it.
import { compact, difference, filter, groupBy, map } from 'lodash';

import { pluralise } from '../../shared/format';
import { problemOf, type Statement } from './statement';
import type { Status } from './status';
import { areWatched, forCount, named, type Part } from './words';

/** Row 7. */
export function largeRemoval({ reading }: Status): Statement[] {
	const companies = map(filter(reading.waiting, { why: 'large' }), 'company');
	if (companies.length === 0) return [];
	const stay = forCount(companies.length, 'stays', 'stay');
	const words =
		"If this list is wrong, publish the right one. If it is right, publish it with 'Allow Large Removals' (under Options) on";
	return [
		{
			says: `${pluralise(companies.length, 'company')} left your list and ${stay} watched`,
			parts: [{ words, list: named(companies, reading.names) }],
			problem: problemOf('large', companies),
		},
	];
}

/** Row 8. */
export function rowHidesCompany({ reading, watched }: Status): Statement[] {
	const companies = map(filter(reading.waiting, { why: 'row' }), 'company');
	if (companies.length === 0) return [];
	const rows = mistypedRows(reading);
	const was = forCount(companies.length, 'was', 'were');
	const removed = `so ${pluralise(companies.length, 'company')} ${was} not removed`;
	return [
		{
			says: `${areWatched(watched.length)}; ${countNotRead(reading)}, ${removed}`,
			parts: [
				{ words: 'Correct these rows, or remove them', list: map(rows, 'words') },
				{ words: 'These companies stay watched until then', list: named(companies, reading.names) },
			],
			problem: problemOf('row', [...companies, ...map(rows, rowKey)]),
		},
	];
}

/** Row 2, rows that look mistyped. */
export function rowsNotRead({ reading, watched }: Status): Statement[] {
	const rows = mistypedRows(reading);
	if (rows.length === 0 || reading.waiting.some(({ why }) => why === 'row')) return [];
	const brief = countNotRead(reading);
	return [
		{
			says: `${areWatched(watched.length)}; ${brief}`,
			brief,
			parts: [{ words: 'Correct these rows, or remove them', list: map(rows, 'words') }],
			problem: problemOf('rows', map(rows, rowKey)),
		},
	];
}

export function mistypedRows({ unreadable }: Status['reading']) {
	return filter(unreadable, 'looksMistyped');
}

/** A row that moves is the same row. */
function rowKey({ cell, name }: { cell: string; name: string }): string {
	return `${cell}\t${name}`;
}

/** Rows 5 and 6: changes since the last report. */
export function changes(status: Status): Statement[] {
	const { added, removed, changedNumbers, watched, reading, isFinished, isFirst } = status;
	if (!isFinished || added.length + removed.length + changedNumbers.length === 0) return [];
	// All companies of a first publish are new.
	const counts = changeCounts({ added: isFirst ? [] : added, removed, changedNumbers });
	const alone = withoutChanged(status);
	const lists = [
		{ words: 'Check the changed numbers', list: changedNumbers.map(changedLine) },
		{ words: 'Added', list: isFirst ? [] : named(alone.added, reading.names) },
		{ words: 'No longer watched', list: named(alone.removed, reading.names) },
	];
	return [
		{
			says: counts ? `${areWatched(watched.length)}: ${counts}` : areWatched(watched.length),
			parts: filter(lists, 'list.length') as Part[],
			problem:
				changedNumbers.length > 0
					? problemOf('renumbered', changedNumbers.map(changedLine))
					: undefined,
			brief: removed.length > 0 ? `${removed.length} removed` : undefined,
		},
	];
}

type Changes = Pick<Status, 'added' | 'removed' | 'changedNumbers'>;

/** `3 added, 2 removed, 1 changed number`. */
export function changeCounts(change: Changes): string {
	const { added, removed } = withoutChanged(change);
	return compact([
		added.length > 0 && `${added.length} added`,
		removed.length > 0 && `${removed.length} removed`,
		change.changedNumbers.length > 0 && pluralise(change.changedNumbers.length, 'changed number'),
	]).join(', ');
}

/** A changed number is neither added nor removed. */
export function withoutChanged({ added, removed, changedNumbers }: Changes) {
	return {
		added: difference(added, map(changedNumbers, 'now')),
		removed: difference(removed, map(changedNumbers, 'before')),
	};
}

export function changedLine({ name, before, now }: Status['changedNumbers'][number]): string {
	return `${name}: ${before} → ${now}`;
}

/** Row 1. */
export function allWatched({ watched, isFinished }: Status): Statement[] {
	return isFinished ? [{ says: areWatched(watched.length), parts: [] }] : [];
}

/** What needs no one and never leads. */
export function notes({ reading, isFinished, desired }: Status): Statement[] {
	if (!isFinished) return [];
	const parts = [...remarks(reading), ...allowedRemovals(desired)];
	return parts.length > 0 ? [{ says: '', parts }] : [];
}

/** What a person may want to check of a list that was read. */
export function remarks(reading: Status['reading']): Part[] {
	const { completed, leftOut } = reading;
	const lists: Part[] = [
		{ words: 'No company number', list: map(rowsWithoutNumber(reading), 'words') },
		{ words: `${pluralise(completed.length, 'number')} completed with zeros`, list: completed },
		{ words: 'Numbers with several names: the first one is used', list: sharedNumbers(reading) },
		{ words: 'Columns left out, because the list is too large', list: leftOut },
	];
	return filter(lists, 'list.length');
}

/** `2 rows not read`; empty where no row looks mistyped. */
export function countNotRead(reading: Status['reading']): string {
	const { length } = mistypedRows(reading);
	return length > 0 ? `${pluralise(length, 'row')} not read` : '';
}

/** `3 rows without a company number`; empty where each has one, or looks mistyped. */
export function countWithoutNumber(reading: Status['reading']): string {
	const { length } = rowsWithoutNumber(reading);
	return length > 0 ? `${pluralise(length, 'row')} without a company number` : '';
}

function rowsWithoutNumber({ unreadable }: Status['reading']) {
	return filter(unreadable, ({ looksMistyped }) => !looksMistyped);
}

/** Numbers in several rows whose names differ, so that one of them may be another company's. */
function sharedNumbers({ unclearNames }: Status['reading']): string[] {
	const rows = groupBy(unclearNames, ([company]) => company);
	return map(rows, (some, company) => `${company}: ${map(some, 1).join(', ')}`);
}

export function allowedRemovals({ options }: Status['desired']): Part[] {
	if (!options.allowLargeRemovals) return [];
	const words = "'Allow Large Removals' is on: your next publish may stop watching most companies";
	return [{ words }];
}
