import { lowerFirst } from 'lodash';

import { pluralise } from '../../shared/format';
import { plainLine } from '../../shared/itemText';
import { allWatched, changes, gaps, notes, shortGaps } from './changes';
import { otherProblems } from './otherProblems';
import {
	cannotCheck,
	cannotRead,
	changedNumbers,
	mostIsGone,
	notWatched,
	setupGoesOn,
} from './problems';
import type { Situation } from './situation';
import { viewOf, type View } from './view';
import type { Fact } from './words';

export { previewVerdict } from './preview';

export const MAXIMUM_VERDICT = 120;

/**
 * The worst comes first. The first fact is the verdict, and the text has all others in this order. Within one rule, the
 * fact that concerns the most comes first.
 */
const RANKING: ReadonlyArray<(view: View) => Fact[]> = [
	cannotCheck, // Could not check since 05:25 (last seen: 58 of 58 watched)
	cannotRead, // Could not read your list since 05:25; as before, 58 of 58 companies are watched
	setupGoesOn, // 12 of 58 companies are watched so far; setup continues
	withGap(notWatched), // 3 of 58 companies are not watched
	withGap(mostIsGone), // 48 companies left your list: they stay watched until you confirm
	withGap(changedNumbers), // 1 company has another number now: check it
	gaps, // Events may be missing for 2 companies between 05:10 and 05:22
	otherProblems, // 58 companies are watched; 2 rows have no company number
	shortGaps, // Events may be missing for 58 companies between 05:10 and 05:11
	changes, // 58 companies are watched: 3 added, 2 removed
	allWatched, // 58 companies are watched
	notes, // (never first)
];

/** All that is to be said, the worst first. */
export function factsOf(situation: Situation): Fact[] {
	const view = viewOf(situation);
	return RANKING.flatMap((rule) => rule(view));
}

/** What is so, in one line of at most 120 characters. */
export function verdictIn([first]: Fact[]): string {
	return plainLine(first.verdict ?? first.says, MAXIMUM_VERDICT);
}

/** These problems may last for months, so a gap beside them is in the same line. */
function withGap(rule: (view: View) => Fact[]): (view: View) => Fact[] {
	return (view) => {
		const [gap] = gaps(view);
		const facts = rule(view);
		if (gap === undefined) return facts;

		return facts.map((fact) => {
			const withTimes = `${fact.says}; ${lowerFirst(gap.says)}`;
			const brief = `${fact.says}; ${missingFor(gap.count)}`;
			const verdict = withTimes.length <= MAXIMUM_VERDICT ? withTimes : brief;
			return fact.says === '' ? fact : { ...fact, verdict };
		});
	};
}

function missingFor(count: number): string {
	return `events may be missing for ${pluralise(count, 'company')}`;
}

/** A publish has failed, so n8n takes the trigger down. */
export function failedVerdict({ isFirst, isWatchedBeside }: Situation): string {
	if (isWatchedBeside) return `This trigger watches no company${isFirst ? ' yet' : ''}`;
	return isFirst ? 'This workflow watches no company yet' : 'No company is watched';
}
