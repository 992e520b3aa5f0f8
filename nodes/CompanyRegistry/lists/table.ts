/** A row of a table. */
export interface Row {
	cells: unknown[];
	/** As a spreadsheet counts it, with headings and empty rows. */
	row: number;
	/** The item that it is, counted from 0. */
	item?: number;
}

/** What n8n's nodes for tables add to the user's own columns. */
const ADDED = new Set(['row_number', 'id', 'createdAt', 'updatedAt', 'createdTime']);

/** Items as the rows of a table: the names of their fields are its headings. */
export function rowsOfItems(items: Array<Record<string, unknown>>): Row[] {
	const headings = [...new Set(items.flatMap(Object.keys))].filter((key) => !ADDED.has(key));
	const rows = items.map((item, index) => ({
		cells: headings.map((heading) => item[heading]),
		row: Number(item.row_number ?? item.row) || index + 2,
		item: index,
	}));
	// What n8n calls a column without one.
	return [{ cells: headings.map((one) => one.replace(/^__EMPTY.*/, '')), row: 1 }, ...rows];
}

/**
 * The rows of a text as RFC 4180 and spreadsheets write them: a cell in quotes may hold separators, line
 * breaks and doubled quotes. Other quotes are characters like any. Takes time in proportion to the text.
 */
export function rowsOfText(text: string, separator: string): Row[] {
	const plain = new RegExp(`[^${separator}\\r\\n]*`, 'y');
	const rows: Row[] = [{ cells: [], row: 1 }];
	for (let at = 0; ; ) {
		while (text[at] === ' ') at++;
		const close = text[at] === '"' ? closingQuote(text, at, separator) : -1;
		plain.lastIndex = at;
		const cell =
			close === -1
				? (plain.exec(text)?.[0] ?? '')
				: text.slice(at + 1, close).replaceAll('""', '"');
		rows[rows.length - 1].cells.push(cell.trim());
		at = close === -1 ? at + cell.length : close + 1;
		if (at >= text.length) return rows;
		const isLineBreak = text[at] !== separator;
		at += text.startsWith('\r\n', at) ? 2 : 1;
		if (isLineBreak) rows.push({ cells: [], row: rows.length + 1 });
	}
}

/** The quote that ends a cell; -1 where the one at its beginning is a character like any. */
function closingQuote(text: string, opening: number, separator: string): number {
	for (let at = text.indexOf('"', opening + 1); at !== -1; at = text.indexOf('"', at + 2)) {
		if (text[at + 1] === '"') continue;
		return [separator, '\r', '\n', undefined].includes(text[at + 1]) ? at : -1;
	}
	return -1;
}

/** A cell's text; empty for what is neither text nor number. */
export function textOf(cell: unknown): string {
	return typeof cell === 'string' || typeof cell === 'number' ? String(cell).trim() : '';
}

/** The same in one line; a text that is one stays as it is, and takes no more room. */
export function lineOf(cell: unknown): string {
	return textOf(cell).replace(/\s\s+|[^\S ]/g, ' ');
}

export function isFilled(cell: unknown): boolean {
	return cell !== undefined && cell !== null && String(cell).trim() !== '';
}
