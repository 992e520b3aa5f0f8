// The rules by which a list is read are under "Lists" in docs/trigger.md.
import { findLastIndex, maxBy } from 'lodash';

import { singleLine } from '../shared/format';
import { findTable, headingRow, saysNumber } from './columns';
import { guardsOf } from './guards';
import type { List, ListRow } from './list';
import { NOT_UTF8, otherTable } from './messages';
import { findNameColumn } from './names';
import {
	cellsOf,
	haveOneWidth,
	isFilled,
	isLikely,
	isWords,
	readNumbers,
	rowsOfItems,
	rowsOfLines,
	rowsOfText,
	type Form,
	type Row,
} from './rows';
import { readStored } from './storedList';

const SEPARATORS = ['\t', ';', ','] as const;

/** Reads the companies in a pasted or stored text, in time that is proportional to its length. */
export function readListText(text: string): List {
	if (/\0|^\uFFFD/.test(text)) return NOT_UTF8;
	const bare = text.replace(/^\uFEFF/, '');
	const stored = readStored(bare);
	if (stored) return { listed: stored };
	const separator = separatorOf(bare);
	const rows = rowsOfText(bare, separator);
	return isTable(rows, separator)
		? readRows(rows, separator)
		: readRows(rowsOfLines(bare), 'lines');
}

/** Reads the companies in rows as n8n's nodes for tables and files put them out. */
export function readListItems(items: Array<Record<string, unknown>>): List {
	const rows = rowsOfItems(items);
	return rows.length > 0 ? readRows(rows, 'items') : { listed: [] };
}

/** The separator under which headings are found, or else the one in the most rows. */
function separatorOf(text: string): (typeof SEPARATORS)[number] {
	const weightOf = (separator: string) => {
		const rows = rowsOfText(text.slice(0, 20_000), separator);
		const isHeaded = rows.some((row) => row.cells.length > 1 && saysNumber(row));
		return isHeaded ? Infinity : rows.filter(isWide).length;
	};
	return maxBy(SEPARATORS, weightOf) ?? ',';
}

/** Whether rows are a table: they have headings, or all the same number of cells, or nearly all a name. */
function isTable(rows: Row[], separator: string): boolean {
	const wide = rows.filter(isWide);
	const isNamed = wide.filter(({ cells }) => cells.some(isWords)).length >= rows.length * 0.9;
	const isGrid = haveOneWidth(rows) && rows.some(({ cells }) => cells.some(isLikely));
	const isEven = separator === '\t' || (rows.length > 1 && (isGrid || isNamed));
	return headingRow(rows) !== undefined || (wide.length > 0 && isEven);
}

function isWide({ cells }: Row): boolean {
	return cells.filter(isFilled).length > 1;
}

function readRows(rows: Row[], form: Form): List {
	const table = findTable(rows, form);
	if ('message' in table) return table;
	const { headings, body, isSaid, numberColumn, columnLabel: column } = table;
	const entries = cellsOf(body, numberColumn);
	const numbers = readNumbers(entries, isSaid);
	const other = otherTableIn(body, numbers);
	if (other) return otherTable(other.row);

	const names = findNameColumn(table, numbers);
	const guardOf = guardsOf(table, numbers, names.column);
	const listed = body.map(({ row, item, ...one }, index): ListRow => {
		// A copy takes less room than an array that has grown.
		const cells = [...one.cells];
		const guard = guardOf(index);
		const number = guard ? undefined : numbers[index];
		const written = singleLine(cells[names.column]) || null;
		const name = names.unclear.has(numbers[index])
			? { name: null, unclearName: written ?? undefined }
			: { name: written };
		const company = { entry: entries[index], number, guard, ...name };
		return { row, item, column, cells, headings, ...company };
	});
	return { listed };
}

/** A row of words below an empty one, with numbers further down: the heading of another table. */
function otherTableIn(body: Row[], numbers: unknown[]): Row | undefined {
	return body.slice(0, findLastIndex(numbers, isFilled)).find((one, index) => {
		const isApart = one.item === undefined && one.row > (body[index - 1] ?? one).row + 1;
		return isApart && one.cells.filter(isFilled).every(isWords);
	});
}
