import { range, union } from 'lodash';

import { normaliseCompanyNumber } from '../shared/companyNumber';
import { singleLine } from '../shared/format';
import { withoutRepeats, type ListRow } from './list';
import { rowsOfText } from './rows';

const MAXIMUM_COLUMNS = 30;
const MAXIMUM_COLUMN_BYTES = 4096;
/** The first headings of a stored list. What was read in a row is below them, before the row itself. */
const READ = ['Number read', 'Name read', 'Cell read, if it differs', 'On hold'];

/** The columns of a row by their headings: at most 30, and 4 KB. Null without headings. */
export function columnsOf({ headings, cells = [] }: Partial<ListRow>) {
	let room = MAXIMUM_COLUMN_BYTES;
	const columns = uniqueHeadings(headings).map(
		(heading, place) => [heading, cells[place] ?? ''] as const,
	);
	const fitting = columns.filter((column) => {
		const bytes = Buffer.byteLength(JSON.stringify(column));
		const isFitting = column[0] !== '' && bytes <= room;
		room -= isFitting ? bytes : 0;
		return isFitting;
	});
	return headings ? Object.fromEntries(fitting.slice(0, MAXIMUM_COLUMNS)) : null;
}

/**
 * The companies of a list as a text that is read again with the same numbers, names and columns, although rows are
 * missing on which the reading of the others depended. Above `most` bytes it has only numbers and names.
 */
export function storedText(listed: ListRow[], most = 2_000_000) {
	const rows = withoutRepeats(listed).filter(({ number }) => number !== undefined);
	const headings = uniqueHeadings(rows[0]?.headings);
	const places = range(headings.length).filter((place) => headings[place] !== '');
	const textWith = (columns: number[]) => {
		const first = [...READ, ...columns.map((place) => headings[place])];
		const body = rows.map(({ number, name, entry, cells, isOnHold }) => {
			const differing = entry === number ? '' : entry;
			const mark = isOnHold ? 'x' : '';
			return [number, name, differing, mark, ...columns.map((place) => cells[place])];
		});
		return [first, ...body].map((row) => row.map(quoted).join('\t').trimEnd()).join('\n');
	};
	const text = textWith(places);
	if (Buffer.byteLength(text) <= most) return { text, leftOut: [] };

	return { text: textWith([]), leftOut: places.map((place) => headings[place]) };
}

/**
 * The rows of two lists as one list with the headings of both.
 * @param others rows that the first list lacks
 */
export function joinRows(first: ListRow[], others: ListRow[]): ListRow[] {
	const [ofFirst, ofOthers] = [first, others].map(([row]) => uniqueHeadings(row?.headings));
	const headings = union(ofFirst, ofOthers);
	if (others.length === 0 || headings.length === 0) return [...first, ...others];

	const underBoth = (rows: ListRow[], own: string[]) => {
		const places = headings.map((heading) => own.indexOf(heading));
		return rows.map((row) => ({
			...row,
			headings,
			cells: places.map((at) => row.cells[at] ?? ''),
		}));
	};
	return [...underBoth(first, ofFirst), ...underBoth(others, ofOthers)];
}

/** Reads a stored list; undefined for any other text. */
export function readStored(text: string): ListRow[] | undefined {
	if (!text.startsWith(READ.join('\t'))) return undefined;
	const [{ cells: first }, ...rows] = rowsOfText(text, '\t');
	const own = first.slice(READ.length).map(String);
	const headings = own.length > 0 ? own : undefined;
	return rows.map(({ row, cells: [read, written, entry, mark, ...cells] }) => {
		const number = normaliseCompanyNumber(read);
		const name = singleLine(written) || null;
		const company = { entry: entry || number, number, name, isOnHold: mark === 'x' || undefined };
		return { row, cells, column: '', headings, ...company };
	});
}

/** Each heading once: the second of two equal ones gets its place. */
function uniqueHeadings(headings: string[] = []): string[] {
	return headings.map((one, place) =>
		one === '' || headings.indexOf(one) === place ? one : `${one} (column ${place + 1})`,
	);
}

/** A cell in the quotes that `rowsOfText` reads, if it needs any. */
function quoted(cell: unknown): string {
	const isObject = typeof cell === 'object' && cell !== null;
	const text = (isObject ? JSON.stringify(cell) : String(cell ?? '')).replaceAll('\0', '').trim();
	return /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
