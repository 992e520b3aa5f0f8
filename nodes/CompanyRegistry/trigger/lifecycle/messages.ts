import { compact, difference, groupBy, map, sortBy } from 'lodash';

import { describeUnreadable } from '../../lists/words';
import { messageOf, RegistryFailure } from '../../registry/failure';
import { called, named } from '../../shared/words';
import { renumbered, type WatchStatus } from '../parameters/watchStatus';
import type { Changes } from './desired';
import { gistOf, mayPass, Stopped, type Outcome } from './outcome';
import type { Drift } from './plan';
import type { Subscription } from './state';

/** Reasons of refusals that a message quotes. */
const MAXIMUM_REASONS = 3;
const DRIFTS: Record<Drift, string> = {
	paused: 'Paused',
	events: 'Given other events',
	redirected: 'Redirected to another address',
	removed: 'Removed',
};
const PAUSE_STEP =
	'If no other workflow or program uses it, pause it with the operation Webhook → Pause of the Company Registry node';

/** Something that a person may have to know. */
interface Finding {
	words: string;
	/** Companies or webhooks that it concerns. */
	names?: string[];
	/** What stays the same as long as the same is found; the words unless it is given. */
	gist?: string;
	/** Only Watch Status and the log have it. */
	isQuiet?: boolean;
}

/** What surrounds a pass. Times are milliseconds since the epoch. */
export interface Surroundings {
	changes: Changes;
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
	/** What a person has to know; empty if nothing. */
	words: string;
	gist: string;
}

/** A pass in words. */
export function describeOutcome(outcome: Outcome, surroundings: Surroundings): Report {
	const { desired, watched, repaired, refused, failure } = outcome;
	const { changes, isSettingUp = false, gap, startedAt, healthyAt } = surroundings;
	const step = isSettingUp ? 'Setting up continues' : 'The trigger tries again by itself';
	const found = findingsIn(outcome, step, isSettingUp);
	const slips = renumbered(changes.removed, desired.companies, desired.names);
	const findings = [
		...repairsIn(outcome, healthyAt),
		...found,
		finding('Another number has the same name. Correct it if it is mistyped', slips),
	].filter(isFound);
	const reported = findings.filter(({ isQuiet }) => !isQuiet);
	const isDone =
		watched.length === desired.companies.length && found.every(({ isQuiet }) => isQuiet);
	const counts = countsOf(outcome);
	const left = difference(desired.companies, watched);
	const reasonOf = (company: string) =>
		wordsOf(refused.get(company) ?? failure ?? 'Not set up yet');
	const summary = sentences([
		counts,
		gap && `Not watched between ${timeOf(gap.from)} and ${timeOf(gap.to)}: events may be missing`,
		startedAt !== undefined &&
			`n8n was started at ${timeOf(startedAt)}: events that were delivered while it was down may be missing`,
		...findings.map(textOf),
		...othersIn(outcome).map(textOf),
	]);
	const state = isDone ? (repaired.size > 0 ? 'repaired' : 'complete') : 'incomplete';
	return {
		status: {
			state: isSettingUp ? 'settingUp' : state,
			summary,
			wanted: desired.companies.length,
			watched: watched.length,
			...changes,
			repaired: new Map([...repaired].map(([company, drift]) => [company, DRIFTS[drift]])),
			left: new Map(left.map((company) => [company, reasonOf(company)])),
		},
		words: reported.length > 0 ? sentences([counts, ...reported.map(textOf)]) : '',
		gist: reported.map(({ gist, words, names }) => gist ?? `${words} ${names?.join()}`).join('\n'),
	};
}

/** Why a publish failed. n8n shows only this message, so it has the next step. @param isLate after a minute */
export function describeFailedPublish(outcome: Outcome, isLate: boolean): string {
	const { desired, alreadyWatched, watched } = outcome;
	const asked = finding(
		`${alreadyWatched.length} of ${desired.companies.length} companies have an active webhook that another workflow or program may use. Unpublish that workflow, or set 'Options' > 'Already Watched' to 'Watch Anyway'`,
		calledIn(outcome, alreadyWatched),
	);
	const findings = findingsIn(outcome, 'Publish again: existing webhooks are reused', false);
	return sentences([
		watched.length === 0 && !isFound(asked) && 'No company is watched',
		isLate && 'The registry service did not let enough requests through within a minute',
		...[asked, ...findings].filter(isFound).map(textOf),
	]);
}

/** For the log: webhooks that stay active after an unpublish. */
export function describeUnpaused(subscriptions: Subscription[], why: string): string {
	const names = map(subscriptions, ({ id, company }) => `${id} (${company})`).join(', ');
	return `${subscriptions.length} webhooks could not be paused and may stay active: ${why}. The next publish tries again, or pause them with Webhook → Pause: ${names}`;
}

function countsOf({ watched, delivering, desired, failure }: Outcome): string {
	const count = watched.length;
	const isOfService = failure instanceof RegistryFailure || failure instanceof Stopped;
	if (desired.problem ?? (failure !== undefined && !isOfService)) {
		return `Nothing was changed. Companies that are still watched: ${delivering.length}`;
	}
	const previous = delivering.length - count;
	const others = previous > 0 ? `, and ${previous} may deliver as before the change` : '';
	return `${count} of ${desired.companies.length} companies are watched${others}`;
}

