/*
 * 1. If one of the first twenty rows has a heading that says company number, that row holds the headings and
 *    that column holds the numbers. Of several such rows, the one with the most filled cells counts.
 * 2. Otherwise, if the first row is words only, the trigger reads nothing and names the possible columns.
 * 3. Otherwise there are no headings. The text is a list of numbers, or a table with exactly one column that
 *    has a full number in nearly all rows.
 * 4. A cell is a company number in full, or it is unreadable. Digits alone need at least six.
 *
 * Beside the rule there are exactly five guards: a row with more cells than headings is unreadable (a name with
 * an unquoted comma), unless all rows have the same empty extra cells; a row in which one cell says only Total,
 * Count or the like has no company; an empty row in a pasted text followed by a row of words means another table,
 * and nothing is read until it is one table; where there are no headings, eight digits that read as a date are
 * unreadable; a bare heading (Number, Registration number) counts only where no other column is possible and
 * nothing speaks of another register.
 */
import { findLastIndex, maxBy, uniqBy, without } from 'lodash';

import { singleLine, cellText } from '../shared/format';
import { findTable, headingRow, saysNumber } from './columns';
import type { Guard, List, ListRow } from './list';
import { NOT_UTF8, otherTable } from './messages';
import * as cell from './rows';

export type { List, ListRow };

const TOTAL =
	/^(?:(?:[\w-]+ )?(?:(?:sub)?totals?|counts?|sum|average|balance|checksum)(?: (?:fees|spend|paid|due|clients|companies|rows))?|(?:number|no\.?) of [\w ]+)\W*$|^(?:(?:\w+ )?dated?(?: of \w+)?|year end(?:ed)?|as (?:at|of|on)|(?:updated|printed|exported|extracted|generated|produced|last \w+ed|prepared by .+)(?: on)?)[\s:.\d/-]*$/i;

/** Reads the companies in a pasted text, in time that is proportional to its length. */
export function readListText(text: string): List {
	if (/\0|^\uFFFD/.test(text)) return NOT_UTF8;
	const bare = text.replace(/^\uFEFF/, '');
	const separator = separatorOf(bare);
	const rows = cell.rowsOfText(bare, separator);
	return isTable(rows, separator) ? readRows(rows) : readRows(cell.rowsOfLines(bare), true);
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
	const isGrid = hasOneWidth(rows) && rows.some(({ cells }) => cells.some(cell.isLikely));
	const isEven = separator === '\t' || (rows.length > 1 && (isGrid || isNamed));
	return headingRow(rows) !== undefined || (wide.length > 0 && isEven);
}

function isWide({ cells }: cell.Row): boolean {
	return cells.filter(cell.isFilled).length > 1;
}

function hasOneWidth(rows: cell.Row[]): boolean {
	return uniqBy(rows, 'cells.length').length < 2;
}

function readRows(rows: cell.Row[], isList = false): List {
	const table = findTable(rows, isList);
	if ('message' in table) return table;
	const { headings, titles, body, heading, number: place, name, column } = table;
	const numbers = body.map(({ cells }) => cell.readNumber(cells[place], heading));
	const other = body.slice(0, findLastIndex(numbers, cell.isFilled)).find((one, index) => {
		const isApart = one.item === undefined && one.row > (body[index - 1] ?? one).row + 1;
		return isApart && one.cells.filter(cell.isFilled).every(cell.isWords);
	});
	if (other) return otherTable(other.row);

	const width = titles ? findLastIndex(titles, cell.isFilled) + 1 : Infinity;
	const isCut = body.some(({ isSpaced }) => isSpaced && !headings?.isSpaced);
	const mayEndEmpty = !titles || (hasOneWidth(body) && !isCut);
	const guardOf = (cells: unknown[], before: unknown): Guard | undefined => {
		const isLong = !mayEndEmpty && cells.length > titles.length;
		if (isLong || cells.slice(width).some(cell.isFilled)) return 'longer';
		const entry = cells[place];
		const label = column ? without(cells, entry).find(cell.isFilled) : before;
		if ([label, cells[name]].some((one) => TOTAL.test(cellText(one)))) return 'total';
		return heading === 'none' && cell.isDate(entry) ? 'date' : undefined;
	};
	const listed = body.map(({ row, item, ...one }, index): ListRow => {
		// A copy takes less room than an array that has grown.
		const cells = [...one.cells];
		const guard = guardOf(cells, body[index - 1]?.cells[0]);
		const number = guard ? undefined : numbers[index];
		const company = { entry: cells[place], number, name: singleLine(cells[name]) || null, guard };
		return { row, item, column, cells, headings: titles, ...company };
	});
	return { listed };
}
