import { findLastIndex, maxBy, partition, range, sortBy, uniqBy } from 'lodash';

import { normaliseCompanyNumber } from '../shared/companyNumber';
import { findColumns, isHeading, writtenLength, type Columns } from './columns';
import { isFilled, lineOf, rowsOfItems, rowsOfText, textOf, type Row } from './table';

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
	/** The row as it stands in a table, and its headings as the user has written them, if it has any. */
	cells?: unknown[];
	headings?: string[];
}

/**
 * What was read, a name once for each company; or, where that is not clear, what the columns are called that
 * could hold the numbers, or the row from which on another table seems to stand.
 */
export type List = { listed: Listed[] } | Unclear;
export interface Unclear {
	candidates: string[];
	otherTable?: number;
}

const LINE_BREAK = /\r\n|\n|\r/;
const SEPARATORS = /[\s,;]+/;
/** One number among several of a line: no part of a longer one. */
const WHOLE = /^=?["']?(?=.*\d)(?:[a-z0-9]{8}|\d{6,8})(?:\.0+)?["']?$/i;
/** Characters that show what separates the cells. */
const TELLING = 2000;
const TOTAL =
	/^\s*(?:(?:grand |overall |sub-? ?)?totals?|count|sum|average|balance|(?:number|no\.?) of)\b/i;
/** With a date in the same cell or in that of the number. */
const NOTE =
	/^\s*(?:(?:\w+ )?dated?(?: \w+)?|as (?:at|of|on)|(?:last )?(?:updated|printed|exported|generated)(?: on)?|year(?: end(?:ed)?)?)[\s:.\d/-]*$/i;
/** O for 0, or the like: no company's number has a letter there. */
const MISTYPED = /^\d+[A-Z]|^O\d/;
const LEGAL_FORM = /\b(?:ltd|limited|plc|llp|lp|cic)\b/i;
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
	const isGrid = isAsked && columns.candidates.length > 1 && !bare.includes(`${separator} `);
	if (isTable(rows, separator, isGrid) || (!isAsked && columns.width > 0)) {
		return readTable(rows, columns);
	}
	const lines = bare.split(LINE_BREAK);
	const list = settle(lines.flatMap((line, index) => readLine(line, index + 1)));
	// What stands above the numbers says something else of them.
	const top = rows[0]?.cells ?? [];
	const isTitled = isAsked && top.some(isHeading) && !top.some((cell) => WHOLE.test(textOf(cell)));
	const hasNumber = 'listed' in list && list.listed.some(({ number }) => number !== undefined);
	return isTitled && hasNumber ? columns : list;
}

/** Reads the companies in rows as n8n's nodes for tables and files put them out. */
export function readListItems(items: Array<Record<string, unknown>>): List {
	const [headings, ...rows] = rowsOfItems(items);
	// What an empty table gives where it always gives something.
	if (headings.cells.length === 0) return { listed: [] };
	const filled = [headings, ...rows.filter(({ cells }) => cells.some(isFilled))];
	return readTable(filled, findColumns(filled, true));
}

/** Each company once, and each row without a number; in their order. */
export function withoutRepeats(listed: Listed[]): Listed[] {
	return uniqBy(listed, (one) => one.number ?? one);
}

function filledRows(text: string, separator: string): Row[] {
	return rowsOfText(text, separator).filter(({ cells }) => cells.some(isFilled));
}

/** The one that separates the most headings; a tab may stand in a cell, and a comma in a name. */
function separatorOf(text: string): string {
	const top = text.slice(0, TELLING);
	const weightOf = (separator: string) => {
		const rows = filledRows(top, separator);
		const columns = findColumns(rows, false);
		// `Company,Company number` as one cell would be a heading, too.
		const isHeaded = !('candidates' in columns) && columns.width > 1;
		return isHeaded ? TELLING * columns.width : rows.filter(({ cells }) => cells.length > 1).length;
	};
	return maxBy(['\t', ';', ','], weightOf) ?? ',';
}

/**
 * Whether these rows, of which no heading says that they hold company numbers, are no list of numbers.
 * @param isGrid whether several columns hold numbers, with nothing but separators between them
 */
