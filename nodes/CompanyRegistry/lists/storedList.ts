import { isEqual, range } from 'lodash';

import type { ListRow } from './list';
import { readListText, withoutRepeats } from './readList';

const MAXIMUM_COLUMNS = 30;
const MAXIMUM_COLUMN_BYTES = 4096;

/** The columns of a row by their headings: at most 30, and 4 KB. Null without headings. */
export function columnsOf({ headings, cells = [] }: Partial<ListRow>) {
	let room = MAXIMUM_COLUMN_BYTES;
	const columns = titlesOf(headings).map((title, place) => [title, cells[place] ?? ''] as const);
	const fitting = columns.filter((column) => {
		const bytes = Buffer.byteLength(JSON.stringify(column));
		const isFitting = column[0] !== '' && bytes <= room;
		room -= isFitting ? bytes : 0;
		return isFitting;
	});
	return headings ? Object.fromEntries(fitting.slice(0, MAXIMUM_COLUMNS)) : null;
}

/**
 * The companies of a list as a text that `readListText` reads again with the same numbers, names and columns:
 * headings once, then rows. Above `most` bytes it has only numbers and names.
 */
export function storedText(listed: ListRow[], most = 2_000_000) {
	const rows = withoutRepeats(listed).filter(({ number }) => number !== undefined);
	const titles = titlesOf(rows[0]?.headings);
	const places = range(titles.length).filter((place) => titles[place] !== '');
	const columnsAt = (cells: unknown[]) => places.map((place) => cells[place]);
	const pairs = rows.map(({ number, name }) => [number, name]);
	if (titles.length === 0) return { text: textThatReads(pairs, rows), leftOut: [] };
	const text = textThatReads(
		[columnsAt(titles), ...rows.map(({ cells }) => columnsAt(cells))],
		rows,
	);
	if (Buffer.byteLength(text) <= most) return { text, leftOut: [] };
	const short = textThatReads([['Company number', 'Company name'], ...pairs], rows);
	return { text: short, leftOut: titles.filter(Boolean) };
}

/**
 * A table as a text. Without the repeated and unreadable rows, it may read differently: then each row begins with
 * what was read in it.
 */
function textThatReads(table: unknown[][], rows: ListRow[]): string {
	const plain = textOf(table);
	const list = readListText(plain);
	const readOf = ({ number, name }: ListRow) => [number, name];
	if ('listed' in list && isEqual(list.listed.map(readOf), rows.map(readOf))) return plain;
	const body = table.slice(-rows.length);
	const isOfNumbers = (place: number) => body.every((cells, at) => cells[place] === rows[at].entry);
	const place = range(table[0].length).find(isOfNumbers) ?? 0;
	const titles = table.length > rows.length ? table[0] : [];
	const marked = rows.map((one, at) => [...readOf(one), ...(titles.length > 0 ? body[at] : [])]);
	return textOf([[`Number read in column ${place + 1}`, 'Name read', ...titles], ...marked]);
}

function textOf(table: unknown[][]): string {
	return table.map((row) => row.map(written).join('\t')).join('\n');
}

/** What headings are called among others: the second of two has its place. */
function titlesOf(headings: string[] = []): string[] {
	return headings.map((title, place) =>
		title === '' || headings.indexOf(title) === place ? title : `${title} (column ${place + 1})`,
	);
}

/** A cell in the quotes that `rowsOfText` reads, if it needs any. */
function written(cell: unknown): string {
	const isObject = typeof cell === 'object' && cell !== null;
	const text = (isObject ? JSON.stringify(cell) : String(cell ?? '')).replaceAll('\0', '').trim();
	return /^"|[\t\r\n,;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
