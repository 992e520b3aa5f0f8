import { map, range } from 'lodash';

import type { ListRow } from './list';
import { withoutRepeats } from './readList';

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
	const textOf = (table: unknown[][]) => table.map((row) => row.map(written).join('\t')).join('\n');
	const pairs = rows.map(({ number, name }) => [number, name]);
	if (titles.length === 0) return { text: textOf(pairs), leftOut: [] };
	const table = [titles, ...map(rows, 'cells')];
	const text = textOf(table.map((row) => places.map((place) => row[place])));
	if (Buffer.byteLength(text) <= most) return { text, leftOut: [] };
	const short = textOf([['Company number', 'Company name'], ...pairs]);
	return { text: short, leftOut: titles.filter(Boolean) };
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
