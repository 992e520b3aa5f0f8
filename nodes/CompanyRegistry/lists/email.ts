import { cellText } from '../shared/format';
import { isEmail } from './headings';
import type { ListRow } from './list';

/** The common form; nothing else is checked. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@(?:[\p{L}\d-]+\.)+\p{L}{2,}$/u;

/** The first valid address in the row, under a heading such as *Email*; null if there is none. */
export function listedEmail({ headings = [], cells = [] }: Partial<ListRow>): string | null {
	for (const [place, heading] of headings.entries()) {
		const address = isEmail(heading) ? addressIn(cells[place]) : undefined;
		if (address !== undefined) return address;
	}
	return null;
}

/** The first address in a cell such as `Jane Doe <jane@x.uk>; joe@x.uk`. */
function addressIn(cell: unknown): string | undefined {
	const parts = cellText(cell).split(/[\s,;<>()"]+|mailto:/i);
	return parts.find((part) => ADDRESS.test(part));
}
