import { readListText, type List } from '../../lists/readList';
import { dropOldest } from '../../shared/dropOldest';

/** Texts of which one process remembers what is in them. */
const MAXIMUM_REMEMBERED = 10;
const remembered = new Map<string, List>();

/** The companies in a text. Each delivery asks for a name, so a text is read once. */
export function readPasted(text: string): List {
	const list = remembered.get(text) ?? readListText(text);
	remembered.set(text, list);
	dropOldest(remembered, MAXIMUM_REMEMBERED);
	return list;
}
