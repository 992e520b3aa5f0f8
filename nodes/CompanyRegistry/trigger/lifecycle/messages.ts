import { compact, groupBy, map, sortBy, upperFirst } from 'lodash';

import { describeUnreadable, named } from '../../lists/words';
import { messageOf, RegistryFailure } from '../../registry/failure';
import { called } from '../../shared/words';
import { renumbered, type WatchStatus } from '../parameters/watchStatus';
import type { Changes } from './desired';
import { gistOf, mayPass, Stopped, type Outcome } from './outcome';
import type { Drift } from './plan';
import type { Subscription } from './state';

/** Reasons that a message quotes. */
const MAXIMUM_REASONS = 3;

const DRIFTS: Record<Drift, string> = {
	paused: 'paused',
	events: 'given other events',
	redirected: 'redirected to another address',
	removed: 'removed',
};
const PAUSE_STEP =
	'If no other workflow or program uses it, pause it with the operation Webhook → Pause of the Company Registry node';

/** Something that a person may have to know. */
interface Finding {
	words: string;
	/** Whether it is reported as a failed execution. Otherwise only Watch Status and the log have it. */
	isReported: boolean;
	/** The same as long as the same is found. */
	gist: string;
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
	const { changes, isSettingUp = false } = surroundings;
	const step = isSettingUp ? 'Setting up continues' : 'The trigger tries again by itself';
	const found = describeFindings(outcome, step, isSettingUp);
	const isIncomplete =
		watched.length < desired.companies.length || found.some(({ isReported }) => isReported);
	const isRepaired = repaired.size > 0 ? 'repaired' : 'complete';
	const findings = [
		...describeRepairs(outcome, surroundings),
		...found,
		...describeSlips(outcome, changes),
	];
	const reported = findings.filter(({ isReported }) => isReported);
	const reasonOf = (company: string) =>
		refused.has(company) ? wordsOf(refused.get(company)) : wordsOf(failure ?? 'Not set up yet');
	const left = desired.companies.filter((company) => !watched.includes(company));
	const counts = describeCounts(outcome);
	const status: WatchStatus = {
		state: isSettingUp ? 'settingUp' : isIncomplete ? 'incomplete' : isRepaired,
		summary: sentences([
			counts,
			...describeGaps(surroundings),
			...map(findings, 'words'),
			describeOthers(outcome),
		]),
		wanted: desired.companies.length,
		watched: watched.length,
		...changes,
		repaired: new Map(
			[...repaired].map(([company, drift]) => [company, upperFirst(DRIFTS[drift])]),
		),
		left: new Map(left.map((company) => [company, reasonOf(company)])),
	};
	return {
		status,
		words: reported.length > 0 ? sentences([counts, ...map(reported, 'words')]) : '',
		gist: map(reported, 'gist').join('\n'),
	};
}

/** Why a publish failed. n8n shows only this message, so it has the next step. @param isLate after a minute */
export function describeFailedPublish(outcome: Outcome, isLate: boolean): string {
	const { desired, alreadyWatched, watched } = outcome;
	const asked = alreadyWatched.length;
	const findings = describeFindings(outcome, 'Publish again: existing webhooks are reused', false);
	return sentences([
		watched.length === 0 && asked === 0 && 'No company is watched',
		isLate && 'The registry service did not let enough requests through within a minute',
		asked > 0 &&
			`${asked} of ${desired.companies.length} companies have an active webhook that another workflow or program may use. Unpublish that workflow, or set 'Options' > 'Already Watched' to 'Watch Anyway': ${nameAll(outcome, alreadyWatched)}`,
		...map(findings, 'words'),
	]);
}

/** For the log: webhooks that stay active after an unpublish. */
export function describeUnpaused(subscriptions: Subscription[], why: string): string {
	return sentences([
		`${subscriptions.length} webhooks could not be paused and may stay active: ${why}`,
		'The next publish tries again, or pause them with Webhook → Pause',
		subscriptions.map(({ id, company }) => `${id} (${company})`).join(', '),
	]);
}

