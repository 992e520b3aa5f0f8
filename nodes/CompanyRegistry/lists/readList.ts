import { normaliseCompanyNumber } from '../shared/companyNumber';
import { findColumns, findHeading, significance, type Columns } from './columns';
import { isFilled, rowsOfItems, rowsOfText, textOf, type Row } from './table';

/** A company as somebody has listed it. */
export interface Listed {
	/** As a spreadsheet counts it, with headings and empty rows; in a list of numbers, the line. */
	row: number;
	/** The item that it comes from, counted from 0. */
	item?: number;
	/** What the column of numbers is called; undefined in a list of numbers. */
	column?: string;
	/** What stands where the number is expected. */
	entry: unknown;
	/** In the register's form; undefined if the entry is no company number. */
	number: string | undefined;
	/** Null if none is given. */
	name: string | null;
	/** Why the entry is not taken for a number although it could be one. */
	doubt?: string;
}

/** What was read, or the columns that could hold the numbers where that is not clear. */
export type List = { listed: Listed[] } | { candidates: string[] };

const LINE_BREAK = /\r\n|\n|\r/;
const SEPARATORS = /[\s,;]+/;
/** May be a part of a longer number. */
const SHORT_DIGITS = /^'?\d{1,3}(?:\.0+)?$/;
/** Characters that show what separates the cells. */
const TELLING = 2000;
const TOTAL = /^(?:grand |sub-?)?(?:totals?|count|sum)\b/i;

/**
 * Reads the companies in a text: numbers separated by commas, spaces or new lines, or a table as a
 * spreadsheet copies or saves it. Takes time in proportion to the text.
 */
export function readListText(text: string): List {
	const bare = text.replace(/^\uFEFF/, '');
	const separator = separatorOf(bare);
	const rows = filledRows(bare, separator);
	if (separator === '\t' || findHeading(rows) !== -1 || hasColumnOfWords(rows)) {
		return readTable(rows, false);
	}
	return { listed: bare.split(LINE_BREAK).flatMap((line, index) => readLine(line, index + 1)) };
}

/** Reads the companies in rows as n8n's nodes for tables and files put them out. */
export function readListItems(items: Array<Record<string, unknown>>): List {
	const rows = rowsOfItems(items);
	// What an empty table gives where it always gives something.
	if (rows[0].cells.length === 0) return { listed: [] };
	return readTable([rows[0], ...rows.slice(1).filter(({ cells }) => cells.some(isFilled))], true);
}

/** Each company once, with the first name that is given, and each row without a number; in their order. */
export function withoutRepeats(listed: Listed[]): Listed[] {
	const companies = new Map<string, Listed>();
	return listed.filter((one) => {
		const known = one.number === undefined ? undefined : companies.get(one.number);
		if (known !== undefined) known.name ??= one.name;
		else if (one.number !== undefined) companies.set(one.number, one);
		return known === undefined;
	});
}

function filledRows(text: string, separator: string): Row[] {
	return rowsOfText(text, separator).filter(({ cells }) => cells.some(isFilled));
}

/** The one that separates known headings; a tab may stand in a cell, and a comma in a name. */
function separatorOf(text: string): string {
	const top = text.slice(0, TELLING);
	const widths = ['\t', ';', ','].flatMap((one) => {
		const rows = filledRows(top, one);
		const heading = rows[findHeading(rows)];
		return heading === undefined ? [] : [{ one, isSplit: heading.cells.length > 1 }];
	});
	// `Company,Company number` as one cell would be a heading, too.
	const headed = (widths.find(({ isSplit }) => isSplit) ?? widths[0])?.one;
	if (headed !== undefined || text.includes('\t')) return headed ?? '\t';
	return top.split(';').length > top.split(',').length ? ';' : ',';
}

/** Whether these rows without known headings are a table: a list of numbers has no column of words. */
function hasColumnOfWords(rows: Row[]): boolean {
	const width = rows[0]?.cells.length ?? 0;
	const isWords = (text: string) => /\p{L}/u.test(text) && (!/\d/.test(text) || /\s/.test(text));
	const isTable = rows.length > 1 && width > 1 && rows.every(({ cells }) => cells.length === width);
	const columns = isTable ? [...rows[0].cells.keys()] : [];
	return columns.some((column) => rows.every(({ cells }) => isWords(textOf(cells[column]))));
}

function readTable(rows: Row[], isHeaded: boolean): List {
	if (rows.length === 0) return { listed: [] };
	const columns = findColumns(rows, isHeaded);
	if ('candidates' in columns) return columns;
	const width = columns.first === 0 ? Infinity : rows[columns.first - 1].cells.length;
	const isWide = rows.some(({ cells }) => cells.length > 1);
	const listed = rows.slice(columns.first).flatMap((row) => {
		const { cells } = row;
		if (!isWide || cells.length > 1) return readRow(row, columns, width, isWide);
		const beside = readLine(textOf(cells[0]), row.row);
		return beside.every(isCertain) ? beside : readRow(row, columns, width, isWide);
	});
	return { listed };
}

/** Whether a number that stands alone is none of a count, a year or a reference. */
function isCertain({ entry, number }: Listed): boolean {
	return number !== undefined && significance(entry, number) > 5;
}

/** `width` is how many cells the headings have, and `isWide` whether the table has several columns. */
function readRow(
	{ cells, row, item }: Row,
	{ number: place, name: named, column }: Columns,
	width: number,
	isWide: boolean,
): Listed {
	const isShifted = cells.slice(width).some(isFilled);
	const entry = isShifted ? '' : cells[place];
	const read = normaliseCompanyNumber(entry);
	const doubt = isShifted
		? 'more cells than headings'
		: read && doubtOf(read, cells, place, isWide);
	const number = doubt ? undefined : read;
	const name = textOf(cells[named ?? -1]).replace(/\s+/g, ' ') || null;
	return { row, item, column, entry, number, name, doubt };
}

/** Why a number of few digits, without leading zeros, is to be asked about. */
function doubtOf(
	number: string,
	cells: unknown[],
	place: number,
	isWide: boolean,
): string | undefined {
	const digits = significance(cells[place], number);
	if (digits > 5) return undefined;
	const others = cells.filter((cell, other) => other !== place && isFilled(cell));
	if (others.some((cell) => TOTAL.test(textOf(cell)))) return 'may be a total';
	const isAlone = isWide && others.length === 0;
	return digits <= (isAlone ? 4 : 3) ? 'may be a count or a year' : undefined;
}

/** One number or several; none of several where one may be a part of the number before it. */
function readLine(line: string, row: number): Listed[] {
	const number = normaliseCompanyNumber(line);
	if (number !== undefined) return [{ row, entry: line, number, name: null }];
	const parts = line.split(SEPARATORS).filter((part) => part !== '');
	const isUnclear = parts.length > 1 && parts.some((part) => SHORT_DIGITS.test(part));
	const entries = isUnclear ? [line.trim()] : parts;
	return entries.map((entry) => ({
		row,
		entry,
		number: normaliseCompanyNumber(entry),
		name: null,
	}));
}
