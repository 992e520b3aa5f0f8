import { compact, partition, uniq } from 'lodash';

import { invalidCompanyNumber } from '../shared/companyNumber';
import { showValue } from '../shared/words';
import type { List, Listed } from './readList';
import { textOf } from './table';

/** Companies or columns that a message names. */
const MAXIMUM_NAMED = 20;
/** Rows that it names: a long list is to be corrected once. */
const MAXIMUM_ROWS = 100;
const IN_TEXT = /\b(?:[A-Z]{2}\d{6}|\d{8})\b/i;
const SHORTENED = /^\d[.,]?\d*E\+?\d+$/i;

/** A row that holds no company number that can be read. */
export interface UnreadableRow {
	/** As a spreadsheet counts it; in a list of numbers, the line. */
	row: number;
	/** With the client's name from the row: `row 61 ("sole trader", Jane Doe)`. */
	words: string;
	/** Whether it is a cell that went wrong rather than words: it has three digits or more. */
	mayBeNumber: boolean;
}

/** Asks which column holds the numbers, and says what to do about it. */
export function whichColumn(list: Extract<List, { candidates: string[] }>): {
	message: string;
	description: string;
} {
	const { candidates, secondTable } = list;
	if (secondTable !== undefined) {
		return {
			message: `Does a second table begin in row ${secondTable}?`,
			description: `Use one table at a time. If it is one table, take out the empty row above row ${secondTable}.`,
		};
	}
	const those =
		candidates.length > 0
			? `It could be ${candidates.slice(0, MAXIMUM_NAMED).join(' or ')}`
			: 'None has anything that could be one';
	return {
		message: 'Which column holds the company numbers?',
		description: `${those}. Write 'Company number' above the right column, and only there, as its heading.`,
	};
}

/**
 * Each row without a number: those with something in them first, then one entry for all others, as a count.
 */
export function unreadableRows(listed: Listed[]): UnreadableRow[] {
	const unreadable = listed.filter(({ number }) => number === undefined);
	const [filled, empty] = partition(unreadable, ({ entry, doubt }) => doubt ?? showValue(entry));
	const told = empty.length > 1 ? [] : empty;
	const rows = [...filled, ...told].map((one) => {
		const { row, entry, name, doubt, column } = one;
		const what = compact([showValue(entry), doubt]).join(' ') || 'empty';
		const words = `${column ? 'row' : 'line'} ${row} (${compact([what, name]).join(', ')})`;
		const isCell = doubt !== undefined && textOf(entry) === '';
		return { row, words, mayBeNumber: isCell || (textOf(entry).match(/\d/g)?.length ?? 0) >= 3 };
	});
	if (empty.length < 2) return rows;
	const { row } = empty[0];
	const words = `${empty.length} rows with nothing in that column, the first of them row ${row}`;
	return [...rows, { row, words, mayBeNumber: false }];
}

/** Those rows in one sentence, without a full stop; empty if there are none. */
export function describeUnreadable(rows: UnreadableRow[]): string {
	return named(
		rows.map(({ words }) => words),
		MAXIMUM_ROWS,
	);
}

/**
 * What to tell of all that cannot be read, at once, so that a long list has to be corrected once; what to do;
 * and which rows those are. Undefined if there is nothing.
 */
export function unreadableProblem(
	listed: Listed[],
): { message: string; description: string; rows: string } | undefined {
	const unreadable = listed.filter(({ number }) => number === undefined);
	if (unreadable.length === 0) return undefined;
	const [{ row, column }] = unreadable;
	const description = uniq(unreadable.map(remedyOf)).slice(0, 3).join(' ');
	const rows = describeUnreadable(unreadableRows(listed));
	if (unreadable.length === 1) {
		const place = column ? `Row ${row}, ${column}` : `Line ${row}`;
		return { message: `${place}: ${problemOf(unreadable[0])}`, description, rows };
	}
	const where = column ? ` in ${column}` : '';
	const message = `${unreadable.length} of ${listed.length} rows have no company number that can be read${where}`;
	return { message, description, rows };
}

/** What is wrong with an entry that is no company number, without a full stop. */
export function problemOf({ entry, column, doubt }: Listed): string {
	const shown = showValue(entry);
	if (doubt !== undefined) return `${shown} ${doubt}`.trim();
	return shown || column === undefined ? invalidCompanyNumber(entry).message : 'no company number';
}

/** What to write in its place. */
function remedyOf({ entry, doubt }: Listed): string {
	const text = textOf(entry);
	if (doubt?.includes('name')) return 'Give each company its own number.';
	if (doubt?.includes('headings')) return 'Put names with a comma in quotes, or use tabs.';
	if (doubt) return 'Write all 8 digits if it is a company number.';
	if (SHORTENED.test(text)) return 'Format the column as text in the spreadsheet.';
	const [inside] = IN_TEXT.exec(text) ?? [];
	return inside ? `Write the number alone: ${inside}.` : invalidCompanyNumber('').description;
}

/** At most so many by name, and how many more. */
export function named(all: string[], room = MAXIMUM_NAMED): string {
	const more = all.length - room;
	return compact([all.slice(0, room).join(', '), more > 0 && `${more} more`]).join(' and ');
}
