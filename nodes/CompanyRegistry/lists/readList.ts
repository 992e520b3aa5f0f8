/*
 * 1. If one of the first twenty rows has a heading that says company number, that row holds the headings and
 *    that column holds the numbers. Of several such rows, the one with the most filled cells counts.
 * 2. Otherwise, if the first row is words only, the trigger reads nothing and names the possible columns.
 * 3. Otherwise there are no headings. The text is a list of numbers, or a table with exactly one column that
 *    has a full number in nearly all filled cells.
 * 4. A cell is a company number in full, or it is unreadable. Digits alone need at least six, or under a heading
 *    that says company number one, where at least half of the other cells are full numbers.
 *
 * Beside the rule there are exactly six guards: a row with more cells than headings is unreadable (a name with
 * an unquoted comma), unless all rows have the same empty extra cells; a row in which one cell says only Total,
 * Count or the like has no company, nor has a last row with a count alone; an empty row in a pasted text followed
 * by a row of words means another table, and nothing is read until it is one table; where there are no headings
 * and most cells read as dates, these are unreadable; a bare heading (Number, Registration number) counts only
 * where nearly all filled cells are full numbers, no other column is possible and nothing speaks of another
 * register; a number that has lost its zeros is unreadable in a row of another country.
 */
import { findLastIndex, maxBy, uniqBy } from 'lodash';

import { normaliseCompanyNumber } from '../shared/companyNumber';
import { singleLine, cellText } from '../shared/format';
import { findNames, findTable, headingRow, saysNumber } from './columns';
import { guardsOf } from './guards';
import type { List, ListRow, RepeatedRow } from './list';
import { NOT_UTF8, otherTable } from './messages';
import * as cell from './rows';

export type { List, ListRow };
/** The first headings of a stored list that says which number and name it read in each row. */
const STORED = /^Number read in column (\d+)\tName read(?=[\t\n]|$)/;

/** Reads the companies in a pasted text, in time that is proportional to its length. */
export function readListText(text: string): List {
	if (/\0|^\uFFFD/.test(text)) return NOT_UTF8;
	const bare = text.replace(/^\uFEFF/, '');
	if (STORED.test(bare)) return readStored(bare);
	const separator = separatorOf(bare);
	const rows = cell.rowsOfText(bare, separator);
	return isTable(rows, separator) ? readRows(rows) : readRows(cell.rowsOfLines(bare), true);
}

/** Reads a stored list with the number and name that each row had, whatever the rows say by themselves. */
function readStored(text: string): List {
	const [{ cells: first }, ...rows] = cell.rowsOfText(text, '\t');
	const place = Number(STORED.exec(text)?.[1] ?? 1) + 1;
	const headings = first.length > 2 ? first.slice(2).map(singleLine) : undefined;
	const listed = rows.map(({ row, cells }) => {
		const [number, name] = [normaliseCompanyNumber(cells[0]), singleLine(cells[1]) || null];
		const entry = headings ? cells[place] : cells[0];
		return { row, cells: cells.slice(2), column: '', entry, number, name, headings };
	});
	return { listed };
}

/** Reads the companies in rows as n8n's nodes for tables and files put them out. */
export function readListItems(items: Array<Record<string, unknown>>): List {
	const rows = cell.rowsOfItems(items);
	return rows.length > 0 ? readRows(rows) : { listed: [] };
}

/** Each company once, as its first row has it, and each row without a number; in their order. */
export function withoutRepeats(listed: ListRow[]): ListRow[] {
	return uniqBy(listed, (one) => one.number ?? one);
}

/** The rows that have the company of an earlier row. */
export function repeatedRows(listed: ListRow[]): RepeatedRow[] {
	const first = new Map<string, number>();
	return listed.flatMap(({ row, number }) => {
		if (number === undefined) return [];
		const repeats = first.get(number);
		if (repeats === undefined) first.set(number, row);
		return repeats === undefined ? [] : [{ row, repeats, company: number }];
	});
}

/** The separator under which headings are found, or else the one in the most rows. */
function separatorOf(text: string): string {
	const weightOf = (separator: string) => {
		const rows = cell.rowsOfText(text.slice(0, 20_000), separator);
		const isHeaded = rows.some((row) => row.cells.length > 1 && saysNumber(row));
		return isHeaded ? Infinity : rows.filter(isWide).length;
	};
	return maxBy(['\t', ';', ','], weightOf) ?? ',';
}

/** Whether rows are a table: they have headings, or all the same number of cells, or nearly all a name. */
function isTable(rows: cell.Row[], separator: string): boolean {
	// With a digit, it may be a mistyped number.
	const isName = (one: unknown) => /^\D*\p{L}\D*$/u.test(cellText(one));
	const wide = rows.filter(isWide);
	const isNamed = wide.filter(({ cells }) => cells.some(isName)).length >= rows.length * 0.9;
	const isGrid = cell.haveOneWidth(rows) && rows.some(({ cells }) => cells.some(cell.isLikely));
	const isEven = separator === '\t' || (rows.length > 1 && (isGrid || isNamed));
	return headingRow(rows) !== undefined || (wide.length > 0 && isEven);
}

function isWide({ cells }: cell.Row): boolean {
	return cells.filter(cell.isFilled).length > 1;
}

function readRows(rows: cell.Row[], isList = false): List {
	const table = findTable(rows, isList);
	if ('message' in table) return table;
	const { titles, body, heading, number: place, column } = table;
	const entries = cell.cellsOf(body, place);
	const numbers = cell.readNumbers(entries, heading);
	const other = otherTableIn(body, numbers);
	if (other) return otherTable(other.row);

	const names = findNames(table, numbers);
	const guardOf = guardsOf(table, numbers, names.column);
	const listed = body.map(({ row, item, ...one }, index): ListRow => {
		// A copy takes less room than an array that has grown.
		const cells = [...one.cells];
		const guard = guardOf(index);
		const number = guard ? undefined : numbers[index];
		const isUnclear = names.unclear.has(numbers[index] ?? '');
		const name = (!isUnclear && singleLine(cells[names.column])) || null;
		const company = { entry: entries[index], number, name, guard };
		return { row, item, column, cells, headings: titles, ...company };
	});
	return { listed };
}

/** A row of words below an empty one, with numbers further down: the heading of another table. */
function otherTableIn(body: cell.Row[], numbers: unknown[]): cell.Row | undefined {
	return body.slice(0, findLastIndex(numbers, cell.isFilled)).find((one, index) => {
		const isApart = one.item === undefined && one.row > (body[index - 1] ?? one).row + 1;
		return isApart && one.cells.filter(cell.isFilled).every(cell.isWords);
	});
}
