import { findIndex, findLastIndex, maxBy, uniq, uniqBy } from 'lodash';

import { isDate, isFilled, isLikely, isWords, lineOf, readNumber, textOf } from './cells';
import { findTable, headingRow, type Table } from './columns';
import { rowsOfItems, rowsOfLines, rowsOfText, type Row } from './rows';
import type { Guard } from './words';

/*
 * The rule:
 * 1. If one of the first twenty rows has a heading that says company number, that row holds the headings and
 *    that column holds the numbers. Of several such rows, the one with the most filled cells counts.
 * 2. Otherwise, if the first row is words only, the trigger reads nothing and names the possible columns.
 * 3. Otherwise there are no headings. The text is a list of numbers, or a table with exactly one column that
 *    has a full number in nearly all rows.
 * 4. A cell is a company number in full, or it is unreadable. Digits alone need at least six.
 *
 * Beside the rule there are exactly five guards:
 * - A row with more cells than headings is unreadable (a name with an unquoted comma), unless all rows have the
 *   same empty extra cells.
 * - A row in which one cell says only Total, Count or the like has no company.
 * - An empty row in a pasted text followed by a row of words means another table, and nothing is read until it
 *   is one table.
 * - Where there are no headings, eight digits that read as a date are unreadable.
 * - A bare heading (Number, Registration number) counts only where no other column is possible and nothing
 *   speaks of another register.
 */

/** A row of a list, and the company in it. */
export interface Listed extends Row {
	/** What the column of numbers is called; empty in a list of numbers. */
	column: string;
	/** The cell in which the number is expected. */
	entry: unknown;
	/** In the register's form; undefined if the row is unreadable. */
	number: string | undefined;
	name: string | null;
	/** The guard that makes the row unreadable, although its cell may be a number. */
	guard?: Guard;
	/** As the user has written them; undefined where there are none. */
	headings?: string[];
}

/** Why nothing is read: no column is sure, another table begins, or the text is of another kind. */
export interface Question {
	/** The columns that could hold the numbers. */
	candidates: string[];
	/** The row in which another table seems to begin. */
	otherTable?: number;
	/** A table without headings whose rows differ in length, or a text that is not UTF-8. */
	looksLike?: 'table' | 'UTF-16';
}

/** What was read of a list. */
export type List = { listed: Listed[] } | Question;

const TOTAL =
	/^(?:(?:grand|sub|overall|client|company)[ -]?)?(?:totals?|counts?|sum|average)(?: (?:clients|companies|fees|rows|records))?\W*$|^(?:number|no\.?) of \w+\W*$|^(?:(?:report|run|export) date|date|as at|updated|exported|printed)\W*$/i;

/** Reads the companies in a pasted text, in time that is proportional to its length. */
export function readListText(text: string): List {
	if (/\0|^\uFFFD/.test(text)) return { candidates: [], looksLike: 'UTF-16' };
	const bare = text.replace(/^\uFEFF/, '');
	const separator = separatorOf(bare);
	const rows = rowsOfText(bare, separator);
	const table = findTable(rows);
	if ('headings' in table) return readTable(table, separator);
	const lines = { heading: 'none', number: 0, name: -1, column: '' } as const;
	return readUntitled(table, rows, separator) ?? readTable({ ...lines, body: rowsOfLines(bare) });
}

/** Reads the companies in rows as n8n's nodes for tables and files put them out. */
export function readListItems(items: Array<Record<string, unknown>>): List {
	const rows = rowsOfItems(items);
	if (rows.length === 0) return { listed: [] };
	const table = findTable(rows, true);
	return 'candidates' in table ? table : readTable(table);
}

/** Each company once, as its first row has it, and each row without a number; in their order. */
export function withoutRepeats(listed: Listed[]): Listed[] {
	return uniqBy(listed, (one) => one.number ?? one);
}

