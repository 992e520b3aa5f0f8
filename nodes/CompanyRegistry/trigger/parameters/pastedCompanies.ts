import { normaliseCompanyNumber } from '../../shared/companyNumber';
import { dropOldest } from '../../shared/dropOldest';

/** A company as the user has entered it. */
export interface EnteredCompany {
	/** What stands where the number is expected. */
	entry: unknown;
	/** In the register's form; undefined if the entry is no company number. */
	number: string | undefined;
	/** Null if none is given. */
	name: string | null;
}

/** In small letters, the clearest first. */
const NUMBER_HEADINGS = [
	...['company number', 'company no', 'company registration number', 'company registration no'],
	...['registration number', 'registration no', 'registered number', 'crn', 'number'],
];
const NAME_HEADINGS = [
	...['company name', 'name', 'company', 'client name', 'client', 'customer name', 'customer'],
	...['business name', 'business', 'organisation name', 'organisation', 'entity'],
];

/** Rows that show which column is which. In those behind, a cell that is no number is refused. */
const TELLING_ROWS = 100;

const SEPARATORS = /[\s,;]+/;
const SEPARATORS_AT_THE_ENDS = /^[\s,;]+|[\s,;]+$/g;
/** May be a part of a longer number. */
const SHORT_DIGITS = /^'?\d{1,3}(?:\.0+)?$/;

/** Texts of which one process remembers what is in them. */
const MAXIMUM_REMEMBERED = 10;
const remembered = new Map<string, EnteredCompany[] | undefined>();

/**
 * The companies in a text: numbers separated by commas, spaces or new lines, and rows of cells separated
 * by tabs, as a spreadsheet copies them. Undefined if no column of those is clearly that of the numbers.
 * Thousands take milliseconds, and each delivery asks for a name: a text is read once.
 */
export function readPasted(text: string): EnteredCompany[] | undefined {
	if (!remembered.has(text)) {
		remembered.set(text, readText(text));
		dropOldest(remembered, MAXIMUM_REMEMBERED);
	}
	return remembered.get(text);
}

function readText(text: string): EnteredCompany[] | undefined {
	const list: EnteredCompany[] = [];
	const table: string[][] = [];
	for (const line of text.split('\n')) {
		if (!line.includes('\t')) list.push(...readLine(line));
		else if (line.trim() !== '') table.push(line.split('\t'));
	}
	if (table.length === 0) return list;

	const heading = readHeading(table[0]);
	const isHeading = heading.number !== undefined || heading.name !== undefined;
	const rows = isHeading ? table.slice(1) : table;
	const first = rows.slice(0, TELLING_ROWS);
	const number = heading.number ?? columnOfNumbers(first);
	if (number === undefined) return undefined;
	// A heading such as Company may stand above the numbers.
	const isNamed = heading.name !== undefined && heading.name !== number;
	const name = isNamed ? heading.name : columnOfLetters(first, number);
	return [...rows.map((cells) => readRow(cells, { number, name })), ...list];
}

/** One number or several; none of several where one may be a part of the number before it. */
function readLine(line: string): EnteredCompany[] {
	const number = normaliseCompanyNumber(line);
	if (number !== undefined) return [{ entry: line, number, name: null }];
	const text = line.replace(SEPARATORS_AT_THE_ENDS, '');
	if (text === '') return [];
	const parts = text.split(SEPARATORS);
	const isUnclear = parts.length > 1 && parts.some((part) => SHORT_DIGITS.test(part));
	return (isUnclear ? [text] : parts).map((entry) => ({
		entry,
		number: normaliseCompanyNumber(entry),
		name: null,
	}));
}

function readRow(cells: string[], columns: { number: number; name?: number }): EnteredCompany {
	const entry = (cells[columns.number] ?? '').trim();
	return {
		// A row without a number is named by what else it holds.
		entry: entry || cells.join(' ').trim(),
		number: normaliseCompanyNumber(entry),
		name: (columns.name !== undefined && cells[columns.name]?.trim()) || null,
	};
}

/** Columns of number and name, counted from 0; undefined where no heading tells which it is. */
function readHeading(cells: string[]): { number?: number; name?: number } {
	// `Company_Number`, `companyNumber` and `Company number:` are the same.
	const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
	const headings = cells.map(letters);
	const find = (known: string[]) =>
		known.map((heading) => headings.indexOf(letters(heading))).find((column) => column >= 0);
	return { number: find(NUMBER_HEADINGS), name: find(NAME_HEADINGS) };
}

/** The one column where more than half of the cells are company numbers; the others are to be refused. */
function columnOfNumbers(rows: string[][]): number | undefined {
	const isNumber = (cell = '') => /\d/.test(cell) && normaliseCompanyNumber(cell) !== undefined;
	const columns = [...(rows[0] ?? []).keys()].filter(
		(column) => rows.filter((cells) => isNumber(cells[column])).length > rows.length / 2,
	);
	return columns.length === 1 ? columns[0] : undefined;
}

function columnOfLetters(rows: string[][], except: number): number | undefined {
	const columns = [...(rows[0] ?? []).keys()];
	return columns.find(
		(column) => column !== except && rows.some((cells) => /\p{L}/u.test(cells[column] ?? '')),
	);
}