function describeCounts({ watched, delivering, desired, failure }: Outcome): string {
	const [all, count] = [desired.companies.length, watched.length];
	if (desired.problem ?? isProblem(failure)) {
		const still = delivering.length === 1 ? 'company is' : 'companies are';
		return `Nothing was changed, and ${delivering.length} ${still} still watched`;
	}
	const previous = delivering.length - count;
	const others = previous > 0 ? `, and ${previous} may deliver as before the change` : '';
	return `${count} of ${all} companies ${all === 1 ? 'is' : 'are'} watched${others}`;
}

/** Whether a pass could not begin: nothing of the service was asked. */
function isProblem(failure: unknown): boolean {
	return (
		failure !== undefined && !(failure instanceof RegistryFailure) && !(failure instanceof Stopped)
	);
}

function describeGaps({ gap, startedAt }: Surroundings): Array<string | false> {
	return [
		gap !== undefined &&
			`Not watched between ${timeOf(gap.from)} and ${timeOf(gap.to)}: events may be missing`,
		startedAt !== undefined &&
			`n8n was started at ${timeOf(startedAt)}: events that were delivered while it was down may be missing`,
	];
}

function describeRepairs(outcome: Outcome, { healthyAt }: Surroundings): Finding[] {
	const { repaired } = outcome;
	if (repaired.size === 0) return [];
	const webhooks = repaired.size === 1 ? '1 webhook was' : `${repaired.size} webhooks were`;
	const since = healthyAt === undefined ? '' : ` since ${timeOf(healthyAt)}`;
	const byDrift = Object.entries(
		groupBy([...repaired.keys()], (one) => DRIFTS[repaired.get(one)!]),
	);
	const lists = byDrift.map(([drift, all]) => `${upperFirst(drift)}: ${nameAll(outcome, all)}`);
	const words = sentences([
		`Events may be missing${since}: ${webhooks} changed outside this trigger, and the trigger has restored ${repaired.size === 1 ? 'it' : 'them'}`,
		"Look these companies up, for example with 'Get What Is New'. If this workflow is also published in another n8n, unpublish it there",
		...lists,
	]);
	return [{ words, isReported: true, gist: lists.join() }];
}

function describeFindings(outcome: Outcome, step: string, isSettingUp: boolean): Finding[] {
	const { desired, lost, leftActive, unpaused, failure, others } = outcome;
	const { problem, kept, unreadable, options } = desired;
	const findings: Finding[] = [];
	const add = (isThere: boolean, words: string, gist = words, isReported = true) => {
		if (isThere) findings.push({ words, gist, isReported });
	};
	add(problem !== undefined, wordsOf(problem), gistOf(problem));
	if (failure === undefined || failure !== problem)
		findings.push(...describeUndone(outcome, step, isSettingUp));
	add(
		kept.length > 0,
		`${kept.length} companies are no longer in the list and stay watched, because rows without a readable company number may hide them. Correct the rows. To stop watching these companies, unpublish and publish again: ${nameAll(outcome, kept)}`,
		`kept ${kept.join()}`,
	);
	const isMistyped = unreadable.some(({ looksMistyped }) => looksMistyped);
	add(
		unreadable.length > 0,
		`Not watched, because there is no readable company number: ${describeUnreadable(unreadable)}`,
		`unreadable ${map(unreadable, 'words').join()}`,
		options.unwatchable === 'stop' || isMistyped,
	);
	const known = lost.filter((company) => others.has(company));
	add(
		known.length > 0,
		`An answer of the registry service was lost, so it holds a webhook that this trigger cannot verify. ${PAUSE_STEP}: ${withIds(outcome, known)}`,
		`lost ${known.join()}`,
	);
	add(
		leftActive.length > 0,
		`The credential opens another account, so new webhooks were created. These webhooks stay active in the previous account. Pause them there: ${listOf(leftActive, outcome)}`,
		`left ${map(leftActive, 'id').join()}`,
	);
	add(
		unpaused !== undefined,
		`Webhooks that are no longer needed could not be paused: ${unpaused?.why}. The next check tries again: ${listOf(unpaused?.subscriptions ?? [], outcome)}`,
		`unpaused ${unpaused?.why}`,
	);
	return findings;
}

