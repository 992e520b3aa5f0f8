import { compact, difference, groupBy, map, sortBy } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';
import { formatCompany, pluralise, formatList } from '../../shared/format';
import { SKIP } from '../parameters/watchlist';
import { changesOf, renumbered, type WatchStatus } from '../parameters/watchStatus';
import { reasonKey, isTemporary, Stopped, UnusableAnswer, type Outcome } from './outcome';
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
const UNUSABLE_STEP =
	"Find these webhooks with Webhook → Get Many. If no other program uses them, ask the service's support. Affected";
/** What a report says of the rest, by how far the pass has come. */
const NEXT_STEPS = {
	settingUp: 'Setup continues',
	done: 'The trigger retries automatically',
	failed: 'Publish again: existing webhooks are reused',
	late: '',
};
const PAUSE_STEP = 'Pause them with Webhook → Pause, unless something else uses them';

type Stage = keyof typeof NEXT_STEPS;

/** Something that a person may have to know. */
interface Notice {
	words: string;
	/** Companies or webhooks that it concerns. */
	names?: string[];
	/** A key that stays the same while the notice does; words and names unless it is given. */
	key?: string;
	/** Only Watch Status and the log have it. */
	isQuiet?: boolean;
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

export interface Report {
	status: WatchStatus;
	/** For a person; empty if there is nothing to do. */
	words: string;
	key: string;
}

/** A pass in words. */
export function describeOutcome(outcome: Outcome, circumstances: Circumstances): Report {
	const { desired, watched, drift, repaired, refused, failure } = outcome;
	const { before, isSettingUp = false, gap, startedAt, healthyAt } = circumstances;
	const changes = changesOf(before, desired.companies);
	const open = noticesIn(outcome, isSettingUp ? 'settingUp' : 'done');
	const slips = renumbered(changes.removed, desired.companies, desired.names);
	const notices = [
		...driftIn(outcome, healthyAt),
		...open,
		...noticeOf('These companies have another number now. Correct it if it is mistyped', slips),
	];
	const reported = notices.filter(({ isQuiet }) => !isQuiet);
	const isDone =
		watched.length === desired.companies.length && open.every(({ isQuiet }) => isQuiet);
	const counts = countsOf(outcome);
	const left = difference(desired.companies, watched);
	const reasonOf = (company: string) =>
		refused.has(company)
			? refusalIn(refused.get(company))
			: failureIn(failure ?? new Error('Not watched yet'));
	const summary = sentences([
		counts,
		gap && `Not watched between ${timeOf(gap.from)} and ${timeOf(gap.to)}: events may be missing`,
		startedAt !== undefined &&
			`n8n was started at ${timeOf(startedAt)}: events that were delivered while it was down may be missing`,
		...notices.map(formatNotice),
		...othersNoticed(outcome).map(formatNotice),
	]);
	const state = isDone ? (drift.size > 0 ? 'repaired' : 'complete') : 'incomplete';
	return {
		status: {
			state: isSettingUp ? 'settingUp' : state,
			summary,
			wanted: desired.companies.length,
			watched: watched.length,
			...changes,
			repaired: new Map(map([...repaired], (one) => [one, DRIFTS[drift.get(one)!]])),
			left: new Map(left.map((company) => [company, reasonOf(company)])),
		},
		words: reported.length > 0 ? sentences([counts, ...reported.map(formatNotice)]) : '',
		key: reported.map(({ key, words, names }) => key ?? `${words} ${names?.join()}`).join('\n'),
	};
}

/** Why a publish failed. n8n shows only this message, so it has the next step. @param isLate after a minute */
export function describeFailedPublish(outcome: Outcome, isLate: boolean): string {
	const { desired, watched, refused } = outcome;
	const maySkip = desired.options.unwatchable === 'stop' && refused.size > 0 && watched.length > 0;
	return sentences([
		maySkip ? `No company is watched, because some cannot be. ${SKIP}` : 'No company is watched',
		isLate && 'The registry service confirmed no webhook within a minute',
		...noticesIn(outcome, isLate ? 'late' : 'failed').map(formatNotice),
		isLate && NEXT_STEPS.failed,
	]);
}

/** For the log: webhooks that stay active after an unpublish. */
export function describeUnpaused(subscriptions: Subscription[], why: string): string {
	const names = map(subscriptions, ({ id, company }) => `${id} (${company})`).join(', ');
	return `${sentences([`${pluralise(subscriptions.length, 'webhook')} could not be paused and may stay active: ${why}`])} The next publish reuses them. To pause them now, use Webhook → Pause, unless something else uses them: ${names}`;
}

function countsOf({ watched, delivering, desired }: Outcome): string {
	const previous = delivering.length - watched.length;
	const others = previous > 0 ? `, and ${previous} may still deliver the previous events` : '';
	const all = pluralise(desired.companies.length, 'company');
	const are = `${watched.length === 1 ? 'is' : 'are'} ${desired.problem ? 'still ' : ''}watched`;
	return `${watched.length} of ${all} ${are}${others}`;
}

function driftIn(outcome: Outcome, healthyAt?: number): Notice[] {
	const { drift } = outcome;
	if (drift.size === 0) return [];
	const since = healthyAt === undefined ? '' : ` since ${timeOf(healthyAt)}`;
	const webhooks = `${pluralise(drift.size, 'webhook')} ${drift.size === 1 ? 'was' : 'were'}`;
	const byDrift = groupBy([...drift.keys()], (company) => DRIFTS[drift.get(company)!]);
	const lists = map(byDrift, (all, how) => `${how}: ${formatList(formatCompanies(outcome, all))}`);
	const words = `Events may be missing${since}: ${webhooks} changed elsewhere, perhaps by this workflow in another n8n. Look these companies up in the register. ${lists.join('. ')}`;
	return [{ words, key: lists.join() }];
}

/** Reason and next step first, lists last. */
function noticesIn(outcome: Outcome, stage: Stage): Notice[] {
	const { desired, lost, leftActive, failedPauses, failure, others, alreadyWatched } = outcome;
	const { problem, kept, unreadable, options, followed } = desired;
	const doubled = lost.filter((company) => others.has(company));
	const isQuiet = options.unwatchable === 'skip' && !unreadable.some((one) => one.looksMistyped);
	return [
		...(problem ? [{ words: failureIn(problem) }] : []),
		...(problem && failure === problem ? [] : undoneIn(outcome, stage)),
		...noticeOf(
			`The publish stopped: the account already has active webhooks for ${alreadyWatched.length} of ${desired.companies.length} companies. Another workflow or program may use them. Unpublish that workflow, or set Options → Already Watched to Watch Anyway. Already watched`,
			formatCompanies(outcome, alreadyWatched),
		),
		...noticeOf(
			`${pluralise(kept.length, 'company')} left the list but ${kept.length === 1 ? 'stays' : 'stay'} watched, because an unreadable row may contain the number. Correct the rows, or unpublish and publish again. Still watched`,
			formatCompanies(outcome, kept),
		),
		...noticeOf(
			'Some rows have no readable company number and are not watched. Correct them',
			map(unreadable, 'words'),
			isQuiet,
		),
		...noticeOf(
			'The list is too large to store every column. Remove columns that you do not need. Left out',
			followed?.leftOut ?? [],
		),
		...noticeOf(
			`The creation of some webhooks was interrupted, so the trigger cannot verify their deliveries. ${PAUSE_STEP}`,
			withIds(outcome, doubled),
		),
		...noticeOf(
			'The credential opens another account, so the trigger created new webhooks in it. The old ones are still active in the previous account. Pause them there',
			listOf(outcome, leftActive),
		),
		...noticeOf(
			`The trigger could not pause webhooks that are no longer needed and tries again at the next check. Reason: ${failedPauses?.why}. Still active`,
			listOf(outcome, failedPauses?.subscriptions ?? []),
		),
	];
}

/** Why companies are not watched. */
function undoneIn(outcome: Outcome, stage: Stage): Notice[] {
	const { desired, watched, refused, failure, alreadyWatched } = outcome;
	const isStopped = failure instanceof Stopped;
	const isUnfinished = stage === 'settingUp' || stage === 'late';
	const refusals = refusalsIn(outcome, isStopped);
	if (failure !== undefined) {
		const hasStep = isTemporary(failure) || isUnfinished;
		const words = sentences([failureIn(failure), hasStep && NEXT_STEPS[stage]]);
		const stop = { words, key: refusals.length > 0 ? '' : reasonKey(failure) };
		return isStopped ? [...refusals, stop] : [stop, ...refusals];
	}
	const lost = desired.companies.length - watched.length - refused.size;
	if (lost === 0 || isUnfinished || alreadyWatched.length > 0) return refusals;
	const why = `The registry service's answers were lost or unusable for ${pluralise(lost, 'company')}`;
	// A published workflow without changes cannot be published again.
	const next = stage === 'failed' ? NEXT_STEPS.failed : 'Unpublish and publish';
	return [...refusals, { words: sentences([why, next]) }];
}

/** A notice for each of the most frequent reasons. */
function refusalsIn(outcome: Outcome, isStopped: boolean): Notice[] {
	const { desired, refused } = outcome;
	const byReason = groupBy([...refused.keys()], (company) => reasonKey(refused.get(company)));
	const groups = sortBy(Object.values(byReason), ({ length }) => -length);
	const isAll = groups.length === 1 && (isStopped || refused.size === desired.companies.length);
	const step =
		isAll && refused.size > 1
			? "All were refused for the same reason. Check your account and n8n's address; the numbers are probably right. Refused"
			: 'Correct these numbers or remove them';
	return groups.slice(0, MAXIMUM_REASONS).map((group) => {
		const reason = refused.get(group[0]);
		const what = `The registry service refused ${pluralise(group.length, 'company')}`;
		const words =
			reason instanceof UnusableAnswer
				? [refusalIn(reason), UNUSABLE_STEP]
				: [what, refusalIn(reason), step];
		const key = `${reasonKey(reason)} ${isAll ? '' : [...group].sort().join()}`;
		return { words: sentences(words), names: formatCompanies(outcome, group), key };
	});
}

/** No reason for a report, but Watch Status shows where events may come twice. */
function othersNoticed(outcome: Outcome): Notice[] {
	const companies = [...outcome.others.keys()].filter((one) => !outcome.lost.includes(one));
	const words = `Other active webhooks exist for these companies, so their events may arrive twice. ${PAUSE_STEP}`;
	return noticeOf(words, withIds(outcome, companies));
}

/** None if it concerns nothing. */
function noticeOf(words: string, names: string[], isQuiet = false): Notice[] {
	return names.length > 0 ? [{ words, names, isQuiet }] : [];
}

function formatNotice({ words, names }: Notice): string {
	return names === undefined ? words : `${words.replace(/\.$/, '')}: ${formatList(names)}`;
}

function formatCompanies({ desired }: Outcome, companies: string[]): string[] {
	return companies.map((company) => formatCompany(company, desired.names));
}

function withIds({ desired, others }: Outcome, companies: string[]): string[] {
	return companies.map(
		(one) => `${others.get(one)?.join(', ')} (${formatCompany(one, desired.names)})`,
	);
}

function listOf({ desired }: Outcome, subscriptions: Subscription[]): string[] {
	return subscriptions.map(({ id, company }) => `${id} (${formatCompany(company, desired.names)})`);
}

/** Why one company was refused: the words of the service, if it gave any. */
function refusalIn(reason: unknown): string {
	const quotation = reason instanceof RegistryFailure ? reason.quotation : '';
	return sentences([quotation || messageOf(reason)]);
}

/** Without advice where the trigger tries again, and empty for an abort, which says nothing to a user. */
function failureIn(reason: unknown): string {
	if (reason instanceof DOMException) return '';
	if (!(reason instanceof RegistryFailure)) return sentences([messageOf(reason)]);
	const isBrief = isTemporary(reason) && reason.kind !== 'notSent';
	return sentences([reason.message, isBrief ? reason.quotation : reason.description]);
}

/** To the minute, in UTC. */
function timeOf(at: number): string {
	return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function sentences(parts: Array<string | false | undefined>): string {
	return compact(parts)
		.map((part) => `${part.trim().replace(/[.:\s]+$/, '')}.`)
		.join(' ');
}
