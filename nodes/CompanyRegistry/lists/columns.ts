import { max, maxBy, minBy, range, takeWhile, uniq, without } from 'lodash';

import { showValue } from '../shared/words';
import { isFilled, isLikely, isWords, lineOf, textOf, type Heading } from './cells';
import type { Row } from './rows';

/** Headings, of which letters and digits count. */
const COMPANY = `(?:company|co|companieshouse|companyhouse|cohouse|ch)`;
const REGISTRATION = `(?:reg|regn|regd|registration|registered)`;
const NUMBER = `(?:numbers?|nos?|nr|num)`;
const WHOSE = `(?:uk|client|customer|supplier|vendor|contractor|payee|beneficiary|provider|employer|donor|charity|limited|ltd|legal|business|entity)?`;
const REMARK = `(?:crn|${COMPANY}|uk|8digits|ifany|ifapplicable|ifknown)?`;
const COMPANY_NUMBER = new RegExp(
	`^(?:${WHOSE}(?:${COMPANY}{1,2}${REGISTRATION}?${NUMBER}|${COMPANY}(?:reg|regn|registration)|${REGISTRATION}(?:company|co)${NUMBER}|${COMPANY}?crn${NUMBER}?)${REMARK}|${REGISTRATION}?${NUMBER}${COMPANY})$`,
);
/** May be that of anything: a row, a house, another register. */
const BARE_NUMBER = new RegExp(`^(?:${WHOSE}${REGISTRATION})?${NUMBER}$`);
const OTHER_REGISTER =
	/charit|oscr|\b(?:fca|frn|pra|ico|vat|utr|paye|hmrc|cqc|sra|lei|duns|urn|ukprn|nhs|gmc|nmc)\b|ofsted|housing|provider|school|data protection|financial conduct|vehicle|licence|license/i;
/** The same in a cell below the headings that is no company's name; or a number of the ICO's. */
const OF_OTHER_REGISTER =
	/^(?!.*\b(?:ltd|limited|plc|llp|cic)\b).*\b(?:charity|oscr|fca|ico|financial conduct)\b|^(?:vat|z[ab]?\d{6,7})$/i;
/** The clearest first. The last is any with *name* in it that is no person's, street's or file's. */
const NAMES = [
	/^(registered|legal|full|client|customer|supplier|vendor)?(company|entity|business|organ\w{7})name$|^(registered|legal|supplier|vendor|beneficiary|payee)name$/,
	/^(company|companies)$/,
	/^(client|customer|firm|account|full|trading)?name$/,
	/^(entity|business|organ\w{7})$/,
	/^(client|customer|supplier|vendor|firm)s?$/,
	/^(?!.*(contact|first|last|fore|middle|given|family|sur|user|owner|manager|partner|director|secretary|officer|staff|person|accountant|product|parent|former|previous|file|street|bank|domain)).*name/,
];
/** Titles may stand above the headings. */
const TOP = 20;

/** Where the numbers of a table are. */
export interface Table {
	body: Row[];
	heading: Heading;
	number: number;
	/** The column of names; -1 if there is none. */
	name: number;
	/** What the column of numbers is called; empty in a list of numbers. */
	column: string;
	headings?: Row;
}

/** The table that the rows hold, or else the columns that could hold the numbers. */
export function findTable(rows: Row[], isHeaded = false): Table | { candidates: string[] } {
	const known = headingRow(rows);
	// Where no heading is known, the row above the numbers with the most words may hold others.
	const isTop = ({ cells }: Row, place: number) => (isHeaded && !place) || !cells.some(isLikely);
	const top = takeWhile(rows.slice(0, TOP), isTop);
	const isWordy = isHeaded || top[0]?.cells.some(isWords);
	const wordiest = isWordy ? maxBy(top, ({ cells }) => cells.filter(isWords).length) : undefined;
	const headings = known ?? wordiest;
	const body = headings ? rows.slice(rows.indexOf(headings) + 1) : rows;

	const titles = headings?.cells ?? [];
	const label = (column: number) =>
		isWords(titles[column]) ? showValue(lineOf(titles[column])) : `column ${column + 1}`;
	const columns = range(max(rows.map(({ cells }) => cells.length)) ?? 0);
	const among = (is: (cell: unknown) => boolean) =>
		columns.filter((column) => body.some(({ cells }) => is(cells[column])));
	const candidates = known ? numberColumns(titles) : among(isLikely);
	const [number] = candidates;
	const entries = body.map(({ cells }) => cells[number]);
	const filled = headings ? entries.filter(isFilled).length : body.length;
	const isMost = filled - entries.filter(isLikely).length <= Math.max(1, filled / 10);
	const isBare = BARE_NUMBER.test(lettersOf(titles[number])) && !saysOtherRegister(rows, body);
	const isSure = known ?? (isMost && (!headings || isBare));
	if (candidates.length !== 1 || !isSure) return { candidates: uniq(candidates.map(label)) };

	const column = label(number).replace(/^"/, 'column "');
	if (headings) {
		const heading = known ? 'company' : 'bare';
		return { body, heading, number, name: nameColumn(titles, number), column, headings };
	}
	const [alone = -1, ...others] = without(among(isWords), number);
	return { body, heading: 'none', number, name: others.length > 0 ? -1 : alone, column };
}

/** The row whose heading says company number: of several above the numbers, the one with the most filled cells. */
export function headingRow(rows: Row[]): Row | undefined {
	const isSaying = ({ cells }: Row) => numberColumns(cells).length > 0;
	const first = rows.slice(0, TOP).findIndex(isSaying);
	if (first < 0) return undefined;
	const below = takeWhile(rows.slice(first + 1, TOP), ({ cells }) => !cells.some(isLikely));
	const saying = [rows[first], ...below.filter(isSaying)];
	return maxBy(saying, ({ cells }) => cells.filter(isFilled).length);
}

function numberColumns(headings: unknown[]): number[] {
	return range(headings.length).filter((column) =>
		COMPANY_NUMBER.test(lettersOf(headings[column])),
	);
}

/**
 * The column of names: one that begins with the same word as the heading of the numbers, such as *Supplier*,
 * or else the clearest; of several, the nearest. -1 if there is none.
 */
export function nameColumn(headings: unknown[], number = -1): number {
	const clarity = (column: number) =>
		NAMES.findIndex((known) => known.test(lettersOf(headings[column])));
	const firstWord = (column: number) =>
		/^[A-Z]*[a-z]*/.exec(textOf(headings[column]).replace(/^[^a-z]+/i, ''))?.[0].toLowerCase();
	const weightOf = (column: number) =>
		(firstWord(column) === firstWord(number) ? 0 : 1000 * (1 + clarity(column))) +
		Math.abs(column - number) / headings.length;
	const named = range(headings.length).filter((column) => clarity(column) >= 0);
	return minBy(named, weightOf) ?? -1;
}

function saysOtherRegister(rows: Row[], body: Row[]): boolean {
	const says = (word: RegExp) => (row: Row) => row.cells.some((cell) => word.test(lineOf(cell)));
	const above = rows.slice(0, rows.length - body.length);
	return above.some(says(OTHER_REGISTER)) || body.some(says(OF_OTHER_REGISTER));
}

/** What counts of a heading: `Company_No.`, `companyNo` and n8n's `Company #_1` are the same, `No, Company` is none. */
function lettersOf(heading: unknown): string {
	const text = textOf(heading).replace(/#|№|n[°º]/gi, 'no');
	return text.toLowerCase().replace(/_\d+$|[^a-z0-9,;/\t]/g, '');
}
