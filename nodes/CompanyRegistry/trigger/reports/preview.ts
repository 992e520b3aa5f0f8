import { compact, difference, filter, map } from 'lodash';

import { messageOf } from '../../registry/failure';
import { pluralise } from '../../shared/format';
import { plainLine } from '../../shared/itemText';
import type { DesiredState, Reading } from '../records/desired';
import {
	allowedRemovals,
	changeCounts,
	changedLine,
	countNotRead,
	countWithoutNumber,
	mistypedRows,
	remarks,
	withoutChanged,
} from './aboutLists';
import { linesOf, MAXIMUM_VERDICT, named, type Part } from './words';

/** So many unread rows, or this share of the list, lead the preview. */
const MANY_ROWS = { least: 3, share: 1 / 10 };

/** How the list was read, and what a publish would change. */
export interface Preview {
	desired: DesiredState;
	reading: Reading;
	/** Companies that the trigger watches, or watched until it was unpublished. */
	before: string[];
	/** Whether nothing was ever published. */
	isFirst: boolean;
	/** What a person has to do about n8n's address before anything can be sent. */
	addressObstacle?: string;
}

/** Most important first: the verdict, what a person has to decide, and then the lists. */
export function previewLines(preview: Preview): string[] {
	const { desired, reading, isFirst, addressObstacle } = preview;
	const { names, waiting, problem, changedNumbers } = reading;
	const { added, removed } = withoutChanged(changesIn(preview));

	const lists: Part[] = [
		{ words: 'Not read', list: map(mistypedRows(reading), 'words') },
		{ words: 'Changed numbers', list: changedNumbers.map(changedLine) },
		{ words: 'Left your list, but stay watched', list: named(map(waiting, 'company'), names) },
		{ words: 'Publishing will remove', list: named(removed, names) },
		{ words: 'Publishing will add', list: isFirst ? [] : named(added, names) },
	];
	return compact([
		previewVerdict(preview),
		addressObstacle,
		problem && messageOf(problem),
		...allLines([...allowedRemovals(desired), ...filter(lists, 'list.length')]),
		...allLines(remarks(reading)),
	]);
}

/** In one line of at most 120 characters. */
function previewVerdict(preview: Preview): string {
	const { desired, reading, isFirst, addressObstacle } = preview;
	const { unreadable, waiting, problem } = reading;
	if (addressObstacle) {
		return isFirst ? 'The first publish will fail' : 'Publishing will change nothing';
	}
	if (problem) return 'Publishing will change nothing: your list cannot be read';

	const what = `Publishing will watch ${pluralise(desired.companies.length, 'company')}`;
	const counts = isFirst ? '' : changeCounts(changesIn(preview));
	const main = compact([what, counts]).join(': ');
	const stay = waiting.length > 0 && `${waiting.length} left your list and stay watched`;

	const rows = [countNotRead(reading), countWithoutNumber(reading)];
	const many = Math.max(MANY_ROWS.least, desired.companies.length * MANY_ROWS.share);
	const parts = unreadable.length >= many ? [...rows, main, stay] : [main, stay, ...rows];
	return plainLine(compact(parts).join('; '), MAXIMUM_VERDICT);
}

/** What a publish would change. */
export function changesIn({ desired, reading, before }: Preview) {
	const { companies } = desired;
	const added = difference(companies, before);
	return { added, removed: difference(before, companies), changedNumbers: reading.changedNumbers };
}

function allLines(parts: Part[]): string[] {
	return parts.flatMap((part) => linesOf(part).split('\n'));
}
