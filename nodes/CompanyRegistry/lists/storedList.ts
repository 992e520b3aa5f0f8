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
		const heading = headings?.indexOf(title) === place ? title : `${title} (column ${place + 1})`;
		const bytes = Buffer.byteLength(JSON.stringify([heading, cells[place] ?? '']));
		if (columns.length < 30 && bytes <= room) {
			columns.push([heading, cells[place] ?? '']);
			room -= bytes;
		} else leftOut.push(heading);
	}
	return { columns: headings ? Object.fromEntries(columns) : null, leftOut };
}
