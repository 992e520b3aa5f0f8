import { compact, filter, map, uniq } from 'lodash';

import { cellText } from '../shared/format';
import { isEmail } from './headings';
import { withoutRepeats, type ListRow } from './list';

/** The common form; nothing else is checked. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@(?:[\p{L}\d-]+\.)+\p{L}{2,}$/u;

/** The first valid address in the row, under a heading such as *Email*; null if there is none. */
export function listedEmail(row: Partial<ListRow>): string | null {
	return findEmail(row)?.address ?? null;
}

/**
 * The heading above the companies' addresses, or several joined by *or*; how many companies have one, and the
 * first address. Undefined if no company has one.
 */
export function emailColumn(listed: ListRow[]) {
	const companies = filter(withoutRepeats(listed), 'number');
	const found = compact(companies.map(findEmail));
	if (found.length === 0) return undefined;
	const headings = uniq(map(found, 'heading'));
	return { column: headings.join(' or '), count: found.length, first: found[0].address };
}

function findEmail({ headings = [], cells = [] }: Partial<ListRow>) {
	for (const [place, heading] of headings.entries()) {
		const address = isEmail(heading) ? addressIn(cells[place]) : undefined;
		if (address !== undefined) return { heading: heading.trim(), address };
	}
	return undefined;
}

/** The first address in a cell such as `Jane Doe <jane@x.uk>; joe@x.uk`. */
function addressIn(cell: unknown): string | undefined {
	const parts = cellText(cell).split(/[\s,;<>()"]+|mailto:/i);
	return parts.find((part) => ADDRESS.test(part));
}
