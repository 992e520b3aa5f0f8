import type { Listed } from './readList';

const MAXIMUM_COLUMNS = 30;
const MAXIMUM_BYTES = 4096;

/**
 * The columns of one row of a table by their headings, in their order, an empty text where nothing stands:
 * at most 30, and at most 4 KB of headings and contents. Null without headings. And those that are left out.
 */
export function columnsOf({ headings, cells = [] }: Partial<Listed>): {
	columns: Record<string, unknown> | null;
	leftOut: string[];
} {
	if (headings === undefined) return { columns: null, leftOut: [] };
	const columns: Array<[string, unknown]> = [];
	const leftOut: string[] = [];
	let room = MAXIMUM_BYTES;
	for (const [place, heading] of headings.entries()) {
		if (heading === '') continue;
		const isFirst = headings.indexOf(heading) === place;
		const name = isFirst ? heading : `${heading} (column ${place + 1})`;
		const column: [string, unknown] = [name, cells[place] ?? ''];
		const bytes = Buffer.byteLength(JSON.stringify(column));
		if (columns.length === MAXIMUM_COLUMNS || bytes > room) {
			leftOut.push(name);
			continue;
		}
		columns.push(column);
		room -= bytes;
	}
	return { columns: Object.fromEntries(columns), leftOut };
}
