import { groupBy, partition, sortBy, uniq } from 'lodash';

import { normaliseCompanyNumber } from '../shared/companyNumber';
import { findColumns, isHeading, writtenLength, type Columns } from './columns';
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
	/** In the register's form; undefined if the entry is no company number, or is doubtful. */
	number: string | undefined;
	/** Null if none is given. */
	name: string | null;
	/** Why the entry is not taken for a number although it could be one. */
	doubt?: string;
	/** The row as it stands in a table with headings, and those as the user has written them. */
	cells?: unknown[];
	headings?: string[];
}

/**
 * What was read; or what the columns are called that could hold the numbers, where that is not clear, and the
 * row where a second table seems to begin.
 */
export type List = { listed: Listed[] } | { candidates: string[]; secondTable?: number };

const LINE_BREAK = /\r\n|\n|\r/;
const SEPARATORS = /[\s,;]+/;
/** One number among several of a line: no part of a longer one. */
const WHOLE = /^=?["']?(?:[a-z0-9]{8}|\d{6,8})(?:\.0+)?["']?$/i;
/** Characters that show what separates the cells. */
const TELLING = 2000;
const TOTAL = /^(?:grand |overall |sub-? ?)?(?:totals?|count|sum)\b/i;
const LEGAL_FORM = /\b(?:ltd|limited|plc|llp|lp|cic)\b/i;
/** With a date, a count or a page in the same cell or in another. */
const NOTE =
	/^(?:as (?:at|of)|(?:last )?(?:updated|printed|exported|generated)|dated?|year(?: end(?:ed)?)?|page|records?|rows?)(?: on)?[\s:.\d/-]*$/i;
const YEAR = /^(?:19|20)\d\d$/;
/** What makes no difference between two names of one company. */
const NO_DIFFERENCE = /\b(?:public limited company|limited|ltd|plc|llp|the|and)\b|[^\p{L}\p{N}]/gu;

/**
 * Reads the companies in a text: a number in each line, lines of whole numbers, or a table as a spreadsheet
 * copies or saves it. Takes time in proportion to the text.
 */
export function readListText(text: string): List {
	const bare = text.replace(/^\uFEFF/, '');
	const separator = separatorOf(bare);
	const rows = filledRows(bare, separator);
	const columns = findColumns(rows, false);
	const isAsked = 'candidates' in columns;
	const isHeaded = !isAsked && columns.width !== undefined;
	if (isHeaded || isTable(rows, separator, bare)) return readTable(rows, columns);
	// What stands above the numbers says something else of them.
	if (isAsked && columns.candidates.length > 0 && rows[0].cells.every(isHeading)) return columns;
	const lines = bare.split(LINE_BREAK);
	return { listed: withDoubts(lines.flatMap((line, index) => readLine(line, index + 1))) };
}

/** Reads the companies in rows as n8n's nodes for tables and files put them out. */
export function readListItems(items: Array<Record<string, unknown>>): List {
	const rows = rowsOfItems(items);
	// What an empty table gives where it always gives something.
	if (rows[0].cells.length === 0) return { listed: [] };
	const filled = [rows[0], ...rows.slice(1).filter(({ cells }) => cells.some(isFilled))];
	return readTable(filled, findColumns(filled, true));
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

/** The one that separates headings; a tab may stand in a cell, and a comma in a name. */
function separatorOf(text: string): string {
	const top = text.slice(0, TELLING);
	const headed = ['\t', ';', ','].flatMap((one) => {
		const columns = findColumns(filledRows(top, one), false);
		const width = 'candidates' in columns ? undefined : columns.width;
		return width === undefined ? [] : [{ one, width }];
	});
	// `Company,Company number` as one cell would be a heading, too.
	const found = (headed.find(({ width }) => width > 1) ?? headed[0])?.one;
	if (found !== undefined || text.includes('\t')) return found ?? '\t';
	return top.split(';').length > top.split(',').length ? ';' : ',';
}

/** Whether these rows, of which no heading says that they hold company numbers, are no list of numbers. */
function isTable(rows: Row[], separator: string, text: string): boolean {
	const width = rows[0]?.cells.length ?? 0;
	const isWhole = rows.every(({ cells }) => cells.every((cell) => WHOLE.test(textOf(cell))));
	if (separator === '\t')
		return rows.some(({ cells }) => cells.length > 1) && !(isWhole && rows.length === 1);
	if (rows.length < 2 || width < 2 || rows.some(({ cells }) => cells.length !== width))
		return false;
	const isWords = (cell: string) => /\p{L}/u.test(cell) && (!/\d/.test(cell) || /\s/.test(cell));
	const count = (column: number) =>
		rows.filter(({ cells }) => isWords(textOf(cells[column]))).length;
	const isNamed = [...rows[0].cells.keys()].some((column) => count(column) >= rows.length * 0.9);
	// References beside numbers, as a file has them.
	return isNamed || (isWhole && !text.includes(`${separator} `));
}

function readTable(rows: Row[], columns: ReturnType<typeof findColumns>): List {
	if ('candidates' in columns) return columns;
	const { first, width } = columns;
	const secondTable = findSecondTable(rows, columns);
	if (secondTable !== undefined) return { candidates: [], secondTable };
	const headings = width === undefined ? undefined : rows[first - 1].cells.map(lineOf);
	return { listed: withDoubts(rows.slice(first).map((row) => readRow(row, columns, headings))) };
}

/** Other headings below an empty row: what stands under them may be anything. */
function findSecondTable(rows: Row[], { number, first }: Columns): number | undefined {
	const index = rows.findIndex(({ cells, row }, place) => {
		if (place <= first || row === rows[place - 1].row + 1 || !isFilled(cells[number])) return false;
		const filled = cells.filter(isFilled);
		return filled.length > 1 && filled.every(isHeading);
	});
	return rows[index]?.row;
}

function readRow(
	{ cells, row, item }: Row,
	{ number: place, name: named, width, column }: Columns,
	headings?: string[],
): Listed {
	const entry = cells[place];
	const number = normaliseCompanyNumber(entry);
	const isLong =
		cells.length > (headings?.length ?? Infinity) ||
		(item === undefined && cells.slice(width ?? Infinity).some(isFilled));
	const isTotal = () => cells.some((cell, other) => other !== place && isNote(textOf(cell)));
	const doubt = isLong
		? 'in a row that is longer than the headings'
		: number && isTotal()
			? 'may be a total or a date'
			: undefined;
	const name = lineOf(cells[named ?? -1]) || null;
	return { row, item, column, entry, number, name, doubt, headings, ...(headings && { cells }) };
}

function lineOf(cell: unknown): string {
	return textOf(cell).replace(/\s+/g, ' ');
}

function isNote(text: string): boolean {
	return (TOTAL.test(text) && !LEGAL_FORM.test(text)) || NOTE.test(text);
}

/** One number; or several, if each is a whole one. */
function readLine(line: string, row: number): Listed[] {
	const listed = (entry: string) => ({
		row,
		entry,
		number: normaliseCompanyNumber(entry),
		name: null,
	});
	const whole = listed(line.trim());
	const parts = line.split(SEPARATORS).filter((part) => part !== '');
	if (parts.length === 0) return [];
	const isCut = whole.number === undefined && parts.every((part) => WHOLE.test(part));
	return isCut ? parts.map(listed) : [whole];
}

/** Takes the number from each entry that is doubtful among the others. */
function withDoubts(listed: Listed[]): Listed[] {
	const lengthOf = ({ entry, number }: Listed) => (number ? writtenLength(entry, number) : 8);
	const short = listed.filter((one) => lengthOf(one) < 8);
	const [counts, others] = partition(
		short,
		({ entry, number }) => Number(number) <= listed.length || YEAR.test(textOf(entry)),
	);
	const [shortest, next] = sortBy(others, lengthOf);
	if (shortest && !(next && lengthOf(next) === lengthOf(shortest))) counts.push(shortest);
	for (const one of counts) one.doubt ??= 'may be a count or a year';

	const named = groupBy(
		listed.filter(({ number, name }) => number && name),
		'number',
	);
	for (const same of Object.values(named)) {
		if (same.length === 1 || uniq(same.map(lettersOfName)).length === 1) continue;
		for (const one of same) one.doubt ??= 'has another name in another row';
	}
	for (const [index, one] of listed.entries()) {
		if (isNote(textOf(listed[index - 1]?.entry))) one.doubt ??= 'may be a total or a date';
		if (one.doubt) one.number = undefined;
	}
	return listed;
}

function lettersOfName({ name }: Listed): string {
	return (name ?? '').toLowerCase().replace(NO_DIFFERENCE, '');
}
