import { dropWhile, maxBy, negate, range, takeWhile, uniq } from 'lodash';

import { resemblesCompanyNumber, writtenNumber } from '../shared/companyNumber';
import { formatValue, singleLine } from '../shared/format';
import { isBareNumber, saysCompanyNumber } from './headings';
import type { ListProblem } from './list';
import { unclearColumn } from './messages';
import {
	areDates,
	cellsOf,
	columnsWith,
	isFilled,
	isFull,
	isLikely,
	isWords,
	type Form,
	type Row,
} from './rows';

/**
 * What speaks of a register whose numbers have eight characters, too, unless it is a company's name. Those of
 * Scottish charities even begin with SC.
 */
const OTHER_REGISTER =
	/^(?!.*\b(?:ltd|limited|plc|llp|cic)\b).*(?:charit|oscr|ukprn|provider|school|vehicle|licence|license|sort code)/i;
/** Prefixes that hardly any other system uses. Digits have none. */
const COMMON_PREFIXES = ['', 'SC', 'NI', 'OC'];
/** Among so many rows, titles may be above the headings. */
const TOP = 20;

export type Table = Exclude<ReturnType<typeof findTable>, ListProblem>;

/** The parts of a table and its column of numbers, or why that is not sure. */
export function findTable(rows: Row[], form: Form) {
	const isList = form === 'lines';
	const first = headingRow(rows);
	const headings = first?.cells.map(singleLine);
	const body = rows.slice(first ? rows.indexOf(first) + 1 : 0);
	const said = saidColumns(headings, body);
	const isSaid = said.length > 0;
	const candidates = isSaid ? said : isList ? [0] : likelyColumns(body);
	const [numberColumn] = candidates;

	const isOther = ({ cells }: Row) => cells.some((cell) => OTHER_REGISTER.test(singleLine(cell)));
	const isBare = () => isBareNumber(headings?.[numberColumn]) && !rows.some(isOther);
	const isSure = () => (!headings || isBare()) && areCompanyNumbers(cellsOf(body, numberColumn));
	const label = (column: number) => `column ${formatValue(headings?.[column]) || column + 1}`;
	if (candidates.length !== 1 || !(isSaid || isList || isSure())) {
		return unclearColumn(candidates.map(label), headings !== undefined, form);
	}
	const columnLabel = isList ? '' : label(numberColumn);
	return { form, headings, body, isSaid, numberColumn, columnLabel } as const;
}

/** The row that says company number, of several above the numbers the fullest; or else the fullest of words only. */
export function headingRow(rows: Row[]): Row | undefined {
	const top = rows.slice(0, TOP);
	const isAbove = (row: Row) => saysNumber(row) || !row.cells.some(isLikely);
	const said = takeWhile(dropWhile(top, negate(saysNumber)), isAbove).filter(saysNumber);
	const words = takeWhile(top, (row) => isAbove(row) && row.cells.some(isWords));
	return maxBy(said.length > 0 ? said : words, ({ cells }) => cells.filter(isFilled).length);
}

export function saysNumber({ cells }: Row): boolean {
	return cells.some(saysCompanyNumber) && !cells.some(isLikely);
}

/** The columns whose headings say company number; of several, those that have any. */
function saidColumns(headings: string[] = [], body: Row[]): number[] {
	const said = range(headings.length).filter((column) => saysCompanyNumber(headings[column]));
	const filled = said.filter((column) => cellsOf(body, column).some(resemblesCompanyNumber));
	return filled.length > 0 ? filled : said;
}

/** The columns in which a cell may be a company number, and most are no dates. */
function likelyColumns(body: Row[]): number[] {
	const columns = columnsWith(body, resemblesCompanyNumber);
	return columns.filter((column) => !areDates(cellsOf(body, column)));
}

/** Whether nearly all cells are company numbers in full: without a clear heading, any codes look like short ones. */
function areCompanyNumbers(cells: unknown[]): boolean {
	const filled = cells.filter(isFilled);
	const full = filled.filter(isFull);
	const prefixes = uniq(full.map((cell) => /^[A-Z]*/.exec(writtenNumber(cell) ?? '')?.[0] ?? ''));
	const isKnown = prefixes.length > 1 || COMMON_PREFIXES.includes(prefixes[0]);
	const isNearlyAll = filled.length - full.length <= Math.max(1, filled.length / 10);
	return isKnown && isNearlyAll && full.length * 2 > filled.filter(isLikely).length;
}
