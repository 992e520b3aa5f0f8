import { filter, groupBy, map, range, sortBy, sum, uniqBy, without } from 'lodash';

import { readName } from '../shared/companyName';
import { singleLine } from '../shared/format';
import type { Table } from './columns';
import { firstWord, nameClarity } from './headings';
import { cellsOf, columnsWith, isWords } from './rows';

/** A person, as registers write officers: "DOE, Jane" or "Mrs Jane Doe". */
const PERSON = /^\p{Lu}[\p{Lu}'’ -]+, \p{Lu}\p{Ll}|^(?:Mr|Mrs|Miss|Ms|Dr|Sir|Dame)\b\.? /u;

/** The column of the companies' names, or -1, and the numbers whose names are unclear. */
export function findNameColumn(table: Table, numbers: Array<string | undefined>) {
	const { headings, body, numberColumn } = table;
	const isHeaded = headings?.some((heading, column) => heading !== '' && column !== numberColumn);
	const columns =
		headings && isHeaded ? nameColumns(headings, numberColumn) : columnsWith(body, isWords);
	const judged = without(columns, numberColumn).map((column) => ({
		column,
		...judgeNames(cellsOf(body, column), numbers),
	}));
	const named = filter(judged, 'areNames');
	const filled = filter(named, 'areFilled');
	// A few words beside a headed list are notes.
	const [first, another] = filled.length > 0 || (headings && !isHeaded) ? filled : named;
	// Where no heading says which column it is, only one may be.
	const found = isHeaded || !another ? first : undefined;
	return found ?? { column: -1, unclear: new Set<string | undefined>() };
}

/**
 * The columns of names by their headings: first those whose headings begin like that of the numbers, such as
 * *Supplier*, then the clearest; of several, the nearest.
 */
export function nameColumns(headings: unknown[], numberColumn = -1): number[] {
	const clarity = (column: number) => nameClarity(headings[column]);
	const differs = (column: number) =>
		firstWord(headings[column]) !== firstWord(headings[numberColumn]);
	const distance = (column: number) => Math.abs(column - numberColumn);
	const named = range(headings.length).filter((one) => clarity(one) >= 0);
	return sortBy(named, [differs, clarity, distance]);
}

/** Whether the cells of a column are the names of the companies beside them, and the numbers with several names. */
function judgeNames(cells: unknown[], numbers: Array<string | undefined>) {
	const all = numbers.map((number, index) => ({ number, name: singleLine(cells[index]) }));
	const rows = filter(all, 'number');
	const named = filter(rows, 'name');
	const persons = named.filter(({ name }) => PERSON.test(name));

	const byNumber = Object.values(groupBy(named, 'number'));
	const differing = byNumber.filter(
		(same) => uniqBy(same, ({ name }) => readName(name).letters).length > 1,
	);
	// A few numbers that were copied over others must not cost the names of the whole list.
	const count = byNumber.length;
	const few = Math.max(1, count / 10);

	const numbersOfName = map(groupBy(named, 'name'), (same) => uniqBy(same, 'number').length);
	const shared = sum(numbersOfName.filter((several) => several > 1));
	const areOwn = differing.length <= few && shared * 2 <= count;
	const areAny = named.length > 0 || rows.length === 0;
	const areNames = areOwn && areAny && persons.length * 2 <= named.length;
	const areFilled = named.length * 2 >= rows.length;
	return { areNames, areFilled, unclear: new Set(map(differing, '0.number')) };
}
