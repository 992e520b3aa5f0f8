import { difference, intersection, map, partition, range, sumBy, takeWhile } from 'lodash';

import { withoutRepeats, type Listed } from './readList';

/**
 * The columns of one row of a table by their headings, in their order, an empty text where nothing stands:
 * at most 30, and at most 4 KB of headings and contents. Null without headings. And those that are left out.
 */
export function columnsOf({ headings, cells = [] }: { headings?: string[]; cells?: unknown[] }) {
	const columns: Array<[heading: string, cell: unknown]> = [];
	const leftOut: string[] = [];
	let room = 4096;
	for (const [place, heading] of titlesOf(headings).entries()) {
		if (heading === '') continue;
		const column: (typeof columns)[number] = [heading, cells[place] ?? ''];
		const bytes = Buffer.byteLength(JSON.stringify(column));
		const hasRoom = columns.length < 30 && bytes <= room;
		if (hasRoom) room -= bytes;
		if (hasRoom) columns.push(column);
		else leftOut.push(heading);
	}
	return { columns: headings ? Object.fromEntries(columns) : null, leftOut };
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
	const lines = table.map((row) => kept.map((place) => row[place]).join('\t'));
	return {
		text: lines.join('\n'),
		leftOut: difference(filled, kept).map((place) => titles[place]),
	};
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
	return /^"|[\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
