// Facts that need a person although all companies are watched.
import { flatMap, groupBy, map, partition, pick, sortBy, upperFirst } from 'lodash';

import { pluralise } from '../../shared/format';
import type { DesiredState } from '../lifecycle/desired';
import { keptFor } from '../lifecycle/kept';
import type { Outcome } from '../lifecycle/outcome';
import { areRemovalsTold, type Situation } from './situation';
import type { View } from './view';
import { forCount, PAUSE, sentences, type Fact } from './words';

/** The fact, the next step, and the rows, companies or webhooks that it concerns. */
type Problem = [says: string, words: string, list: string[], more?: MoreOfProblem];

interface MoreOfProblem {
	/** Where the lines of what it concerns may change. */
	key?: string;
	/** Whether it is said once only. */
	isOver?: true;
}

/** All of one rank: the one that concerns the most comes first. */
export function otherProblems(view: View): Fact[] {
	const problems = [...listProblems(view), ...webhookProblems(view)];
	const concerning = problems.filter(([, , list]) => list.length > 0);
	const all = sortBy(concerning, ([, , list]) => -list.length);
	if (view.situation.outcome.hasMorePages) all.push(MORE_PAGES);

	return all.map(([says, words, list, { isOver, key } = {}]) => ({
		says: upperFirst(says),
		verdict: `${view.total}; ${says}`,
		count: list.length,
		parts: [{ words, list }],
		key: key ?? `${words} ${list.join()}`,
		isOver,
	}));
}

const MORE_PAGES: Problem = [
	"the service's list has further pages",
	'The trigger cannot read them. It tests ten of the webhooks beyond the first page at each check, so it may find their changes late',
	[],
	{ isOver: true },
];

function listProblems({ situation, headings: { unreadable }, lineOf }: View): Problem[] {
	const { outcome } = situation;
	const [rows] = rowsOf(outcome);
	const leftOut = outcome.desired.followed?.leftOut ?? [];
	const shared = sharedNumbers(outcome.desired);
	const their = forCount(
		unreadable.length,
		'its number, so it stays',
		'their numbers, so they stay',
	);
	const toEnd = areRemovalsTold(outcome) ? ', or unpublish and publish again' : '';

	return [
		[
			`${pluralise(rows.length, 'row')} ${forCount(rows.length, 'has', 'have')} no company number`,
			'Correct each, or remove it',
			map(rows, 'words'),
		],
		[
			haveSeveralNames(shared),
			'The trigger watches such a number once, with the first of its rows. Correct the numbers or the names',
			shared,
		],
		[
			`${pluralise(unreadable.length, 'company')} may have left your list`,
			`A row that cannot be read may hold ${their} watched until you confirm. Correct the rows${toEnd}`,
			unreadable.map(lineOf),
			{ key: hiddenKey(situation) },
		],
		[
			`${pluralise(leftOut.length, 'column')} of your list ${forCount(leftOut.length, 'is', 'are')} left out`,
			'The list is too large to store every column. Remove columns that you do not need',
			leftOut,
		],
	];
}

function webhookProblems({ situation, nameOf }: View): Problem[] {
	const { outcome, news } = situation;
	const { unverified, watched, failedPauses } = outcome;
	const webhookOf = ({ id, company }: { id: string; company: string }) =>
		`${id} (${nameOf(company)})`;
	// Of a company that is not watched, its own line names them.
	const besideWatched = flatMap(pick(unverified, watched), (ids, company) =>
		ids.map((id) => webhookOf({ id, company })),
	);
	const active = map(failedPauses?.subscriptions, webhookOf);
	const leftActive = map(news.leftActive, webhookOf);

	return [
		[
			`${pluralise(besideWatched.length, 'webhook')} cannot be verified`,
			`Their creation was interrupted, so the trigger cannot verify their deliveries. ${PAUSE}`,
			besideWatched,
		],
		[
			`${pluralise(active.length, 'unneeded webhook')} could not be paused`,
			sentences([`Reason: ${failedPauses?.why}`, 'The trigger tries again at the next check']),
			active,
		],
		[
			`${pluralise(leftActive.length, 'earlier webhook')} may still be active elsewhere`,
			'The credential does not reach these webhooks. They belong to another account, where they are still active, or someone removed them. Pause them there',
			leftActive,
			{ isOver: true },
		],
	];
}

/** Numbers in several rows whose names differ, so that one of them may be another company's. */
export function sharedNumbers({ unclearNames }: DesiredState): string[] {
	const rows = groupBy(unclearNames, ([company]) => company);
	return map(rows, (some, company) => `${company}: ${map(some, 1).join(', ')}`);
}

export function haveSeveralNames({ length }: string[]): string {
	return `${pluralise(length, 'number')} ${forCount(length, 'has', 'have')} several names`;
}

/** Rows to correct, and rows that the user lets the trigger skip. */
export function rowsOf({ desired: { unreadable, options } }: Outcome) {
	return partition(unreadable, (row) => options.unwatchable === 'stop' || row.looksMistyped);
}

/** Of all companies that an unreadable row keeps, also where they are under another heading. */
export function hiddenKey({ outcome }: Situation): string {
	const { kept } = outcome.desired;
	const hidden = keptFor('unreadable', kept);
	return hidden.length > 0 ? `unreadable ${hidden.join()}` : '';
}
