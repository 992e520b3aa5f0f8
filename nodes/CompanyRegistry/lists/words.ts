import { compact, map, partition, reject, uniq } from 'lodash';

import { invalidCompanyNumber } from '../shared/companyNumber';
import { showValue } from '../shared/words';
import { isLikely, textOf } from './cells';
import type { List, Listed } from './readList';

/** Why an entry is not taken for a number although it could be one, and what to do about it. */
const DOUBTS = {
	longer: [
		'in a row that is longer than the headings',
		'Put names with a comma in quotes, and a heading above each column.',
	],
	total: ['may be a total or a date', 'Take totals and dates out.'],
	named: ['has another name in another row', 'Give each company its own number.'],
	letter: ['has a letter among its digits', 'Write the digit 0 where the letter O stands.'],
	count: ['may be a count or a year', 'Write all 8 digits if it is a company number.'],
};
export type Doubt = keyof typeof DOUBTS;

/** A row without a company number that can be read; or all those that are empty. */
export interface UnreadableRow {
	row: number;
	/** With the client's name from the row: `row 61 ("sole trader", Jane Doe)`. */
	words: string;
	/** The same without its place, which changes with the rows above. */
	content: string;
	/** Whether it is a cell that went wrong, with three digits or more, and no total or date, which changes with each list. */
	mayBeNumber: boolean;
}

/** Asks which column holds the numbers, and says what to do about it. */
export function whichColumn({ candidates, otherTable }: Exclude<List, { listed: Listed[] }>) {
	const which = candidates.join(' or ');
	const those = which ? `It could be ${which}` : 'None has anything that could be one';
	const description = otherTable
		? `Another table seems to begin in row ${otherTable}. Use one table, or take out the empty row above if it is one.`
		: `${those}. Write 'Company number' above the right column as its heading, and above no other.`;
	return { message: 'Which column holds the company numbers?', description };
}

/** Those with something in them first; more than one with nothing in them are one entry, with their count. */
export function unreadableRows(listed: Listed[]): UnreadableRow[] {
	const [filled, empty] = partition(reject(listed, 'number'), wordsOf);
	const rows = [...filled, ...empty].map((one) => {
		const content = compact([wordsOf(one) || 'empty', one.name]).join(', ');
		const words = `${one.column ? 'row' : 'line'} ${one.row} (${content})`;
		const isTotal = one.doubt === 'total' && !isLikely(one.entry);
		const isDigits = /(?:\d\D*){3}/.test(textOf(one.entry)) && !isTotal;
		return { row: one.row, words, content, mayBeNumber: isDigits || one.doubt === 'longer' };
	});
	if (empty.length < 2) return rows;
	const [{ row }] = empty;
	const words = `${empty.length} empty cells, the first in row ${row}`;
	return [...rows.slice(0, filled.length), { row, words, content: '', mayBeNumber: false }];
}

/** At most a hundred of those rows, for a long list is to be corrected once. */
export function describeUnreadable(rows: UnreadableRow[]): string {
	return named(map(rows, 'words'), 100);
}

/** What to tell of all that cannot be read; what to do; and of several which they are, of none that can one. */
export function unreadableProblem(listed: Listed[]) {
	const unreadable = reject(listed, 'number');
	if (unreadable.length === 0) return undefined;
	const [{ row, column, name }] = unreadable;
	const description = uniq(unreadable.map(remedyOf)).slice(0, 3).join(' ');
	const place = column ? `Row ${row}${name ? ` (${name})` : ''}, ${column}` : `Line ${row}`;
	const one = { message: `${place}: ${problemOf(unreadable[0])}`, description, rows: '' };
	if (unreadable.length === 1) return one;
	const message = `${unreadable.length} of ${listed.length} rows have no company number that can be read${column && ` in ${column}`}`;
	const rows = unreadableRows(listed);
	const isAll = unreadable.length === listed.length;
	const said = isAll ? `For example ${rows[0].words}` : `They are: ${describeUnreadable(rows)}`;
	return { message, description, rows: said };
}

/** What is wrong with an entry that is no company number, without a full stop. */
export function problemOf(one: Listed): string {
	if (one.doubt) return wordsOf(one);
	const isEmpty = one.column && wordsOf(one) === '';
	return isEmpty ? 'no company number' : invalidCompanyNumber(one.entry).message;
}

/** What stands there, and what is doubtful about it. */
function wordsOf({ entry, doubt }: Listed): string {
	return compact([showValue(entry), doubt && DOUBTS[doubt][0]]).join(' ');
}

function remedyOf({ entry, doubt }: Listed): string {
	if (doubt) return DOUBTS[doubt][1];
	const text = textOf(entry);
	if (/^\d[.,]?\d*E\+?\d+$/i.test(text)) return 'Format the column as text in the spreadsheet.';
	const [inside] = /\b(?:[A-Z]{2}\d{6}|\d{8})\b/.exec(text.toUpperCase()) ?? [];
	return inside ? `Write the number alone: ${inside}.` : invalidCompanyNumber('').description;
}

/** At most so many by name, and how many more. */
export function named(all: string[], room = 20): string {
	const more = all.length - room;
	return compact([all.slice(0, room).join(', '), more > 0 && `${more} more`]).join(' and ');
}