/** What is not watched, and why: the words of the service first. */
function describeUndone(outcome: Outcome, step: string, isSettingUp: boolean): Finding[] {
	const { desired, watched, refused, failure, alreadyWatched } = outcome;
	const undone = desired.companies.length - watched.length - alreadyWatched.length;
	if (undone === 0 && failure === undefined) return [];
	const stopped = failure instanceof Stopped ? failure : undefined;
	const groups = sortBy(
		Object.values(groupBy([...refused.keys()], (one) => gistOf(refused.get(one)))),
		(group) => -group.length,
	);
	const isAll =
		groups.length === 1 && (stopped !== undefined || refused.size >= desired.companies.length);
	const advice =
		isAll && desired.companies.length > 1
			? "All were refused alike, so the account or this n8n's address is the likely cause, not the numbers"
			: 'Correct these numbers or remove them';
	const findings = groups.slice(0, MAXIMUM_REASONS).map((group) => {
		const reason = refused.get(group[0]);
		const count = group.length === 1 ? '1 company' : `${group.length} companies`;
		const words = `${wordsOf(reason)} ${count} refused. ${advice}: ${nameAll(outcome, group)}`;
		const gist = isAll ? gistOf(reason) : `${gistOf(reason)} ${[...group].sort().join()}`;
		return { words, isReported: true, gist };
	});
	if (stopped?.cause === undefined && failure !== undefined) {
		const retry = mayPass(failure) || isSettingUp ? step : '';
		const rest = undone - refused.size;
		const count =
			rest > 0 ? `${rest} ${rest === 1 ? 'company is' : 'companies are'} not set up` : '';
		const words = sentences([wordsOf(failure), count, retry]);
		return [{ words, isReported: true, gist: gistOf(failure) }, ...findings];
	}
	if (stopped) return [...findings, { words: stopped.message, isReported: true, gist: '' }];
	const rest = undone - refused.size;
	if (rest <= 0 || isSettingUp) return findings;
	const words = `${rest} ${rest === 1 ? 'company is' : 'companies are'} not set up, because answers of the registry service were lost or could not be used. Publish again to try once more`;
	return [...findings, { words, isReported: true, gist: `${rest} left` }];
}

/** A company that goes while another number has its name: perhaps a mistyped number. */
function describeSlips({ desired }: Outcome, { removed }: Changes): Finding[] {
	const slips = renumbered(removed, desired.companies, desired.names);
	const words = `Another number under the same name. Correct it if it is mistyped: ${named(slips)}`;
	return slips.length > 0 ? [{ words, isReported: true, gist: words }] : [];
}

/** No reason for a report, but Watch Status shows where events may come twice. */
function describeOthers(outcome: Outcome): string | false {
	const companies = [...outcome.others.keys()].filter((one) => !outcome.lost.includes(one));
	if (companies.length === 0) return false;
	return `These companies also have an active webhook that is not this trigger's. ${PAUSE_STEP}: ${withIds(outcome, companies)}`;
}

function nameAll({ desired }: Outcome, companies: string[]): string {
	return named(companies.map((company) => called(company, desired.names)));
}

function withIds({ desired, others }: Outcome, companies: string[]): string {
	const name = (company: string) => called(company, desired.names);
	return named(companies.map((one) => `${others.get(one)?.join(', ')} (${name(one)})`));
}

function listOf(subscriptions: Subscription[], { desired }: Outcome): string {
	return named(subscriptions.map(({ id, company }) => `${id} (${called(company, desired.names)})`));
}

/** Empty for the reason of an aborted signal, which says nothing to a user. */
function wordsOf(reason: unknown = ''): string {
	if (reason instanceof DOMException) return '';
	if (!(reason instanceof RegistryFailure)) return messageOf(reason);
	return sentences([reason.message, reason.description]);
}

/** The time of a day in UTC, to the minute. */
function timeOf(at: number): string {
	return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function sentences(parts: Array<string | false>): string {
	return compact(parts)
		.map((part) => `${part.trim().replace(/[.:\s]+$/, '')}.`)
		.join(' ');
}
