import { difference, map, range, sumBy } from 'lodash';

import { lineOf } from '../shared/words';
import { withoutRepeats, type Listed } from './readList';

/**
 * The columns of one row of a table by their headings, in their order, an empty text where nothing stands:
 * at most 30, and at most 4 KB of headings and contents. Null without headings. And those that are left out.
 */
export function columnsOf({ headings, cells = [] }: { headings?: string[]; cells?: unknown[] }) {
	const columns: Array<[heading: string, cell: unknown]> = [];
	const leftOut: string[] = [];
	let room = 4096;
	for (const [place, title] of headings?.entries() ?? []) {
		if (title === '') continue;
		const heading = titleOf(headings ?? [], title, place);
		const bytes = Buffer.byteLength(JSON.stringify([heading, cells[place] ?? '']));
		if (columns.length < 30 && bytes <= room) {
			columns.push([heading, cells[place] ?? '']);
			room -= bytes;
		} else leftOut.push(heading);
	}
	return { columns: headings ? Object.fromEntries(columns) : null, leftOut };
}

/** Bytes of a list in the stored state. */
const MOST_STORED = 2_000_000;

/**
 * The companies of a list as a text that `readListText` reads again with the same numbers, names and columns:
 * headings once, then rows. What is too large loses columns from the right, never numbers and names.
 */
export function storedText(listed: Listed[], most = MOST_STORED) {
	const rows = withoutRepeats(listed).filter(({ number }) => number !== undefined);
	const headings = rows[0]?.headings;
	const hasNames = rows.some(({ name }) => name !== null);
	const bare = rows.map(({ number, name }) => [number, ...(hasNames ? [name] : [])].map(written));
	if (!headings) return { text: textOf(bare), leftOut: [] as string[] };

	const titles = headings.map((title, place) => titleOf(headings, title, place));
	const table = [titles, ...map(rows, 'cells')].map((cells) =>
		titles.map((_, place) => written(cells[place])),
	);
	const isNeeded = (place: number) =>
		rows.every(({ cells, entry }) => cells[place] === entry) ||
		(hasNames && rows.every(({ cells, name }) => lineOf(cells[place]) === (name ?? '')));
	const filled = range(titles.length).filter((place) => titles[place] !== '');
	const sizes = titles.map((_, place) =>
		sumBy(table, (cells) => Buffer.byteLength(cells[place]) + 1),
	);
	const needed = filled.filter(isNeeded);
	let room = most - sumBy(needed, (place) => sizes[place]);
	let isFull = false;
	const kept = filled.filter((place) => {
		if (needed.includes(place)) return true;
		room -= sizes[place];
		isFull ||= room < 0;
		return !isFull;
	});
	const leftOut = difference(filled, kept).map((place) => titles[place]);
	return { text: textOf(table.map((cells) => kept.map((place) => cells[place]))), leftOut };
}

/** A heading as it is called among others: the second of two has its place. */
function titleOf(headings: string[], title: string, place: number): string {
	return title === '' || headings.indexOf(title) === place
		? title
		: `${title} (column ${place + 1})`;
}

/** A cell in the quotes that `rowsOfText` reads, if it needs any. */
function written(cell: unknown): string {
	const isObject = typeof cell === 'object' && cell !== null;
	const text = (isObject ? JSON.stringify(cell) : String(cell ?? '')).replaceAll('\0', '').trim();
	return /^"|[\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function textOf(rows: string[][]): string {
	return rows.map((cells) => cells.join('\t')).join('\n');
}
