import { findLastIndex, range, without } from 'lodash';

import { completeFewDigits, resemblesCompanyNumber, writtenNumber } from '../shared/companyNumber';
import { cellText } from '../shared/format';
import type { Table } from './columns';
import { namesOtherCountry } from './country';
import { isCountry } from './headings';
import type { Guard } from './list';
import { cellsOf, haveOneWidth, isFilled, isFull, type Row } from './rows';

/** Cells that say only what the number beside them is: "Grand total", "Number of clients". */
const TOTAL =
	/^(?:[\w-]+ )?(?:(?:sub)?totals?|counts?|sum|average|balance|checksum)(?: (?:fees|spend|paid|due|clients|companies|rows))?\W*$|^(?:number|no\.?) of [\w ]+\W*$/i;

/** The guards of a table, by the place of a row in its body. */
export function guardsOf(table: Table, numbers: Array<string | undefined>, nameColumn: number) {
	const { headings, body, numberColumn } = table;
	const isLonger = longerRows(table);
	const countries = range(headings?.length ?? 0).filter((at) => isCountry(headings?.[at]));

	return (index: number): Guard | undefined => {
		const { cells } = body[index];
		const isAsWritten = numbers[index] === writtenNumber(cells[numberColumn]);
		if (isLonger(cells)) return 'longer';
		if (isTotal(table, index, nameColumn) || isCount(table, index)) return 'total';
		const isOtherCountry = countries.some((at) => namesOtherCountry(cellText(cells[at])));
		return isOtherCountry && !isAsWritten ? 'otherCountry' : undefined;
	};
}

/** Tells the rows with cells beyond the headings: a separator in a name may have shifted them. */
function longerRows({ form, headings, body, numberColumn }: Table): (cells: unknown[]) => boolean {
	if (!headings) return () => false;
	const width = findLastIndex(headings, isFilled) + 1;
	// Between tabs, no cell can be the rest of a name: one beyond the headings is a note.
	const isPart = form === '\t' ? resemblesCompanyNumber : isFilled;
	const hasMore = (cells: unknown[]) => cells.slice(width).some(isPart);
	// Each row may have a name with a comma, and another number in the place of the company's.
	const isSure = cellsOf(body, numberColumn).some(isFull);
	const areEven = isSure && haveOneWidth(body) && !body.some(({ cells }) => hasMore(cells));
	if (form === '\t' || areEven) return hasMore;
	return (cells) => cells.length > headings.length || hasMore(cells);
}

/** Whether the name beside the number, or in a list the line before it, says total. */
function isTotal({ form, body, numberColumn }: Table, index: number, nameColumn: number): boolean {
	const { cells } = body[index];
	const before: unknown = body[index - 1]?.cells[0];
	const label = form === 'lines' ? before : without(cells, cells[numberColumn]).find(isFilled);
	return [label, cells[nameColumn]].some((one) => TOTAL.test(cellText(one)));
}

/** Whether a short number with nothing beside it counts the rows above, or is below a row with more cells. */
function isCount({ body, isSaid, numberColumn }: Table, index: number): boolean {
	const count = isSaid ? completeFewDigits(body[index].cells[numberColumn]) : undefined;
	const isAlone = (row?: Row) =>
		row?.cells.every((one, column) => column === numberColumn || !isFilled(one));
	if (count === undefined || !isAlone(body[index])) return false;
	return Number(count) === index || isAlone(body[index - 1]) === false;
}
