import { dropWhile, map, max, maxBy, negate, range, sortBy, takeWhile, without } from 'lodash';

import { cellText, formatValue, singleLine } from '../shared/format';
import { unclearColumn } from './messages';
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

/** The parts of a table and its columns of numbers and names, or why the numbers are not sure. */
export function findTable(rows: Row[], isList: boolean) {
	const headings = headingRow(rows);
	const titles = headings?.cells.map(singleLine);
	const body = rows.slice(headings ? rows.indexOf(headings) + 1 : 0);
	const columns = range(max(map(rows, 'cells.length')) ?? 0);
	const among = (is: (cell: unknown) => boolean) =>
		columns.filter((column) => body.some(({ cells }) => is(cells[column])));
	const known = numberColumns(titles);
	const heading = known.length > 0 ? 'company' : titles ? 'bare' : 'none';
	const candidates = known.length > 0 ? known : isList ? [0] : among(isLikely);
	const [number] = candidates;

	const entries = body.map(({ cells }) => cells[number]);
	const filled = titles ? entries.filter(isFilled).length : body.length;
	const isMost = filled - entries.filter(isLikely).length <= Math.max(1, filled / 10);
	const isOther = ({ cells }: Row) => cells.some((cell) => OTHER_REGISTER.test(singleLine(cell)));
	const isBare = BARE_NUMBER.test(lettersOf(titles?.[number])) && !rows.some(isOther);
	const isSure = isList || heading === 'company' || (isMost && (!titles || isBare));
	const label = (column: number) => `column ${formatValue(titles?.[column]) || column + 1}`;
	if (candidates.length !== 1 || !isSure) {
		return unclearColumn(candidates.map(label), titles !== undefined);
	}
	const named = without(among(isWords), number);
	const alone = named.length === 1 ? named[0] : -1;
	const name = titles ? nameColumn(titles, number) : alone;
	const column = isList ? '' : label(number);
	return { headings, titles, body, heading, number, name, column } as const;
}

/** The row that says company number, of several above the numbers the fullest; or else the fullest of words only. */
export function headingRow(rows: Row[]): Row | undefined {
	const top = rows.slice(0, TOP);
	const isAbove = (row: Row) => saysNumber(row) || !row.cells.some(isLikely);
	const said = takeWhile(dropWhile(top, negate(saysNumber)), isAbove).filter(saysNumber);
	const titles = takeWhile(top, (row) => isAbove(row) && row.cells.some(isWords));
	return maxBy(said.length > 0 ? said : titles, ({ cells }) => cells.filter(isFilled).length);
}

export function saysNumber({ cells }: Row): boolean {
	return numberColumns(cells).length > 0;
}

function numberColumns(cells: unknown[] = []): number[] {
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