function repairsIn(outcome: Outcome, healthyAt?: number): Finding[] {
	const { repaired } = outcome;
	const since = healthyAt === undefined ? '' : ` since ${timeOf(healthyAt)}`;
	const webhooks = repaired.size === 1 ? '1 webhook was' : `${repaired.size} webhooks were`;
	const byDrift = Object.entries(
		groupBy([...repaired.keys()], (one) => DRIFTS[repaired.get(one)!]),
	);
	const lists = byDrift.map(([drift, all]) => `${drift}: ${named(calledIn(outcome, all))}`);
	const words = `Events may be missing${since}: ${webhooks} changed outside this trigger, and the trigger has restored the setting. Look these companies up, for example with 'Get What Is New'. If this workflow is also published in another n8n, unpublish it there. ${lists.join('. ')}`;
	return repaired.size > 0 ? [{ words, gist: lists.join() }] : [];
}

/** Reason and next step first, lists last. @param step how the rest is done */
function findingsIn(outcome: Outcome, step: string, isSettingUp: boolean): Finding[] {
	const { desired, lost, leftActive, unpaused, failure, others } = outcome;
	const { problem, kept, unreadable, options, droppedColumns = [] } = desired;
	const doubled = lost.filter((company) => others.has(company));
	return [
		...(problem ? [{ words: wordsOf(problem), gist: gistOf(problem) }] : []),
		...(problem && failure === problem ? [] : undoneIn(outcome, step, isSettingUp)),
		finding(
			`${kept.length} companies are no longer in the list and stay watched, because a row without a readable company number may hide them. Correct the rows. To stop watching these companies, unpublish and publish again`,
			calledIn(outcome, kept),
		),
		{
			words: `Not watched, because there is no readable company number: ${describeUnreadable(unreadable)}`,
			names: map(unreadable, 'words'),
			isQuiet: options.unwatchable === 'skip' && !unreadable.some((one) => one.looksMistyped),
		},
		finding('The list is too large to store all of its columns. Left out', droppedColumns),
		finding(
			`An answer of the registry service was lost, so it holds a webhook that this trigger cannot verify. ${PAUSE_STEP}`,
			withIds(outcome, doubled),
		),
		finding(
			'The credential opens another account, so new webhooks were created. The previous webhooks stay active in the previous account. Pause them there',
			listOf(outcome, leftActive),
		),
		finding(
			`Webhooks that are no longer needed could not be paused: ${unpaused?.why}. The next check tries again`,
			listOf(outcome, unpaused?.subscriptions ?? []),
		),
	].filter(isFound);
}

/** What is not watched, and why: the words of the service first. */
function undoneIn(outcome: Outcome, step: string, isSettingUp: boolean): Finding[] {
	const { desired, watched, refused, failure, alreadyWatched } = outcome;
	const groups = sortBy(
		Object.values(groupBy([...refused.keys()], (one) => gistOf(refused.get(one)))),
		(group) => -group.length,
	);
	const isStopped = failure instanceof Stopped;
	const isAll = groups.length === 1 && (isStopped || refused.size === desired.companies.length);
	const advice =
		isAll && refused.size > 1
			? "All were refused alike, so the account or this n8n's address is the likely cause, not the numbers. Refused"
			: 'Correct these numbers or remove them. Refused';
	const refusals = groups.slice(0, MAXIMUM_REASONS).map((group) => {
		const reason = refused.get(group[0]);
		const gist = `${gistOf(reason)} ${isAll ? '' : [...group].sort().join()}`;
		return { ...finding(`${wordsOf(reason)} ${advice}`, calledIn(outcome, group)), gist };
	});
	const rest = desired.companies.length - watched.length - alreadyWatched.length - refused.size;
	const count = rest > 0 && `${rest} ${rest === 1 ? 'company is' : 'companies are'} not set up`;
	if (failure !== undefined) {
		const next = mayPass(failure) || isSettingUp ? step : '';
		const words = sentences([wordsOf(failure), count, next]);
		const stop = { words, gist: refusals.length > 0 ? '' : gistOf(failure) };
		return isStopped ? [...refusals, stop] : [stop, ...refusals];
	}
	if (!count || isSettingUp) return refusals;
	const lost = `${count}, because answers of the registry service were lost or could not be used. Publish again to try once more`;
	return [...refusals, { words: lost }];
}

/** No reason for a report, but Watch Status shows where events may come twice. */
function othersIn(outcome: Outcome): Finding[] {
	const companies = [...outcome.others.keys()].filter((one) => !outcome.lost.includes(one));
	const words = `These companies also have an active webhook that is not this trigger's. ${PAUSE_STEP}`;
	return [finding(words, withIds(outcome, companies))].filter(isFound);
}

function finding(words: string, names: string[]): Finding {
	return { words, names };
}

function isFound({ names }: Finding): boolean {
	return names === undefined || names.length > 0;
}

function textOf({ words, names }: Finding): string {
	return names === undefined || words.includes(names[0]) ? words : `${words}: ${named(names)}`;
}

function calledIn({ desired }: Outcome, companies: string[]): string[] {
	return companies.map((company) => called(company, desired.names));
}

function withIds({ desired, others }: Outcome, companies: string[]): string[] {
	return companies.map((one) => `${others.get(one)?.join(', ')} (${called(one, desired.names)})`);
}

function listOf({ desired }: Outcome, subscriptions: Subscription[]): string[] {
	return subscriptions.map(({ id, company }) => `${id} (${called(company, desired.names)})`);
}

/** Empty for the reason of an aborted signal, which says nothing to a user. */
function wordsOf(reason: unknown): string {
	if (reason instanceof DOMException) return '';
	if (!(reason instanceof RegistryFailure)) return sentences([messageOf(reason)]);
	return sentences([reason.message, reason.description]);
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
