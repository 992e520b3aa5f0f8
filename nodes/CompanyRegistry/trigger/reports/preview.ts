import { compact, difference, map } from 'lodash';

import { messageOf } from '../../registry/failure';
import { pluralise } from '../../shared/format';
import { plainLine } from '../../shared/itemText';
import type { DesiredState, Reading } from '../records/desired';
import {
	changeCounts,
	changedLine,
	completedWords,
	REMOVALS_ALLOWED,
	sharedNumbers,
	WINDOWS_1252,
} from './listFacts';
import { MAXIMUM_VERDICT, named } from './words';

const MAXIMUM_ROWS = 100;
const MAXIMUM_COMPANIES = 20;
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
	/** A setting that a person has to change before anything can be sent. */
	obstacle?: string;
	/** Addresses in the list: `58 addresses in column email, such as jo@example.com`. */
	emails?: string;
}

/** Most important first: the verdict, what a person has to decide, and then the lists. */
export function previewLines(preview: Preview): string[] {
	const { desired, reading, isFirst, emails, obstacle } = preview;
	const { names, unreadable, completed, repeats, leftOut, waiting, problem } = reading;
	const { added, removed } = changesIn(preview);
	const zeros = completed.length > 0 ? [completedWords(completed), ...completed] : [];

	return compact([
		previewVerdict(preview),
		obstacle,
		problem && messageOf(problem),
		desired.options.allowLargeRemovals && REMOVALS_ALLOWED,
		...lines('Not read', map(unreadable, 'words'), MAXIMUM_ROWS),
		...lines('Changed number', reading.changed.map(changedLine)),
		...lines('Left your list, but stays watched', named(map(waiting, 'company'), names)),
		...lines('Several names', sharedNumbers(reading)),
		reading.isWindows1252 && WINDOWS_1252,
		emails,
		...lines('Publishing will remove', named(removed, names)),
		...lines('Publishing will add', isFirst ? [] : named(added, names)),
		...lines('Zeros', zeros, MAXIMUM_COMPANIES + 1),
		...lines('Repeated', repeats),
		...lines('Column left out, because the list is too large', leftOut),
	]);
}

/** In one line of at most 120 characters. */
export function previewVerdict(preview: Preview): string {
	const { desired, reading, isFirst, obstacle } = preview;
	const { unreadable, waiting, problem } = reading;
	if (obstacle) return isFirst ? 'The first publish will fail' : 'Publishing will change nothing';
	if (problem) return 'Publishing will change nothing: your list cannot be read';

	const rows = unreadable.length > 0 && `${pluralise(unreadable.length, 'row')} not read`;
	const what = `Publishing will watch ${pluralise(desired.companies.length, 'company')}`;
	const counts = isFirst ? '' : changeCounts(changesIn(preview));
	const stay = waiting.length > 0 && `${waiting.length} left your list and stay watched`;
	const many = Math.max(MANY_ROWS.least, desired.companies.length * MANY_ROWS.share);
	const leads = unreadable.length >= many;
	const parts = [leads && rows, compact([what, counts]).join(': '), stay, !leads && rows];
	return plainLine(compact(parts).join('; '), MAXIMUM_VERDICT);
}

function changesIn({ desired, reading, before }: Preview) {
	const { companies } = desired;
	const added = difference(companies, before);
	return { added, removed: difference(before, companies), changed: reading.changed };
}

/** One line for each entry, up to `most`. */
function lines(title: string, all: string[], most = MAXIMUM_COMPANIES): string[] {
	const more = all.length - most;
	const shown = all.slice(0, most).map((one) => `${title}: ${one}`);
	return more > 0 ? [...shown, `${title}: ${more} more`] : shown;
}
