import { findLastIndex, uniq } from 'lodash';

import { normaliseCompanyNumber } from '../shared/companyNumber';
import { isFilled, textOf, type Row } from './table';

/** Where the numbers and names of a table stand, counted from 0. */
export interface Columns {
	number: number;
	name: number | undefined;
	/** The first row below the headings. */
	first: number;
	/** How many columns have one, counted to the last; undefined where there are no headings. */
	width: number | undefined;
	/** What a user calls the column of numbers. */
	column: string;
}

/** Headings, of which letters and digits count. */
const COMPANY = '(?:company|co|companieshouse|companyhouse|cohouse|ch)';
const REGISTRATION = '(?:reg|regn|regd|registration|registered)';
const NUMBER = '(?:numbers?|nos?|nr|num)';
const WHOSE = '(?:uk|client|customer|supplier|limited|ltd|legal|business|entity)?';
const REMARK = `(?:crn|${COMPANY}|uk|8digits|ifany|ifapplicable|ifknown)?`;
const COMPANY_NUMBER = new RegExp(
	`^(?:${WHOSE}(?:${COMPANY}{1,2}${REGISTRATION}?${NUMBER}|${COMPANY}(?:reg|regn|registration)|${REGISTRATION}(?:company|co)${NUMBER}|${COMPANY}?crn${NUMBER}?)${REMARK}|${REGISTRATION}?${NUMBER}${COMPANY})$`,
);
const REGISTERED_NUMBER = new RegExp(`^registered${NUMBER}$`);
/** May be that of anything: a row, a house, another register. */
const BARE_NUMBER = new RegExp(`^(?:${WHOSE}${REGISTRATION})?${NUMBER}$`);
const OTHER_REGISTER =
	/charit|oscr|\b(?:fca|frn|pra|ico|vat|utr|paye|hmrc|cqc|sra|lei|duns)\b|data protection|financial conduct|vehicle|licen[cs]e/i;
