import { uniq } from 'lodash';

import { normaliseCompanyNumber } from '../shared/companyNumber';
import { isFilled, textOf, type Row } from './table';

/** Where the numbers and names of a table stand, counted from 0. */
export interface Columns {
	number: number;
	name: number | undefined;
	/** The first row below the headings. */
	first: number;
	/** What a user calls the column of numbers. */
	column: string;
}

/** Headings, of which letters and digits count. A bare *Number* may be that of a row or of a house. */
const COMPANY = `(?:company|co|companieshouse|ch)`;
const REGISTRATION = `(?:reg|regn|registration|registered)`;
const NUMBER = `(?:numbers?|nos?|nr|num)`;
const CLEAREST_NUMBER_HEADING = `companynumber`;
const NUMBER_HEADING = new RegExp(
	`^(?:uk|client|customer|supplier|limited|ltd|legal|business|entity)?(?:${COMPANY}{1,2}${REGISTRATION}?${NUMBER}|${COMPANY}(?:reg|regn|registration)|${REGISTRATION}(?:company|co)?${NUMBER}|${COMPANY}?crn${NUMBER}?)(?:crn|${COMPANY}|uk|8digits)?$`,
);
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
/** What is no company number although it could be one: a charity has one of seven digits. */
const OTHER_HEADING =
	/account|^(?:id|code|ac(?:c|ct)?(?:no|code|ref)|(?:matter|case|job|file|policy)(?:no|number|ref|id|code))$|birth|dob|mail|sort(?:code)|bank|charity|vat|tax|utr|paye|phone|mobile|fax|date|year|fee|amount|price|turnover|revenue|balance|invoice|order|(?:client|customer|supplier|member|staff)(?:id|no|nr|number|ref|code)/;
const LONGEST_HEADING = 60;
/** Rows at the top among which the headings are looked for: titles may stand above them. */
const TITLE_ROWS = 20;

/**
 * The company number in a cell of a table. One to three digits are none unless all eight are written: they
 * count something, or are the number of a house.
 */
export function numberIn(cell: unknown): string | undefined {
	const number = normaliseCompanyNumber(cell);
	return number !== undefined && significance(cell, number) > 3 ? number : undefined;
}

/** How many characters a number has without its leading zeros; 8 where those were written. */
export function significance(cell: unknown, number: string): number {
	if (!number.startsWith('000') || textOf(cell).replace(/\D/g, '').length >= 8) return 8;
	return number.replace(/^0+/, '').length;
}

/**
 * Finds the columns of a table: by a heading that clearly says so, else the only column with anything that
 * could be a company number. Where that is not clear, returns what those columns are called.
 * @param rows without empty ones
 * @param isHeaded whether the first row holds headings, whatever they are
 */
export function findColumns(rows: Row[], isHeaded: boolean): Columns | { candidates: string[] } {
	const heading = Math.max(findHeading(rows), isHeaded ? 0 : -1);
	const headings = heading === -1 ? [] : rows[heading].cells.map(lettersOf);
	const label = (column: number) => labelOf(rows[Math.max(heading, 0)].cells[column], column);
	const called = (column: number) => label(column).replace(/^"/, 'column "');
	const first = heading + 1;

	const headed = [...headings.keys()].filter((column) => NUMBER_HEADING.test(headings[column]));
	const clearest = headed.filter((column) => headings[column] === CLEAREST_NUMBER_HEADING);
	const said = [clearest, headed].find(({ length }) => length === 1)?.[0];
	if (said !== undefined) {
		return { number: said, name: nameAmong(headings, said), first, column: called(said) };
	}

	const contents = contentsOf(rows.slice(first));
	const candidates = [...contents.keys()].filter(
		(column) => contents[column].hasNumber && (headed.length === 0 || headed.includes(column)),
	);
	const named = nameAmong(headings, -1);
	// Two columns, of which one holds the names and none a number: what stands in the other is wrong.
	const isOther =
		candidates.length === 0 &&
		contents.length === 2 &&
		named !== undefined &&
		!OTHER_HEADING.test(headings[1 - named]);
	const number = isOther ? 1 - named : candidates[0];
	const isClear =
		candidates.length === 1 &&
		(headed.length > 0 ||
			(contents[number].isLikely && !OTHER_HEADING.test(headings[number] ?? '')));
	if (!isClear && !isOther) return { candidates: candidates.map(label) };
	// Where a heading such as Company stands above the numbers, it says nothing of the names.
	const isSilent = headings.length === 0 || isNameHeading(headings[number]);
	const lettered = [...contents.keys()].filter(
		(column) => column !== number && contents[column].hasLetters,
	);
	const only = isSilent && lettered.length === 1 ? lettered[0] : undefined;
	return { number, name: nameAmong(headings, number) ?? only, first, column: called(number) };
}

/** The heading of the column that holds the names of companies, in rows as n8n's nodes put them out. */
export function nameColumnOf(items: object[]): string | undefined {
	const headings = uniq(items.flatMap(Object.keys));
	return headings[nameAmong(headings.map(lettersOf), -1) ?? -1];
}

/** The place of the row of headings; -1 if there is none. */
export function findHeading(rows: Row[]): number {
	const hasNumber = ({ cells }: Row) => cells.some((cell) => numberIn(cell) !== undefined);
	for (const [place, row] of rows.slice(0, TITLE_ROWS).entries()) {
		if (row.cells.some((cell) => NUMBER_HEADING.test(lettersOf(cell)))) return place;
		// A title may hold a year, a count or a date.
		if (row.cells.some(isLikely)) break;
	}
	const top = rows[0]?.cells.filter(isFilled).map(lettersOf) ?? [];
	return top.length > 1 && top.some(isNameHeading) && !hasNumber(rows[0]) ? 0 : -1;
}

function isLikely(cell: unknown): boolean {
	const number = numberIn(cell);
	return number !== undefined && significance(cell, number) > 5;
}

function isNameHeading(heading: string): boolean {
	return NAME_HEADINGS.some((known) => known.test(heading));
}

function nameAmong(headings: string[], number: number): number | undefined {
	const others = [...headings.keys()].filter((column) => column !== number);
	const find = (known: RegExp) => others.find((column) => known.test(headings[column]));
	return NAME_HEADINGS.map(find).find((column) => column !== undefined);
}

interface Contents {
	hasNumber: boolean;
	/** Whether one of them is more than a count, a year or a reference of five digits. */
	isLikely: boolean;
	hasLetters: boolean;
}

/** What the columns hold, by column; each cell is looked at once. */
function contentsOf(rows: Row[]): Contents[] {
	const columns: Contents[] = [];
	for (const { cells } of rows) {
		for (const [column, cell] of cells.entries()) {
			columns[column] ??= { hasNumber: false, isLikely: false, hasLetters: false };
			const found = columns[column];
			found.hasLetters ||= /\p{L}/u.test(textOf(cell));
			if (found.isLikely) continue;
			const number = numberIn(cell);
			found.hasNumber ||= number !== undefined;
			found.isLikely = number !== undefined && significance(cell, number) > 5;
		}
	}
	return columns;
}

function labelOf(title: unknown, column: number): string {
	const text = textOf(title).slice(0, LONGEST_HEADING).replace(/\s+/g, ' ');
	const isHeading = /\p{L}/u.test(text) && numberIn(text) === undefined;
	return isHeading ? `"${text}"` : `column ${column + 1}`;
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
