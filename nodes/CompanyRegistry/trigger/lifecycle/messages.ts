import { compact, difference, flatMap, groupBy, map, partition, pickBy, sortBy } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';
import { formatCompany, formatList, pluralise } from '../../shared/format';
import { SKIP } from '../parameters/watchlist';
import { changesOf, countOf, renumbered, type WatchReport } from '../parameters/watchReport';
import type { DesiredState } from './desired';
import { isTemporary, reasonKey, Stopped, UnusableAnswer, type Outcome } from './outcome';
import type { Drift } from './plan';
import type { Subscription } from './state';

/** Reasons of refusals that a message quotes. */
const MAXIMUM_REASONS = 3;
const DRIFTS: Record<Drift, string> = {
	paused: 'Had been paused',
	events: 'Had other events',
	redirected: 'Had been redirected to another address',
	removed: 'Had been removed',
};
const PUBLISH_AGAIN = 'Publish again: existing webhooks are reused';
const ASK_SUPPORT = "Find their webhooks with Webhook → Get Many, and ask the service's support";
const PAUSE = 'Pause these webhooks with Webhook → Pause, unless something else uses them';

/** Something that a person may have to know. */
export interface Notice {
	/** What happened, the next step, then the names that it concerns. */
	words: string;
	/** Stays the same while the notice does, so it has no time and no words of the service. */
	key: string;
}

/** The circumstances of a pass. Times are milliseconds since the epoch. */
export interface Circumstances {
	/** The companies that were watched or desired before it. */
	before: string[];
	/** Whether the pass goes on behind the answer to a publish. */
	isSettingUp?: boolean;
	/** Between which times companies were not watched. */
	gap?: { from: number; to: number };
	/** When n8n was started, in the first report after it. */
	startedAt?: number;
	/** When a pass last found nothing to repair. */
	healthyAt?: number;
}

/** A pass in words; without any if there is nothing to do. */
export function describeOutcome(outcome: Outcome, circumstances: Circumstances) {
	const { desired, watched, delivering, drift, repaired, refused, failure } = outcome;
	const { before, isSettingUp = false, gap, startedAt } = circumstances;
	const { companies, problem } = desired;
	const previous = delivering.length - watched.length;
	const counts = [
		`${countOf(watched.length, companies.length)} ${problem ? 'still watched' : 'watched'}`,
		previous > 0 && `${previous} may still deliver the previously chosen events`,
	];
	const left = difference(companies, watched);
	const retry = isSettingUp ? '' : 'The trigger retries automatically';
	const { open, quiet } = noticesIn(outcome, retry);
	const reported = [...changesIn(outcome, circumstances), ...open];
	const summary = [
		...counts,
		gap && `Not watched between ${timeOf(gap.from)} and ${timeOf(gap.to)}: events may be missing`,
		startedAt !== undefined &&
			`n8n was started at ${timeOf(startedAt)}: events that were delivered while it was down may be missing`,
		...map([...reported, ...quiet], 'words'),
	];
	const isDone = left.length === 0 && open.length === 0;
	const ended = isDone ? (drift.size > 0 ? 'repaired' : 'complete') : 'incomplete';
	const state: WatchReport['state'] = isSettingUp ? 'settingUp' : ended;
	const reasonOf = (company: string) => refused.get(company) ?? failure ?? 'Not watched yet';
	return {
		status: {
			state,
			summary: sentences(summary),
			wanted: companies.length,
			watched: watched.length,
			...changesOf(before, companies),
			repaired: new Map([...repaired].map((company) => [company, DRIFTS[drift.get(company)!]])),
			left: new Map(left.map((company) => [company, quote(reasonOf(company))])),
		},
		words: reported.length > 0 ? sentences([...counts, ...map(reported, 'words')]) : '',
		key: map(reported, 'key').join('\n'),
	};
}

/** Why a publish failed. n8n shows only this message, so it has the next step. @param isLate after a minute */
export function describeFailedPublish(outcome: Outcome, isLate: boolean): string {
	const { desired, watched, refused } = outcome;
	const maySkip = desired.options.unwatchable === 'stop' && refused.size > 0 && watched.length > 0;
	return sentences([
		maySkip ? `No company is watched: the service refused some. ${SKIP}` : 'No company is watched',
		isLate && `The registry service confirmed no webhook within a minute. ${PUBLISH_AGAIN}`,
		...map(noticesIn(outcome, isLate ? '' : PUBLISH_AGAIN).open, 'words'),
	]);
}

/** For the log: webhooks that stay active after an unpublish. */
export function describeUnpaused(subscriptions: Subscription[], why: string): string {
	const what = `${pluralise(subscriptions.length, 'webhook')} could not be paused and may stay active: ${why}`;
	const names = subscriptions.map(({ id, company }) => `${id} (${company})`).join(', ');
	return `${sentences([what, 'The next publish reuses them'])} ${PAUSE}: ${names}`;
}

/** What is over by now: drift, and changed numbers. */
function changesIn({ drift, desired }: Outcome, { before, healthyAt }: Circumstances): Notice[] {
	const since = healthyAt === undefined ? '' : ` since ${timeOf(healthyAt)}`;
	const words = `Events may be missing${since}: someone changed ${pluralise(drift.size, 'webhook')} at the service, perhaps this workflow in another n8n. Look these companies up in the register`;
	const slips = renumbered(difference(before, desired.companies), desired);
	const lists = noticesOf(desired, {
		...groupBy([...drift.keys()], (company) => DRIFTS[drift.get(company)!]),
		'These companies have another number in your list now. Correct it if it is mistyped': slips,
	});
	return drift.size > 0 ? [{ words, key: '' }, ...lists] : lists;
}

