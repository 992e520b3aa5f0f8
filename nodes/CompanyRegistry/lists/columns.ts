import { max, maxBy, range, sortBy, takeWhile, uniq, without } from 'lodash';

import { singleLine, formatValue, cellText } from '../shared/format';
import type { ListProblem } from './readList';
import { isFilled, isLikely, isWords, type Row } from './rows';

/** Parts of headings, of which letters and digits count. */
const COMPANY = `(?:company|co|companieshouse|companyhouse|cohouse|ch)`;
const REGISTRATION = `(?:reg|regn|regd|registration|registered)`;
const NUMBER = `(?:numbers?|nos?|nr|num)`;
const PARTY = `(?:client|customer|supplier|vendor|contractor|payee|beneficiary|provider|employer|donor|business|entity)`;
const WHOSE = `(?:${PARTY}|charity|limited|ltd|legal|uk)?`;
const REMARK = `(?:crn|${COMPANY}|uk|8digits|ifany|ifapplicable|ifknown)?`;
const COMPANY_NUMBER = new RegExp(
	`^(?:${WHOSE}${REGISTRATION}?(?:${COMPANY}{1,2}${REGISTRATION}?${NUMBER}|${COMPANY}reg(?:n|istration)?|${COMPANY}?crn${NUMBER}?)${REMARK}|${REGISTRATION}?${NUMBER}${COMPANY})$`,
);
const BARE_NUMBER = new RegExp(`^(?:${WHOSE}${REGISTRATION})?${NUMBER}$`);
/** What speaks of another register, unless it is a company's name; or is a number of the ICO's. */
const OTHER_REGISTER =
	/^(?!.*\b(?:ltd|limited|plc|llp|cic)\b).*(?:charit|oscr|ofsted|housing|provider|school|data protection|financial conduct|vehicle|licence|license|\b(?:fca|frn|pra|ico|vat|utr|paye|hmrc|cqc|sra|lei|duns|urn|ukprn|nhs|gmc|nmc)\b)|^z[ab]?\d{6,7}$/i;
/** Headings of names, the clearest first. The last is any name that is no person's, street's or file's. */
const NAMES = [
	new RegExp(`^(?:registered|legal|company|firm|organ\\w{7}|${PARTY})+name$`),
	new RegExp(`^(?:company|companies|firms?|organ\\w{7}|${PARTY}s?|(?:full|trading)?name)$`),
	/^(?!.*(contact|first|last|fore|middle|given|family|sur|user|owner|manager|partner|director|secretary|officer|staff|person|accountant|product|parent|former|previous|file|street|bank|domain)).*name/,
];
/** Among so many rows, titles may stand above the headings. */
const TOP = 20;

export interface Table {
	body: Row[];
	/** What the heading of the numbers says. */
	heading: 'company' | 'bare' | 'none';
	number: number;
	/** The column of names; -1 if there is none. */
	name: number;
	/** What the column of numbers is called; empty in a list of numbers. */
	column: string;
	headings?: Row;
}

/** The table in these rows, or else the columns that could hold the numbers. */
export function findTable(rows: Row[]): Table | ListProblem {
	const known = headingRow(rows);
	const titleRows = takeWhile(rows.slice(0, TOP), isTitle);
	const headings = known ?? maxBy(titleRows, ({ cells }) => cells.filter(isWords).length);
	const body = headings ? rows.slice(rows.indexOf(headings) + 1) : rows;
	const titles = headings?.cells ?? [];
	const label = (column: number) =>
		isWords(titles[column]) ? formatValue(singleLine(titles[column])) : `column ${column + 1}`;
	const columns = range(max(rows.map(({ cells }) => cells.length)) ?? 0);
	const among = (is: (cell: unknown) => boolean) =>
		columns.filter((column) => body.some(({ cells }) => is(cells[column])));

	const candidates = known ? numberColumns(known) : among(isLikely);
	const [number] = candidates;
	const entries = body.map(({ cells }) => cells[number]);
	const filled = headings ? entries.filter(isFilled).length : body.length;
	const isMost = filled - entries.filter(isLikely).length <= Math.max(1, filled / 10);
	const isOther = ({ cells }: Row) => cells.some((cell) => OTHER_REGISTER.test(singleLine(cell)));
	const isBare = BARE_NUMBER.test(lettersOf(titles[number])) && !rows.some(isOther);
	const isSure = known ?? (isMost && (!headings || isBare));
	if (candidates.length !== 1 || !isSure) {
		const looksLike = headings ? undefined : 'table';
		return { candidates: uniq(candidates.map(label)), looksLike };
	}
	const heading = known ? 'company' : headings ? 'bare' : 'none';
	const [alone = -1, ...others] = without(among(isWords), number);
	const named = others.length > 0 ? -1 : alone;
	const name = headings ? nameColumn(titles, number) : named;
	const column = label(number).replace(/^"/, 'column "');
	return { body, heading, number, name, column, headings };
}

/** Whether a row above the numbers may hold titles or headings. */
export function isTitle({ cells }: Row): boolean {
	return cells.some(isWords) && !cells.some(isLikely);
}

/** The row whose heading says company number: of several above the numbers, the one with the most filled cells. */
export function headingRow(rows: Row[]): Row | undefined {
	const top = rows.slice(0, TOP);
	const first = top.findIndex((row) => numberColumns(row).length > 0);
	const above = takeWhile(top, ({ cells }, place) => place <= first || !cells.some(isLikely));
	const saying = above.filter((row) => numberColumns(row).length > 0);
	return maxBy(saying, ({ cells }) => cells.filter(isFilled).length);
}

function numberColumns({ cells }: Row): number[] {
	return range(cells.length).filter((column) => COMPANY_NUMBER.test(lettersOf(cells[column])));
}

/**
 * The column of names: the one whose heading begins like that of the numbers, such as *Supplier*, or else the
 * clearest; of several, the nearest. -1 if there is none.
 */
export function nameColumn(headings: unknown[], number = -1): number {
	const firstWord = (column: number) =>
		/[A-Z]*[a-z]*/.exec(cellText(headings[column]))?.[0].toLowerCase();
	const clarity = (column: number) =>
		NAMES.findIndex((known) => known.test(lettersOf(headings[column])));
	const named = range(headings.length).filter((column) => clarity(column) >= 0);
	const differs = (column: number) => firstWord(column) !== firstWord(number);
	const distance = (column: number) => Math.abs(column - number);
	return sortBy(named, [differs, clarity, distance])[0] ?? -1;
}

/** What counts of a heading: `Company_No.`, `companyNo` and n8n's `Company #_1` are the same, `No, Company` is no heading. */
function lettersOf(heading: unknown): string {
	const text = cellText(heading).replace(/#|№|n[°º]/gi, 'no');
	return text.toLowerCase().replace(/_\d+$|[^a-z0-9,;/\t]/g, '');
}