/** The clearest first. The last is any with *name* in it that is no person's, street's or file's. */
const NAME_HEADINGS = [
	`^(?:registered|legal|full|client|customer)?(?:company|entity|business|organi[sz]ation)name$`,
	`^(?:legal|registered)name$`,
	`^(?:company|companies)$`,
	`^(?:client|customer|supplier|account|full|trading)?name$`,
	`^(?:entity|business|organi[sz]ation)$`,
	`^(?:client|customer)s?$`,
	`^(?!.*(?:contact|first|last|fore|middle|given|family|sur|user|owner|manager|partner|director|secretary|officer|staff|person|accountant|product|parent|former|previous|file|street|bank|domain)).*name`,
].map((known) => new RegExp(known));
const LONGEST_HEADING = 60;
/** Rows at the top among which the headings are looked for: titles may stand above them. */
const TOP_ROWS = 20;
const DATE = /^(?:(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d|[0-3]\d(?:0[1-9]|1[0-2])(?:19|20)\d\d)$/;

/** How many digits a number of five or fewer is written with; 8 for any other. */
export function writtenLength(entry: unknown, number: string): number {
	if (!number.startsWith('000')) return 8;
	const digits = textOf(entry).replace(/\.0+$/, '').replace(/\D/g, '').length;
	return digits > 5 ? 8 : digits;
}

/**
 * Finds the columns of a table: the numbers under the heading that says so. Without headings, in the only
 * column that has any, if nearly all rows have one. Otherwise returns what the columns that could be it are
 * called.
 * @param rows without empty ones
 * @param isHeaded whether the first row holds headings, whatever they are
 */
export function findColumns(rows: Row[], isHeaded: boolean): Columns | { candidates: string[] } {
	const place = findHeadings(rows, isHeaded);
	const headings = place === -1 ? [] : rows[place].cells.map(lettersOf);
	const first = place + 1;
	const label = (column: number) => labelOf(rows[Math.max(place, 0)]?.cells[column], column);

	const titles = rows.slice(0, first).flatMap(({ cells }) => cells.map(textOf));
	const isOther = titles.some((text) => OTHER_REGISTER.test(text));
	const clear = [...headings.keys()].filter(
		(column) =>
			COMPANY_NUMBER.test(headings[column]) ||
			(!isOther && REGISTERED_NUMBER.test(headings[column])),
	);
	const found = clear.length === 1 ? undefined : contentsOf(rows.slice(first));
	const candidates = clear.length > 0 ? clear : findKeys(found, ({ likely }) => likely > 0);
	const [number] = candidates;
	const { likely = 0, filled = 0 } = found?.[number] ?? {};
	const all = place === -1 ? rows.length : filled;
	const isBare = place === -1 || (!isOther && BARE_NUMBER.test(headings[number] ?? ''));
	const isTaken = clear.length === 1 || (isBare && all - likely <= Math.max(1, all / 10));
	if (candidates.length !== 1 || !isTaken) return { candidates: candidates.map(label) };

	const lettered = findKeys(found, ({ letters }, column) => letters && column !== number);
	const name =
		place === -1 ? (lettered.length === 1 ? lettered[0] : undefined) : nameAmong(headings);
	const width = place === -1 ? undefined : findLastIndex(rows[place].cells, isFilled) + 1;
	return { number, name, first, width, column: label(number).replace(/^"/, 'column "') };
}

/** The heading of the column that holds the names of companies, in rows as n8n's nodes put them out. */
export function nameColumnOf(items: object[]): string | undefined {
	const headings = uniq(items.flatMap(Object.keys));
	return headings[nameAmong(headings.map(lettersOf)) ?? -1];
}

/** The place of the row at the top with the most headings; -1 if there is none. */
function findHeadings(rows: Row[], isHeaded: boolean): number {
	const top = rows.slice(0, TOP_ROWS);
	const data = top.findIndex(
		({ cells }, place) => !(isHeaded && place === 0) && cells.some(isLikely),
	);
	const counts = (data === -1 ? top : top.slice(0, data)).map(
		({ cells }) => cells.filter(isHeading).length,
	);
	const most = Math.max(0, ...counts);
	return most === 0 && !isHeaded ? -1 : counts.indexOf(most);
}

/** Whether a cell may be a heading, or a title: words, without a number that is more than a year. */
export function isHeading(cell: unknown): boolean {
	const text = textOf(cell);
	return /\p{L}/u.test(text) && text.replace(/\D/g, '').length < 5;
}

/** Whether a cell is a company number where no heading says so, and no count, year, date or short reference. */
function isLikely(cell: unknown): boolean {
	const number = normaliseCompanyNumber(cell);
	return number !== undefined && writtenLength(cell, number) === 8 && !DATE.test(number);
}

interface Contents {
	filled: number;
	likely: number;
	letters: boolean;
}

/** What the columns hold, by column; each cell is looked at once. */
function contentsOf(rows: Row[]): Contents[] {
	const columns: Contents[] = [];
	for (const { cells } of rows) {
		for (const [column, cell] of cells.entries()) {
			const found = (columns[column] ??= { filled: 0, likely: 0, letters: false });
			if (isFilled(cell)) found.filled++;
			if (isLikely(cell)) found.likely++;
			found.letters ||= /\p{L}/u.test(textOf(cell));
		}
	}
	return columns;
}

function findKeys(
	columns: Contents[] = [],
	isMeant: (contents: Contents, column: number) => boolean,
): number[] {
	return [...columns.keys()].filter((column) => isMeant(columns[column], column));
}

function nameAmong(headings: string[]): number | undefined {
	const find = (known: RegExp) => headings.findIndex((heading) => known.test(heading));
	return NAME_HEADINGS.map(find).find((column) => column !== -1);
}

function labelOf(title: unknown, column: number): string {
	const text = textOf(title).slice(0, LONGEST_HEADING).replace(/\s+/g, ' ');
	return isHeading(text) ? `"${text}"` : `column ${column + 1}`;
}

/** A heading without what makes no difference: `Company_No.`, `companyNo` and `Company #` are the same. */
function lettersOf(cell: unknown): string {
	const text = textOf(cell);
	if (text.length > LONGEST_HEADING) return '';
	return text
		.toLowerCase()
		.replace(/#|№|n[°º]/g, 'no')
		.replace(/[^a-z0-9]/g, '');
}
