import { compact, union } from 'lodash';

import { plainLine } from '../../shared/itemText';
import {
	allWatched,
	changes,
	changesWithGaps,
	endings,
	gaps,
	missingEvents,
	notes,
	shortGaps,
} from './changes';
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
import { MAXIMUM_VERDICT, type Fact } from './words';

type Rule = (view: View) => Fact[];

/**
 * The worst comes first. The first fact leads the verdict, and the text has all others in this order. Within one rule,
 * the fact that concerns the most comes first.
 */
const RANKING: readonly Rule[] = [
	cannotCheck, // Could not check since 05:25 (last seen: 58 of 58 watched)
	setupGoesOn, // 12 of 58 companies are watched so far; setup continues
	notWatched, // 3 of 58 companies are not watched
	cannotRead, // Could not read your list since 05:25; as before, 58 of 58 companies are watched
	mostIsGone, // 48 companies left your list: they stay watched until you confirm
	changedNumbers, // 1 company has another number now: check it
	gaps, // Events may be missing for 2 companies between 05:10 and 05:22
	changesWithGaps, // Events may be missing for 2 companies between 05:10 and 05:22; 2 removed
	otherProblems, // 58 companies are watched; 2 rows have no company number
	shortGaps, // Events may be missing for 58 companies between 05:10 and 05:11
	changes, // 58 companies are watched: 3 added, 2 removed
	allWatched, // 58 companies are watched
	notes, // (never first)
];

/** All that is to be said, the worst first. The first has the verdict. */
export function factsOf(situation: Situation): Fact[] {
	const view = viewOf(situation);
	const ranking = rankingFor(situation);
	const ranked = ranking.flatMap((rule) => rule(view).map((fact) => ({ rule, fact })));
	const [{ rule, fact }] = ranked;
	const verdict = verdictOf(rule, fact, view);
	const facts = ranked.map((one) => ({ ...one.fact, leads: one.rule === rule }));
	return [{ ...facts[0], verdict }, ...facts.slice(1)];
}

/** No one has to learn yet of a failure that may pass soon. If the service was not asked at all, only gaps are certain. */
function rankingFor({ mayPassSoon, outcome }: Situation): readonly Rule[] {
	if (!mayPassSoon) return RANKING;
	const problems = outcome.isChecked ? [setupGoesOn, notWatched, mostIsGone, changedNumbers] : [];
	return union([...problems, gaps, changesWithGaps], RANKING);
}

/** The worst fact, with gaps and ended companies behind it, because some facts last for months and would hide these. */
function verdictOf(rule: Rule, fact: Fact, view: View): string {
	const first = fact.verdict ?? fact.says;
	const isGap = [gaps, changesWithGaps, shortGaps].includes(rule);
	const missing = isGap ? undefined : missingEvents(view);
	const { removed } = view.headings;
	const hasCount = rule === changes || view.situation.isSettingUp;
	// Only companies without events are worse than fewer that have left.
	const isTold =
		![cannotCheck, cannotRead, notWatched].includes(rule) || removed.length > fact.count;
	const { dropped } = view.situation.outcome.desired;
	const ended = !hasCount && endings(isTold ? removed : [], dropped).join(', ');

	// Times, and what is as before, are left out where there is no room.
	const [start] = first.split('; ');
	const [bare] = start.split(/ \(|: /);
	const ways = [
		[first, missing?.full, ended],
		[first, missing?.brief, ended],
		[start, missing?.brief, ended],
		[bare, missing?.brief, ended],
	].map((parts) => compact(parts).join('; '));
	return ways.find(({ length }) => length <= MAXIMUM_VERDICT) ?? ways[3];
}

/** The verdict, in one line of at most 120 characters. */
export function verdictIn([{ verdict = '' }]: Fact[]): string {
	return plainLine(verdict, MAXIMUM_VERDICT);
}

/** A publish has failed, so n8n takes the trigger down. */
export function failedVerdict({ isFirst, isWatchedBeside }: Situation): string {
	if (isWatchedBeside) return `This trigger watches no company${isFirst ? ' yet' : ''}`;
	return isFirst ? 'This workflow watches no company yet' : 'No company is watched';
}