/**
 * What needs a person, and what only Watch Report shows.
 * @param retry the step after a failure that may pass; empty while the pass goes on
 */
function noticesIn(outcome: Outcome, retry: string): Record<'open' | 'quiet', Notice[]> {
	const { desired, lost, others, leftActive, failedPauses, failure, alreadyWatched } = outcome;
	const { companies, kept, unreadable, options, followed } = desired;
	const isOver = retry !== '' && failure === undefined && alreadyWatched.length === 0;
	const left = difference(companies, outcome.watched, [...outcome.refused.keys()]);
	const isStrict = options.unwatchable === 'stop';
	const [toCorrect, skipped] = partition(unreadable, (row) => isStrict || row.looksMistyped);
	const nameOf = ({ id, company }: Pick<Subscription, 'id' | 'company'>) =>
		`${id} (${formatCompany(company, desired.names)})`;
	const otherWebhooks = flatMap(others, (ids, company) => ids.map((id) => ({ id, company })));
	const [interrupted, working] = partition(otherWebhooks, ({ company }) => lost.includes(company));
	const open = noticesOf(desired, {
		[`The account already has active webhooks for ${alreadyWatched.length} of ${companies.length} companies. Another workflow, or an interrupted publish, may have created them. Unpublish that workflow, or set 'If Already Watched' (under Options) to 'Watch Anyway'. Already watched`]:
			alreadyWatched,
		// A published workflow without changes cannot be published again.
		"The registry service's answers for these companies were lost or unusable. Unpublish and publish":
			isOver ? left : [],
		[`${pluralise(kept.length, 'company')} left the list but ${kept.length === 1 ? 'stays' : 'stay'} watched, because an unreadable row may contain the number. Correct the rows, or unpublish and publish again. Still watched`]:
			kept,
		'Some rows have no readable company number. Correct them': map(toCorrect, 'words'),
		'The list is too large to store every column. Remove columns that you do not need. Left out':
			followed?.leftOut ?? [],
		[`The creation of some webhooks was interrupted, so the trigger cannot verify their deliveries. ${PAUSE}`]:
			interrupted.map(nameOf),
		'The credential opens another account, so the trigger created new webhooks in it. The old ones are still active in the previous account. Pause them there':
			leftActive.map(nameOf),
		[`The trigger could not pause webhooks that are no longer needed and tries again at the next check. Reason: ${failedPauses?.why}. Still active`]:
			map(failedPauses?.subscriptions, nameOf),
	});
	const quiet = noticesOf(desired, {
		'Skipped rows without a readable company number': map(skipped, 'words'),
		[`Other active webhooks exist for these companies, so their events may arrive twice. ${PAUSE}`]:
			working.map(nameOf),
	});
	return { open: [...failuresIn(outcome, retry), ...refusalsIn(outcome), ...open], quiet };
}

function failuresIn({ desired, refused, failure }: Outcome, retry: string): Notice[] {
	const reasons = compact([desired.problem, failure !== desired.problem && failure]);
	if (reasons.length === 0) return [];
	const words = sentences([...reasons.map(explain), reasons.some(isTemporary) && retry]);
	// The end of a failure that may pass is no news beside refusals.
	const lasting = reasons.filter((reason) => refused.size === 0 || !isTemporary(reason));
	return [{ words, key: lasting.map(reasonKey).join() }];
}

/** A notice for each of the most frequent reasons. */
function refusalsIn({ desired, refused, failure }: Outcome): Notice[] {
	const keyOf = (company: string) => reasonKey(refused.get(company));
	const groups = sortBy(groupBy([...refused.keys()].sort(), keyOf), ({ length }) => -length);
	const isStopped = failure instanceof Stopped;
	const isAll = groups.length === 1 && (isStopped || refused.size === desired.companies.length);
	const step =
		isAll && refused.size > 1
			? "All were refused for the same reason. Check your account and n8n's address first. Refused"
			: 'Correct these numbers or remove them';
	return groups.slice(0, MAXIMUM_REASONS).flatMap((companies) => {
		const reason = refused.get(companies[0]);
		const isUnusable = reason instanceof UnusableAnswer;
		const what = `The registry service refused ${pluralise(companies.length, 'company')}`;
		const words = isUnusable ? [quote(reason), ASK_SUPPORT] : [what, quote(reason), step];
		// A pass that stops has tried only some companies, and the next one tries others.
		const key = `${reasonKey(reason)} ${isStopped ? '' : companies.join()}`;
		return noticesOf(desired, { [sentences(words)]: companies }).map((one) => ({ ...one, key }));
	});
}

/** A notice for each list that is not empty, by the words before it. */
function noticesOf({ names }: DesiredState, lists: Record<string, string[]>): Notice[] {
	return map(pickBy(lists, 'length'), (list, words) => {
		const all = list.map((one) => formatCompany(one, names));
		const before = words.replace(/\.$/, '');
		return { words: `${before}: ${formatList(all)}`, key: `${words} ${all.join()}` };
	});
}

/** Why one company is not watched: the words of the service, if it gave any. */
function quote(reason: unknown): string {
	return (reason instanceof RegistryFailure && reason.quotation) || messageOf(reason);
}

/** Why a pass failed. Without advice where the trigger tries again. */
function explain(reason: unknown): string {
	if (!(reason instanceof RegistryFailure)) return messageOf(reason);
	const isBrief = isTemporary(reason) && reason.kind !== 'notSent';
	return sentences([reason.message, isBrief ? reason.quotation : reason.description]);
}

/** To the minute, in UTC. */
function timeOf(at: number): string {
	return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function sentences(parts: Array<string | false | undefined>): string {
	return map(compact(parts), (part) => `${part.trim().replace(/[.:\s]+$/, '')}.`).join(' ');
}
