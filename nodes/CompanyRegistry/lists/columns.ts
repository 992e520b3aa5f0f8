import { max, range, takeWhile, uniq, without } from 'lodash';

import { showValue } from '../shared/words';
import { isFilled, isLikely, isWords, lineOf, textOf } from './cells';
import type { Row } from './rows';

/** Headings, of which letters and digits count. */
const COMPANY = `(?:company|co|companieshouse|companyhouse|cohouse|ch)`;
const REGISTRATION = `(?:reg|regn|regd|registration|registered)`;
const NUMBER = `(?:numbers?|nos?|nr|num)`;
const WHOSE = `(?:uk|client|customer|supplier|limited|ltd|legal|business|entity)?`;
const REMARK = `(?:crn|${COMPANY}|uk|8digits|ifany|ifapplicable|ifknown)?`;
const COMPANY_NUMBER = new RegExp(
	`^(?:${WHOSE}(?:${COMPANY}{1,2}${REGISTRATION}?${NUMBER}|${COMPANY}(?:reg|regn|registration)|${REGISTRATION}(?:company|co)${NUMBER}|${COMPANY}?crn${NUMBER}?)${REMARK}|${REGISTRATION}?${NUMBER}${COMPANY})$`,
);
const REGISTERED_NUMBER = new RegExp(`^registered${NUMBER}$`);
/** May be that of anything: a row, a house, another register. */
const BARE_NUMBER = new RegExp(`^(?:${WHOSE}${REGISTRATION})?${NUMBER}$`);
const OTHER_REGISTER =
	/charit|oscr|\b(?:fca|frn|pra|ico|vat|utr|paye|hmrc|cqc|sra|lei|duns)\b|data protection|financial conduct|vehicle|licence|license/i;
/** The same in a cell below the headings that is no company's name; or a number of the ICO's. */
const OF_OTHER_REGISTER =
	/^(?!.*\b(?:ltd|limited|plc|llp|cic)\b).*\b(?:charity|oscr|fca|ico|financial conduct)\b|^(?:vat|z[ab]?\d{6,7})$/i;
/** The clearest first. The last is any with *name* in it that is no person's, street's or file's. */
const NAMES = [
	/^(registered|legal|full|client|customer)?(company|entity|business|organ\w{7})name$|^(legal|registered)name$/,
	/^(company|companies)$/,
	/^(client|customer|supplier|vendor|firm|account|full|trading)?name$/,
	/^(entity|business|organ\w{7})$/,
	/^(client|customer|supplier|vendor|firm)s?$/,
	/^(?!.*(contact|first|last|fore|middle|given|family|sur|user|owner|manager|partner|director|secretary|officer|staff|person|accountant|product|parent|former|previous|file|street|bank|domain)).*name/,
];

/**
 * Finds the numbers of a table under the heading that says so; without headings, in the only column that has
 * any, if nearly all rows have one. Otherwise returns what the columns that could be it are called.
 * @param isHeaded whether the first row holds headings, whatever they are
 */
export function findTable(rows: Row[], isHeaded = false) {
	const isTop = (row: Row, place: number) => (isHeaded && !place) || !row.cells.some(isLikely);
	// Titles may stand above the headings.
	const top = takeWhile(rows.slice(0, 20), isTop);
	const counts = top.map(({ cells }) => cells.filter(isWords).length);
	const first = counts.indexOf(Math.max(isHeaded ? 0 : 1, ...counts)) + 1;
	const titles = rows[first - 1]?.cells ?? [];
	const { numbers, bare, name } = saidBy(titles, rows, first);

	const body = rows.slice(first);
	const columns = range(max(rows.map(({ cells }) => cells.length)) ?? 0);
	const among = (is: (cell: unknown) => boolean) =>
		columns.filter((column) => body.some(({ cells }) => is(cells[column])));
	const candidates = numbers.length > 0 ? numbers : among(isLikely);
	const [number] = candidates;
	const entries = body.map(({ cells }) => cells[number]);
	const filled = first === 0 ? body.length : entries.filter(isFilled).length;
	const isMost = filled - entries.filter(isLikely).length <= Math.max(1, filled / 10);
	const isSure = numbers.length === 1 || (isMost && (first === 0 || bare.includes(number)));
	const label = (column: number) =>
		isWords(titles[column]) ? showValue(lineOf(titles[column])) : `column ${column + 1}`;
	if (candidates.length !== 1 || !isSure) return { candidates: uniq(candidates.map(label)) };

	const column = label(number).replace(/^"/, 'column "');
	if (first > 0) return { body, number, name, headings: titles.map(lineOf), column };
	const [alone = -1, ...others] = without(among(isWords), number);
	return { body, number, name: others.length > 0 ? -1 : alone, column };
}

/**
 * Columns whose headings say that they hold company numbers, those that may do where no other could, and the
 * one of names; -1 if there is none. What stands above and below may tell of another register.
 * @param first which of the rows is the first below the headings
 */
export function saidBy(headings: unknown[], rows: Row[] = [], first = 0) {
	const letters = headings.map(lettersOf);
	const places = (...known: RegExp[]) =>
		range(letters.length).filter((column) => known.some((one) => one.test(letters[column])));
	const [name = -1] = NAMES.flatMap((known) => places(known));
	const [registered, bare] = [places(REGISTERED_NUMBER), places(BARE_NUMBER)];
	const isOther = ({ cells }: Row, place: number) =>
		cells.some((cell) => (place < first ? OTHER_REGISTER : OF_OTHER_REGISTER).test(lineOf(cell)));
	const isUnclear = registered.length + bare.length > 0 && rows.some(isOther);
	const numbers = places(COMPANY_NUMBER, ...(isUnclear ? [] : [REGISTERED_NUMBER]));
	return { numbers, bare: isUnclear ? [] : bare, name };
}

/** What counts of a heading: `Company_No.`, `companyNo` and n8n's `Company #_1` are the same, `No, Company` is none. */
function lettersOf(heading: unknown): string {
	const text = textOf(heading).replace(/#|№|n[°º]/gi, 'no');
	return text.toLowerCase().replace(/_\d+$|[^a-z0-9,;\t]/g, '');
}