/** The one under which headings are found, or that stands in most rows; a comma may stand in a name, too. */
function separatorOf(text: string): string {
	const weightOf = (separator: string) => {
		const rows = rowsOfText(text.slice(0, 20_000), separator);
		const { cells = [] } = headingRow(rows) ?? {};
		return cells.length > 1 ? Infinity : rows.filter(isWide).length;
	};
	return maxBy(['\t', ';', ','], weightOf) ?? ',';
}

/** The table or the question in rows of which none says company number; undefined where they are a list. */
function readUntitled(
	table: ReturnType<typeof findTable>,
	rows: Row[],
	separator: string,
): List | undefined {
	const candidates = 'candidates' in table ? table.candidates : [table.column];
	const hasColumns = rows.some(isWide) && rows.length > 1;
	const isNumbers = (row?: Row) => row?.cells.some(isLikely);
	const isWordy = rows[0]?.cells.some(isWords) && !isNumbers(rows[0]);
	if (isWordy && (candidates.length > 0 || hasColumns)) return { candidates };

	const isTabbed = separator === '\t';
	const isEven = uniq(rows.map(({ cells }) => cells.length)).length === 1;
	// Several columns of numbers, with nothing but separators between them.
	const isGrid = candidates.length > 1 && isEven && !rows.some(({ isSpaced }) => isSpaced);
	const isName = (cell: unknown) => isWords(cell) && !/^\S*\d\S*$/.test(textOf(cell));
	const named = rows.filter(({ cells }) => cells.some(isName));
	const isNamed = named.length >= rows.length * 0.9 && rows.filter(isWide).length > rows.length / 2;
	const isOneRow = isTabbed && rows.some(isWide) && !rows[0].cells.every(isLikely);
	if (!isOneRow && !(hasColumns && (isTabbed || isGrid || isNamed))) return undefined;
	if (!isTabbed && !isEven) return { candidates, looksLike: 'table' };
	return 'candidates' in table ? table : readTable(table, separator);
}

function isWide({ cells }: Row): boolean {
	return cells.filter(isFilled).length > 1;
}

function readTable(table: Table, separator?: string): List {
	const { body, heading, number: place, name, headings, column } = table;
	const numbers = body.map(({ cells }) => readNumber(cells[place], heading));
	const [first, last] = [findIndex(numbers, isFilled), findLastIndex(numbers, isFilled)];
	const other = body.find(({ cells, row, item }, index) => {
		const isApart = item === undefined && index > first && row > body[index - 1].row + 1;
		return isApart && index < last && cells.filter(isFilled).every(isWords);
	});
	if (other) return { candidates: [], otherTable: other.row };

	const titles = headings?.cells.map(lineOf);
	const width = titles ? findLastIndex(titles, isFilled) + 1 : Infinity;
	const isEven = uniq(body.map(({ cells }) => cells.length)).length === 1;
	const hasNames = body.some(({ isSpaced }) => isSpaced && !headings?.isSpaced);
	const mayEndEmpty = separator === '\t' || (isEven && !hasNames);
	const guardOf = ({ cells }: Row, index: number): Guard | undefined => {
		const isLong = titles && cells.length > titles.length && !mayEndEmpty;
		if (isLong || cells.slice(width).some(isFilled)) return 'longer';
		// In a list of numbers, the word stands in the line above.
		const words = column === '' ? body[index - 1]?.cells : cells;
		if (numbers[index] && words?.some((cell) => TOTAL.test(textOf(cell)))) return 'total';
		return heading === 'none' && isDate(cells[place]) ? 'date' : undefined;
	};
	const listed = body.map((one, index): Listed => {
		const { cells, row, item } = one;
		const guard = guardOf(one, index);
		const number = guard ? undefined : numbers[index];
		const named = lineOf(cells[name]) || null;
		// A copy takes less room than an array that has grown.
		const copy = [...cells];
		const entry = cells[place];
		return { row, item, column, entry, number, name: named, guard, cells: copy, headings: titles };
	});
	return { listed };
}
