import { compact } from 'lodash';

import { invalidCompanyNumber } from '../shared/companyNumber';
import { showValue } from '../shared/words';
import type { Listed } from './readList';

/** Rows or columns that a message names. */
const MAXIMUM_NAMED = 20;

/** Asks which column holds the numbers. `otherwise` is what else the user can do. */
export function whichColumn(candidates: string[], otherwise: string): string {
	const those =
		candidates.length > 0
			? `Candidates: ${named(candidates)}.`
			: 'None has anything that could be one.';
	return `Which column holds the company numbers? ${those} Give it the heading 'Company number', or ${otherwise}.`;
}

/** What stands where a number is expected, with its row or place; never what else the row holds. */
export function describeUnreadable(listed: Listed[]): string[] {
	return listed.flatMap((one, index) => {
		if (one.number !== undefined) return [];
		const shown = showValue(one.entry);
		if (one.column === undefined) return [`${shown || '(empty)'} (number ${index + 1})`];
		return [`row ${one.row} (${`${shown} ${one.doubt ?? ''}`.trim() || 'empty'})`];
	});
}

/**
 * What to tell of all that cannot be read, at once, so that a long list has to be corrected once; and what
 * to do. Undefined if there is nothing.
 */
export function unreadableProblem(
	listed: Listed[],
): { message: string; description: string } | undefined {
	const all = describeUnreadable(listed);
	const index = listed.findIndex(({ number }) => number === undefined);
	if (index === -1) return undefined;
	const { row, column, doubt } = listed[index];
	const { description } = invalidCompanyNumber('');
	if (all.length > 1) {
		const what = column
			? `rows have no company number that can be read in ${column}`
			: 'companies are not company numbers';
		return { message: `${all.length} of ${listed.length} ${what}: ${named(all)}`, description };
	}
	const place = column ? `Row ${row}, ${column}` : `Company ${index + 1} of ${listed.length}`;
	return {
		message: `${place}: ${problemOf(listed[index])}`,
		description: doubt ? 'Write all 8 digits if it is a company number.' : description,
	};
}

/** What is wrong with an entry that is no company number, without a full stop. */
export function problemOf({ entry, column, doubt }: Listed): string {
	const shown = showValue(entry);
	if (doubt !== undefined) return `${shown} ${doubt}`.trim();
	return shown || column === undefined ? invalidCompanyNumber(entry).message : 'no company number';
}

/** At most so many by name, and how many more. */
export function named(all: string[], room = MAXIMUM_NAMED): string {
	const more = all.length - room;
	return compact([all.slice(0, room).join(', '), more > 0 && `${more} more`]).join(' and ');
}
