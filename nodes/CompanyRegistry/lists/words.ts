import { compact, map, partition, uniq } from 'lodash';

import { invalidCompanyNumber } from '../shared/companyNumber';
import { showValue } from '../shared/words';
import type { Listed, Unclear } from './readList';
import { textOf } from './table';

/** Companies or columns that a message names. */
const MAXIMUM_NAMED = 20;
/** Rows that it names: a long list is to be corrected once. */
const MAXIMUM_ROWS = 100;
/** What to write in place of what is wrong, by what is said of it. */
const REMEDIES: Array<[problem: RegExp, remedy: string]> = [
	[/another name/, 'Give each company its own number.'],
	[/longer/, 'Put names with a comma in quotes, and a heading above each column.'],
	[/total/, 'Take totals and dates out.'],
	[/letter among/, 'Write the digit 0 where the letter O stands.'],
	[/count/, 'Write all 8 digits if it is a company number.'],
	[/"\d[.,]?\d*E\+?\d+"/i, 'Format the column as text in the spreadsheet.'],
];
const IN_TEXT = /\b(?:[A-Z]{2}\d{6}|\d{8})\b/i;

/** A row without a company number that can be read; or all those that are empty. */
export interface UnreadableRow {
	/** As a spreadsheet counts it; in a list of numbers, the line. */
	row: number;
	/** With the client's name from the row: `row 61 ("sole trader", Jane Doe)`. */
	words: string;
	/** Whether it is a cell that went wrong rather than words: it has three digits or more. */
	mayBeNumber: boolean;
}

/** Asks which column holds the numbers, and says what to do about it. */
export function whichColumn({ candidates, otherTable }: Unclear) {
	const message = 'Which column holds the company numbers?';
	const those =
		candidates.length > 0
			? `It could be ${candidates.slice(0, MAXIMUM_NAMED).join(' or ')}`
			: 'None has anything that could be one';
	const description = otherTable
		? `Another table seems to begin in row ${otherTable}. Use one table, or take out the empty row above if it is one.`
		: `${those}. Write 'Company number' above the right column as its heading, and above no other.`;
	return { message, description };
}

/** Those with something in them first; more than one with nothing in them are one entry, with their count. */
export function unreadableRows(listed: Listed[]): UnreadableRow[] {
	const unreadable = listed.filter(({ number }) => number === undefined);
	const [filled, empty] = partition(unreadable, ({ entry, doubt }) => doubt ?? showValue(entry));
	const rows = [...filled, ...empty].map(({ row, entry, name, doubt, column }) => {
		const what = compact([showValue(entry), doubt]).join(' ') || 'empty';
		const words = `${column ? 'row' : 'line'} ${row} (${compact([what, name]).join(', ')})`;
		const isMissed = doubt !== undefined && textOf(entry) === '';
		return { row, words, mayBeNumber: isMissed || textOf(entry).replace(/\D/g, '').length >= 3 };
	});
	if (empty.length < 2) return rows;
	const words = `${empty.length} empty cells, the first in row ${empty[0].row}`;
	return [...rows.slice(0, filled.length), { row: empty[0].row, words, mayBeNumber: false }];
}

/** Those rows in one sentence, without a full stop; empty if there are none. */
export function describeUnreadable(rows: UnreadableRow[]): string {
	return named(map(rows, 'words'), MAXIMUM_ROWS);
}

/**
 * What to tell of all that cannot be read, at once; what to do; and, of several, which rows those are.
 * Undefined if there is nothing.
 */
export function unreadableProblem(listed: Listed[]) {
	const unreadable = listed.filter(({ number }) => number === undefined);
	if (unreadable.length === 0) return undefined;
	const [{ row, column, name }] = unreadable;
	const description = uniq(unreadable.map(remedyOf)).slice(0, 3).join(' ');
	if (unreadable.length === 1) {
		const whose = name ? ` (${name})` : '';
		const place = column ? `Row ${row}${whose}, ${column}` : `Line ${row}`;
		return { message: `${place}: ${problemOf(unreadable[0])}`, description, rows: '' };
	}
	const where = column ? ` in ${column}` : '';
	const message = `${unreadable.length} of ${listed.length} rows have no company number that can be read${where}`;
	return { message, description, rows: describeUnreadable(unreadableRows(listed)) };
}

/** What is wrong with an entry that is no company number, without a full stop. */
export function problemOf({ entry, column, doubt }: Listed): string {
	const shown = showValue(entry);
	if (doubt !== undefined) return `${shown} ${doubt}`.trim();
	return shown || column === undefined ? invalidCompanyNumber(entry).message : 'no company number';
}

function remedyOf(one: Listed): string {
	const known = REMEDIES.find(([problem]) => problem.test(problemOf(one)))?.[1];
	const [inside] = IN_TEXT.exec(textOf(one.entry)) ?? [];
	const alone = inside && `Write the number alone: ${inside.toUpperCase()}.`;
	return known ?? alone ?? invalidCompanyNumber('').description;
}

/** At most so many by name, and how many more. */
export function named(all: string[], room = MAXIMUM_NAMED): string {
	const more = all.length - room;
	return compact([all.slice(0, room).join(', '), more > 0 && `${more} more`]).join(' and ');
}
