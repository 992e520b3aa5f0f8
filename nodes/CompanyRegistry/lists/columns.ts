import {
	countBy,
	dropWhile,
	filter,
	find,
	maxBy,
	negate,
	range,
	sortBy,
	takeWhile,
	uniq,
} from 'lodash';

import { writtenNumber } from '../shared/companyNumber';
import { formatValue, singleLine } from '../shared/format';
import * as say from './headings';
import { unclearColumn } from './messages';
import { judgeNames } from './names';
import {
	cellsOf,
	isDate,
	isFilled,
	isFull,
	isLikely,
	isWords,
	type Heading,
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
/** Among so many rows, titles may stand above the headings. */
const TOP = 20;
/** So many columns of names are looked at. */
const MOST_NAMES = 10;

/** The parts of a table and its column of numbers, or why that is not sure. */
export function findTable(rows: Row[], isList: boolean) {
	const headings = headingRow(rows);
	const titles = headings?.cells.map(singleLine);
	const body = rows.slice(headings ? rows.indexOf(headings) + 1 : 0);
	const said = saidColumns(titles, body);
	const unsaid = isList ? 'list' : titles ? 'bare' : 'none';
	const heading: Heading = said.length > 0 ? 'company' : unsaid;
	const candidates = said.length > 0 ? said : isList ? [0] : likelyColumns(body);
	const [number] = candidates;

	const isOther = ({ cells }: Row) => cells.some((cell) => OTHER_REGISTER.test(singleLine(cell)));
	const isBare = () => say.isBareNumber(titles?.[number]) && !rows.some(isOther);
	const isSure = () => (!titles || isBare()) && areCompanyNumbers(cellsOf(body, number));
	const label = (column: number) => `column ${formatValue(titles?.[column]) || column + 1}`;
	if (candidates.length !== 1 || !(heading === 'company' || isList || isSure())) {
		return unclearColumn(candidates.map(label), titles !== undefined);
	}
	const column = isList ? '' : label(number);
	return { headings, titles, body, heading, number, column } as const;
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
	return cells.some(say.saysCompanyNumber) && !cells.some(isLikely);
}

/** The columns whose headings say company number; of several, those that have any. */
function saidColumns(titles: string[] = [], body: Row[]): number[] {
	const said = range(titles.length).filter((column) => say.saysCompanyNumber(titles[column]));
	if (said.length < 2) return said;
	const filled = countIn(body, (cell) => writtenNumber(cell) !== undefined);
	const numbered = said.filter((column) => filled[column]);
	return numbered.length > 0 ? numbered : said;
}

/** The columns in which a cell may be a company number, and most are no dates. */
function likelyColumns(body: Row[]): number[] {
	const filled = countIn(body, isFilled);
	const dates = countIn(body, isDate);
	const likely = countIn(body, (cell) => isLikely(cell) || isDate(cell));
	const columns = Object.keys(likely).map(Number);
	return columns.filter((column) => !isMost(dates[column], filled[column]));
}

function isMost(some = 0, all = 0): boolean {
	return some * 2 > all;
}

/** How many cells of each column are so. Takes time in proportion to the cells, whatever the widest row. */
function countIn(rows: Row[], is: (cell: unknown) => boolean): Partial<Record<string, number>> {
	return countBy(rows.flatMap(({ cells }) => range(cells.length).filter((at) => is(cells[at]))));
}

/** Whether nearly all cells are company numbers in full: without a clear heading, any codes look like short ones. */
function areCompanyNumbers(cells: unknown[]): boolean {
	const filled = cells.filter(isFilled);
	const full = filled.filter(isFull);
	const prefixes = uniq(full.map((cell) => /^[A-Z]*/.exec(writtenNumber(cell) ?? '')?.[0] ?? ''));
	const isKnown = prefixes.length > 1 || COMMON_PREFIXES.includes(prefixes[0]);
	const isNearlyAll = filled.length - full.length <= Math.max(1, filled.length / 10);
	return isKnown && isNearlyAll && isMost(full.length, filled.filter(isLikely).length);
}

/** Where the names of the companies stand, or -1, and the numbers whose names are unclear. */
export function findNames(
	{ titles, body, number }: { titles?: string[]; body: Row[]; number: number },
	numbers: Array<string | undefined>,
) {
	const words = titles ? [] : Object.keys(countIn(body, isWords)).map(Number);
	const others = words.filter((column) => column !== number);
	const columns = titles ? nameColumns(titles, number) : others.length === 1 ? others : [];
	const judged = columns.slice(0, MOST_NAMES).map((column) => {
		return { column, ...judgeNames(cellsOf(body, column), numbers) };
	});
	const named = filter(judged, 'areNames');
	return find(named, 'areFilled') ?? named[0] ?? { column: -1, unclear: new Set<string>() };
}

/**
 * The columns of names by their headings: first those whose headings begin like that of the numbers, such as
 * *Supplier*, then the clearest; of several, the nearest.
 */
export function nameColumns(headings: unknown[], number = -1): number[] {
	const named = range(headings.length).filter((column) => say.nameClarity(headings[column]) >= 0);
	const differs = (column: number) =>
		say.firstWord(headings[column]) !== say.firstWord(headings[number]);
	const clarity = (column: number) => say.nameClarity(headings[column]);
	const distance = (column: number) => Math.abs(column - number);
	return sortBy(named, [differs, clarity, distance]);
}
