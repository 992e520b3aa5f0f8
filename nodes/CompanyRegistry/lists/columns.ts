import { findLastIndex, max, range, sumBy, takeWhile, uniq } from 'lodash';

import { normaliseCompanyNumber } from '../shared/companyNumber';
import { showValue } from '../shared/words';
import { isFilled, lineOf, textOf, type Row } from './table';

/** Where the numbers and names of a table stand, counted from 0. */
export interface Columns {
	number: number;
	name: number | undefined;
	/** The first row below the headings. */
	first: number;
	/** The columns up to the last that has a heading; 0 where there are no headings. */
	width: number;
	/** What a user calls the column of numbers. */
	column: string;
}

/** Headings, of which letters and digits count. */
const COMPANY = `(?:company|co|companieshouse|companyhouse|cohouse|ch)`;
const REGISTRATION = `(?:reg|regn|regd|registration|registered)`;
const NUMBER = `(?:numbers?|nos?|nr|num)`;
const WHOSE = `(?:uk|client|customer|supplier|limited|ltd|legal|business|entity)?`;
const REMARK = `(?:crn|${COMPANY}|uk|8digits|ifany|ifapplicable|ifknown)?`;
const COMPANY_NUMBER = new RegExp(
	`^(?:${WHOSE}(?:${COMPANY}{1,2}${REGISTRATION}?${NUMBER}|${COMPANY}(?:reg|regn|registration)|${REGISTRATION}(?:company|co)${NUMBER}|${COMPANY}?crn${NUMBER}?)${REMARK}|${REGISTRATION}?${NUMBER}${COMPANY})$`,
);
/** May be that of anything: a row, a house, another register. */
const BARE_NUMBER = new RegExp(`^(?:${WHOSE}${REGISTRATION})?${NUMBER}$`);
const REGISTERED_NUMBER = new RegExp(`^registered${NUMBER}$`);
const OTHER_REGISTER = new RegExp(
	`charit|oscr|\\b(?:fca|frn|pra|ico|vat|utr|paye|hmrc|cqc|sra|lei|duns)\\b|data protection|financial conduct|vehicle|licen[cs]e`,
	'i',
);
/** The clearest first. The last is any with *name* in it that is no person's, street's or file's. */
const NAMES = [
	/^(registered|legal|full|client|customer)?(company|entity|business|organ\w{7})name$/,
	/^(legal|registered)name$/,
	/^(company|companies)$/,
	/^(client|customer|supplier|account|full|trading)?name$/,
	/^(entity|business|organ\w{7})$/,
	/^(client|customer)s?$/,
	/^(?!.*(contact|first|last|fore|middle|given|family|sur|user|owner|manager|partner|director|secretary|officer|staff|person|accountant|product|parent|former|previous|file|street|bank|domain)).*name/,
];
/** Rows at the top among which the headings are looked for: titles may stand above them. */
const TOP_ROWS = 20;
const DATE = /^(?:(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d|[0-3]\d(?:0[1-9]|1[0-2])(?:19|20)\d\d)$/;

/**
 * Finds the columns of a table: the numbers under the heading that says so. Without headings, in the only
 * column that has any, if nearly all rows have one. Otherwise returns what the columns that could be it are
 * called.
 * @param rows without empty ones
 * @param isHeaded whether the first row holds headings, whatever they are
 */
export function findColumns(rows: Row[], isHeaded: boolean): Columns | { candidates: string[] } {
	const place = findHeadings(rows, isHeaded);
	const first = place + 1;
	const title = (column: number) => lineOf(rows[Math.max(place, 0)]?.cells[column]);
	const label = (column: number) =>
		isHeading(title(column)) ? showValue(title(column)) : `column ${column + 1}`;
	const headings = (rows[place]?.cells ?? []).map(lettersOf);
	const isOther = rows
		.slice(0, first)
		.some(({ cells }) => cells.some((cell) => OTHER_REGISTER.test(lineOf(cell))));

	const clear = range(headings.length).filter(
		(column) =>
			COMPANY_NUMBER.test(headings[column]) ||
			(!isOther && REGISTERED_NUMBER.test(headings[column])),
	);
	const count = (is: (cell: unknown) => boolean, column: number) =>
		sumBy(rows.slice(first), ({ cells }) => Number(is(cells[column])));
	const all = range(max(rows.map(({ cells }) => cells.length)) ?? 0);
	const candidates = clear.length > 0 ? clear : all.filter((column) => count(isLikely, column));
	const [number] = candidates;
	const filled = first === 0 ? rows.length : count(isFilled, number);
	const isTaken =
		clear.length === 1 ||
		(filled - count(isLikely, number) <= Math.max(1, filled / 10) &&
			(first === 0 || (!isOther && BARE_NUMBER.test(headings[number]))));
	if (candidates.length !== 1 || !isTaken) return { candidates: uniq(candidates.map(label)) };

	const lettered = first > 0 ? [] : all.filter((one) => one !== number && count(hasLetters, one));
	const name = lettered.length === 1 ? lettered[0] : nameAmong(headings);
	const width = findLastIndex(rows[place]?.cells, isFilled) + 1;
	return { number, name, first, width, column: label(number).replace(/^"/, 'column "') };
}

/** The heading of the column that holds the names of companies, in rows as n8n's nodes put them out. */
export function nameColumnOf(items: object[]): string | undefined {
	const headings = uniq(items.flatMap(Object.keys));
	return headings[nameAmong(headings.map(lettersOf)) ?? -1];
}

function nameAmong(headings: string[]): number | undefined {
	const places = NAMES.map((known) => headings.findIndex((heading) => known.test(heading)));
	return places.find((column) => column !== -1);
}

/** Whether a cell may be a heading, or a title: words, without a number that is more than a year. */
export function isHeading(cell: unknown): boolean {
	const isNumber = normaliseCompanyNumber(cell) !== undefined;
	return hasLetters(cell) && !isNumber && textOf(cell).replace(/\D/g, '').length < 5;
}

/** How many digits a number of five or fewer is written with; 8 for any other. */
export function writtenLength(entry: unknown, number: string): number {
	if (!number.startsWith('000')) return 8;
	const digits = textOf(entry).replace(/\.0+$/, '').replace(/\D/g, '').length;
	return digits > 5 ? 8 : digits;
}

/** The place of the row at the top with the most headings; -1 if there is none. */
function findHeadings(rows: Row[], isHeaded: boolean): number {
	const top = takeWhile(
		rows.slice(0, TOP_ROWS),
		({ cells }, place) => (isHeaded && place === 0) || !cells.some(isLikely),
	);
	const counts = top.map(({ cells }) => cells.filter(isHeading).length);
	const most = Math.max(0, ...counts);
	return most === 0 && !isHeaded ? -1 : counts.indexOf(most);
}

/** Whether a cell is a company number where no heading says so, and no count, year, date or short reference. */
function isLikely(cell: unknown): boolean {
	const number = normaliseCompanyNumber(cell);
	return number !== undefined && writtenLength(cell, number) === 8 && !DATE.test(number);
}

function hasLetters(cell: unknown): boolean {
	return /\p{L}/u.test(textOf(cell));
}

/** A heading without what makes no difference: `Company_No.`, `companyNo` and `Company #` are the same. */
function lettersOf(cell: unknown): string {
	const text = textOf(cell).toLowerCase();
	return text.replace(/#|№|n[°º]/g, 'no').replace(/[^a-z0-9]/g, '');
}
