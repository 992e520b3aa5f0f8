import { findLastIndex, memoize, range, without } from 'lodash';

import { completeFewDigits, writtenNumber } from '../shared/companyNumber';
import { namesOtherCountry } from '../shared/country';
import { cellText } from '../shared/format';
import type { findTable } from './columns';
import { isCountry } from './headings';
import type { Guard, ListProblem } from './list';
import { areDates, cellsOf, haveOneWidth, isDate, isFilled, type Row } from './rows';

type Table = Exclude<ReturnType<typeof findTable>, ListProblem>;

const TOTAL =
	/^(?:(?:[\w-]+ )?(?:(?:sub)?totals?|counts?|sum|average|balance|checksum)(?: (?:fees|spend|paid|due|clients|companies|rows))?|(?:number|no\.?) of [\w ]+)\W*$|^(?:(?:\w+ )?dated?(?: of \w+)?|year end(?:ed)?|as (?:at|of|on)|(?:updated|printed|exported|extracted|generated|produced|last \w+ed|prepared by .+)(?: on)?)[\s:.\d/-]*$/i;

/** So many columns of countries are looked at. */
const MOST_COUNTRIES = 10;

/** The guards of a table, by the place of a row in its body. */
export function guardsOf(table: Table, numbers: Array<string | undefined>, nameColumn: number) {
	const { headings, titles, body, number: place, column } = table;
	const width = titles ? findLastIndex(titles, isFilled) + 1 : Infinity;
	const isCut = body.some(({ isSpaced }) => isSpaced && !headings?.isSpaced);
	const mayEndEmpty = !titles || (haveOneWidth(body) && !isCut);
	const ofCountries = range(titles?.length ?? 0).filter((at) => isCountry(titles?.[at]));
	const countries = ofCountries.slice(0, MOST_COUNTRIES);
	const isElsewhere = memoize(namesOtherCountry);
	const isLoneCount = loneCounts(table);
	const mayBeDates = !titles && areDates(cellsOf(body, place));

	const isLonger = (cells: unknown[]) => {
		const isLong = !mayEndEmpty && cells.length > titles.length;
		return isLong || cells.slice(width).some(isFilled);
	};
	const isTotal = (cells: unknown[], index: number) => {
		const before: unknown = body[index - 1]?.cells[0];
		const label = column ? without(cells, cells[place]).find(isFilled) : before;
		return [label, cells[nameColumn]].some((one) => TOTAL.test(cellText(one)));
	};
	const isForeign = (cells: unknown[], number?: string) =>
		number !== undefined &&
		number !== writtenNumber(cells[place]) &&
		countries.some((at) => isElsewhere(cellText(cells[at])));

	return (index: number): Guard | undefined => {
		const { cells } = body[index];
		if (isLonger(cells)) return 'longer';
		if (isTotal(cells, index) || isLoneCount(index)) return 'total';
		if (isForeign(cells, numbers[index])) return 'foreign';
		return mayBeDates && isDate(cells[place]) ? 'date' : undefined;
	};
}

/** Whether a short number has nothing beside it, unlike most rows, or counts the rows above it at the end of a list. */
function loneCounts({ body, heading, number: place }: Table): (index: number) => boolean {
	const isLone = ({ cells }: Row) => cells.every((one, at) => at === place || !isFilled(one));
	const areMostBeside = body.filter(isLone).length * 2 <= body.length;
	return (index) => {
		const count = completeFewDigits(body[index].cells[place]);
		if (heading !== 'company' || count === undefined || !isLone(body[index])) return false;
		return areMostBeside || (index === body.length - 1 && Number(count) === index);
	};
}
