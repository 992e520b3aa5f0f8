import { uniq, uniqBy } from 'lodash';

import {
	completeFewDigits,
	hasRegisterForm,
	normaliseCompanyNumber,
	resemblesCompanyNumber,
	writtenNumber,
} from '../shared/companyNumber';
import { cellText } from '../shared/format';

const DATE =
	/^(?:(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d|[0-3]\d(?:0[1-9]|1[0-2])(?:19|20)\d\d|\d{1,4}([-./])\d\d?\1\d{2,4})$/;

/** A row of a table; in a list of numbers, each is one. */
export interface Row {
	cells: unknown[];
	/** As a spreadsheet counts it, with headings and empty rows; in a list of numbers, the line. */
	row: number;
	/** The item that it comes from, counted from 0. */
	item?: number;
}

/** How rows were written: as items, as lines of numbers, or with a separator. */
export type Form = 'items' | 'lines' | '\t' | ';' | ',';

/** Columns that n8n's nodes for tables add to the user's own. */
const ADDED = new Set(['row_number', 'id', 'createdAt', 'updatedAt', 'createdTime']);

/** Items as the rows of a table: the names of their fields are its headings. */
export function rowsOfItems(items: Array<Record<string, unknown>>): Row[] {
	const headings = uniq(items.flatMap(Object.keys)).filter((key) => !ADDED.has(key));
	const rows = items.map((item, index) => ({
		cells: headings.map((heading) => item[heading]),
		row: Number(item.row_number) || index + 2,
		item: index,
	}));
	// n8n's name for a column without a heading.
	const first = { cells: headings.map((one) => one.replace(/^__EMPTY.*/, '')), row: 1 };
	return [first, ...rows].filter(({ cells }) => cells.some(isFilled));
}

/**
 * The rows of a text as RFC 4180 and spreadsheets write them: a cell in quotes may hold separators, line
 * breaks and doubled quotes. Other quotes are characters like any. Takes time in proportion to the text.
 */
export function rowsOfText(text: string, separator: string): Row[] {
	const quotes = `"([^"]*(?:""[^"]*)*)"(?=[${separator}\\r\\n]|$)`;
	const cell = `(?:${quotes}|([^${separator}\\r\\n]*))(${separator}|\\r\\n?|\\n|$)`;
	const rows: Row[] = [{ cells: [], row: 1 }];
	for (const [, quoted, plain, end] of text.matchAll(new RegExp(` *${cell}`, 'g'))) {
		const { cells } = rows[rows.length - 1];
		cells.push((plain ?? quoted.replaceAll('""', '"')).trim());
		if (end !== separator) rows.push({ cells: [], row: rows.length + 1 });
	}
	return rows.filter(({ cells }) => cells.some(isFilled));
}

/** The entries of a list: each line, or each part of a line if every part is a number. */
export function rowsOfLines(text: string): Row[] {
	const isNumber = (entry: string) => readNumber(entry) !== undefined;
	return text.split(/\r\n|\n|\r/).flatMap((line, index) => {
		const cuts = [[line], line.split(/[,;]/), line.split(/[\s,;]/)];
		const filled = cuts.map((parts) => parts.filter(isFilled));
		const parts = filled.find((some) => some.every(isNumber)) ?? filled[0];
		return parts.map((entry) => ({ cells: [entry], row: index + 1 }));
	});
}

export function isFilled(cell: unknown): boolean {
	return String(cell ?? '').trim() !== '';
}

/** Whether a cell may be a heading, a title or a name: words, with no more digits than a year, and no address. */
export function isWords(cell: unknown): boolean {
	const text = cellText(cell);
	return /^[^@]*\p{L}[^@]*$/u.test(text) && text.replace(/\D/g, '').length < 5 && !isLikely(cell);
}

function isDate(cell: unknown): boolean {
	return DATE.test(cellText(cell));
}

/** Whether most cells read as dates. */
export function areDates(cells: unknown[]): boolean {
	return cells.filter(isDate).length * 2 > cells.length;
}

export function cellsOf(rows: Row[], column: number): unknown[] {
	return rows.map(({ cells }) => cells[column]);
}

/** The columns with such a cell, in time that is proportional to the cells, whatever the widest row. */
export function columnsWith(rows: Row[], is: (cell: unknown) => boolean): number[] {
	const columns = new Set<number>();
	for (const { cells } of rows) {
		for (const [column, cell] of cells.entries()) if (is(cell)) columns.add(column);
	}
	return [...columns];
}

export function haveOneWidth(rows: Row[]): boolean {
	return uniqBy(rows, 'cells.length').length < 2;
}

/**
 * The numbers in the cells of a column, in the register's form, even if they have lost their zeros.
 * @param isSaid whether the heading of the column says company number
 */
export function readNumbers(cells: unknown[], isSaid: boolean): Array<string | undefined> {
	const filled = cells.filter(isFilled).length;
	const full = isSaid ? cells.filter(isFull).length : 0;
	// Old numbers have fewer than six digits, which elsewhere may be counts or years.
	const mayBeOld = full > 0 && full * 2 >= filled - 1;
	const readOld = (cell: unknown) => (mayBeOld ? completeFewDigits(cell) : undefined);
	return cells.map((cell) => readNumber(cell, isSaid) ?? readOld(cell));
}

function readNumber(cell: unknown, isSaid = false): string | undefined {
	const number = normaliseCompanyNumber(cell);
	// Without a clear heading, SE1 is a postcode.
	const isKnown = hasRegisterForm(number ?? '') && (isSaid || resemblesCompanyNumber(cell));
	return isKnown ? number : undefined;
}

/** Whether a cell has all eight characters of a company number. */
export function isFull(cell: unknown): boolean {
	return hasRegisterForm(writtenNumber(cell) ?? '');
}

/** Whether a cell may hold a company number where no heading says so. */
export function isLikely(cell: unknown): boolean {
	return resemblesCompanyNumber(cell) && !isDate(cell);
}