function isTable(rows: Row[], separator: string, isGrid: boolean): boolean {
	const isWhole = rows[0]?.cells.every((cell) => WHOLE.test(textOf(cell)));
	const width = Math.max(2, rows[0]?.cells.length ?? 0);
	const isList = rows.length === 1 && (isWhole || separator !== '\t');
	if (isList || separator === '\t') return !isList && rows.some(({ cells }) => cells.length > 1);
	const isWords = (cell: string) => /\p{L}/u.test(cell) && (!/\d/.test(cell) || /\s/.test(cell));
	const count = (column: number) =>
		rows.filter(({ cells }) => isWords(textOf(cells[column]))).length;
	const isNamed = range(width).some((column) => count(column) >= rows.length * 0.9);
	return (isNamed || isGrid) && rows.every(({ cells }) => cells.length === width);
}

function readTable(rows: Row[], columns: ReturnType<typeof findColumns>): List {
	if ('candidates' in columns) return columns;
	const { first, width } = columns;
	const headings = width > 0 ? rows[first - 1].cells.map(lineOf) : undefined;
	return settle(rows.slice(first).map((row) => readRow(row, columns, headings)));
}

function readRow(
	{ cells, row, item }: Row,
	{ number: place, name, width, column }: Columns,
	headings?: string[],
): Listed {
	const entry = cells[place];
	const number = normaliseCompanyNumber(entry);
	const isLong =
		headings !== undefined &&
		(cells.length > headings.length || (item === undefined && cells.slice(width).some(isFilled)));
	const label = cells.find((cell, other) => other !== place && isFilled(cell));
	const isTotal = number && [label, cells[name ?? -1]].some(isNote);
	const doubt = isLong
		? 'in a row that is longer than the headings'
		: isTotal
			? 'may be a total or a date'
			: undefined;
	const named = lineOf(cells[name ?? -1]) || null;
	// A copy takes less room than an array that has grown.
	return { row, item, column, entry, number, name: named, doubt, cells: [...cells], headings };
}

/** One number; or several, if each is a whole one. */
function readLine(line: string, row: number): Listed[] {
	const listed = (entry: string) => {
		return { row, entry, number: normaliseCompanyNumber(entry), name: null };
	};
	const whole = listed(line.trim());
	const parts = line.split(SEPARATORS).filter((part) => part !== '');
	const isCut = whole.number === undefined && parts.every((part) => WHOLE.test(part));
	return isCut ? parts.map(listed) : [whole];
}

function isNote(cell: unknown): boolean {
	const isMeant = typeof cell === 'string' && (TOTAL.test(cell) || NOTE.test(cell));
	return isMeant && !LEGAL_FORM.test(cell);
}

/** Takes the number from each entry that is doubtful among the others, or asks where that may be all. */
function settle(listed: Listed[]): List {
	// What stands under other headings may be anything. Of items, those between may have been taken out.
	const last = findLastIndex(listed, ({ number }) => number !== undefined);
	const second = listed.find(
		({ row, item, entry, cells = [] }, index) =>
			item === undefined &&
			index < last &&
			row > (listed[index - 1]?.row ?? row) + 1 &&
			[entry, ...cells.filter(isFilled)].every(isHeading),
	);
	if (second) return { candidates: [], otherTable: second.row };

	const lengthOf = ({ entry, number }: Listed) => (number ? writtenLength(entry, number) : 8);
	const [counts, others] = partition(
		listed.filter((one) => lengthOf(one) < 8),
		({ number }) => Number(number) <= listed.length || /^0000(?:19|20)/.test(number ?? ''),
	);
	const [shortest, next] = sortBy(others, lengthOf);
	const isAlone = shortest && (!next || lengthOf(next) > lengthOf(shortest));
	for (const one of isAlone ? [...counts, shortest] : counts) {
		one.doubt ??= 'may be a count or a year';
	}
	const companies = new Map<string, Listed>();
	const unclear = new Set<string>();
	for (const one of listed) {
		if (one.number === undefined) continue;
		const first = companies.get(one.number);
		if (first === undefined) companies.set(one.number, one);
		else if (first.name === null) first.name = one.name;
		else if (one.name && lettersOf(one.name) !== lettersOf(first.name)) unclear.add(one.number);
	}
	for (const [index, one] of listed.entries()) {
		if (unclear.has(one.number ?? '') && one.name) one.doubt ??= 'has another name in another row';
		if (MISTYPED.test(one.number ?? '')) one.doubt ??= 'has a letter among its digits';
		if (isNote(listed[index - 1]?.entry)) one.doubt ??= 'may be a total or a date';
		if (one.doubt) one.number = undefined;
	}
	return { listed };
}

/** What makes a difference between the names of two companies. */
function lettersOf(name: string): string {
	return name.toLowerCase().replace(NO_DIFFERENCE, '');
}
