import { difference, intersection, map, partition, range, sumBy, takeWhile } from 'lodash';

import { withoutRepeats, type Listed } from './readList';

/** The columns of a row by their headings: at most 30, and 4 KB. Null without headings. */
export function columnsOf({ headings, cells = [] }: Partial<Listed>) {
	let room = 4096;
	const columns = titlesOf(headings).map((title, place) => [title, cells[place] ?? ''] as const);
	const fitting = columns.filter((column) => {
		const bytes = Buffer.byteLength(JSON.stringify(column));
		const isFitting = column[0] !== '' && bytes <= room;
		room -= isFitting ? bytes : 0;
		return isFitting;
	});
	return headings ? Object.fromEntries(fitting.slice(0, 30)) : null;
}

/**
 * The companies of a list as a text that `readListText` reads again with the same numbers, names and columns:
 * headings once, then rows. Above `most` bytes, columns are left out from the right, never numbers and names.
 */
export function storedText(listed: Listed[], most = 2_000_000) {
	const rows = withoutRepeats(listed).filter(({ number }) => number !== undefined);
	const { headings, needed = [] } = rows[0] ?? {};
	const titles = headings ? titlesOf(headings) : ['number', 'name'];
	const cells = headings ? map(rows, 'cells') : rows.map(({ number, name }) => [number, name]);
	const table = (headings ? [titles, ...cells] : cells).map((row) =>
		titles.map((_, place) => written(row[place])),
	);
	const filled = range(titles.length).filter((place) => titles[place] !== '');
	const [first, others] = partition(filled, (place) => !headings || needed.includes(place));
	let room = most;
	const fitting = takeWhile([...first, ...others], (place) => {
		room -= sumBy(table, (row) => Buffer.byteLength(row[place]) + 1);
		return room >= 0 || first.includes(place);
	});
	const kept = intersection(filled, fitting);
	const text = table.map((row) => kept.map((place) => row[place]).join('\t')).join('\n');
	return { text, leftOut: difference(filled, kept).map((place) => titles[place]) };
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
