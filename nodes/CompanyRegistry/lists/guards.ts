import { findLastIndex, memoize, range, without } from 'lodash';

import { completeFewDigits, resemblesCompanyNumber, writtenNumber } from '../shared/companyNumber';
import { namesOtherCountry } from '../shared/country';
import { cellText } from '../shared/format';
import type { findTable } from './columns';
import { isCountry } from './headings';
import type { Guard, ListProblem } from './list';
import {
	areDates,
	cellsOf,
	haveOneWidth,
	isDate,
	isFilled,
	isFull,
	MOST_COLUMNS,
	type Row,
} from './rows';

type Table = Exclude<ReturnType<typeof findTable>, ListProblem>;

/** Cells that say only what the number beside them is: "Grand total", "Number of clients", "Last updated 1/2/2026". */
const TOTAL =
	/^(?:[\w-]+ )?(?:(?:sub)?totals?|counts?|sum|average|balance|checksum)(?: (?:fees|spend|paid|due|clients|companies|rows))?\W*$|^(?:number|no\.?) of [\w ]+\W*$/i;
const DATED =
	/^(?:(?:\w+ )?dated?(?: of \w+)?|year end(?:ed)?|as (?:at|of|on)|(?:updated|printed|exported|extracted|generated|produced|last \w+ed|prepared by .+)(?: on)?)[\s:.\d/-]*$/i;

/** The guards of a table, by the place of a row in its body. */
export function guardsOf(table: Table, numbers: Array<string | undefined>, nameColumn: number) {
	const { form, titles, body, isSaid, number: place, column } = table;
	const width = titles ? findLastIndex(titles, isFilled) + 1 : Infinity;
	// Between tabs, no cell can be the rest of a name: one beyond the headings is a note.
	const isPart = form === '\t' ? resemblesCompanyNumber : isFilled;
	const hasMore = (cells: unknown[]) => cells.slice(width).some(isPart);
	// A single row may have a name with a comma, and another number in the place of the company's.
	const isSure = body.length > 1 || cellsOf(body, place).some(isFull);
	const areEven = haveOneWidth(body) && !body.some(({ cells }) => hasMore(cells));
	const mayEndEmpty = !titles || form === '\t' || (areEven && isSure);
	const countries = range(titles?.length ?? 0).filter((at) => isCountry(titles?.[at]));
	const isElsewhere = memoize(namesOtherCountry);
	const mayBeDates = !titles && areDates(cellsOf(body, place));

	const isLonger = (cells: unknown[]) =>
		hasMore(cells) || (!mayEndEmpty && cells.length > titles.length);
	const isTotal = (cells: unknown[], index: number) => {
		const before: unknown = body[index - 1]?.cells[0];
		const label = column ? without(cells, cells[place]).find(isFilled) : before;
		const labels = [label, cells[nameColumn]].map(cellText);
		return labels.some((one) => TOTAL.test(one) || DATED.test(one));
	};
	/** A short number with nothing beside it, where it counts the rows above, or the row above has more cells. */
	const isCount = (cells: unknown[], index: number) => {
		const count = isSaid ? completeFewDigits(cells[place]) : undefined;
		const isAlone = (row?: Row) => row?.cells.every((one, at) => at === place || !isFilled(one));
		if (count === undefined || !isAlone(body[index])) return false;
		return Number(count) === index || isAlone(body[index - 1]) === false;
	};
	const isForeign = (cells: unknown[], number?: string) => {
		const isCompleted = number !== undefined && number !== writtenNumber(cells[place]);
		const named = isCompleted ? countries.slice(0, MOST_COLUMNS) : [];
		return named.some((at) => isElsewhere(cellText(cells[at])));
	};

	return (index: number): Guard | undefined => {
		const { cells } = body[index];
		if (isLonger(cells)) return form === ',' ? 'shifted' : 'longer';
		if (isTotal(cells, index) || isCount(cells, index)) return 'total';
		if (isForeign(cells, numbers[index])) return 'foreign';
		return mayBeDates && isDate(cells[place]) ? 'date' : undefined;
	};
}
