import { compact, map, upperFirst } from 'lodash';
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { describeUnreadable, named } from '../../lists/words';
import { messageOf, RegistryFailure } from '../../registry/failure';
import type { WatchStatus } from '../parameters/watchStatus';
import type { Drift } from './plan';
import { byReason, GivenUp, groupOf, type Mended, type Noted, type Standings } from './standings';
import { describeSubscriptions } from '../memory/subscription';

/** Companies and webhooks that a message names; of more it gives the number. */
const MAXIMUM_NAMED = 20;
/** Reasons that a message quotes. */
const MAXIMUM_REASONS = 5;

const ALREADY_WATCHED =
	"Unpublish the workflow that watches them, or set 'Options' > 'Already Watched' to 'Make Another'";
const DRIFTS: Record<Drift, string> = {
	paused: 'paused',
	events: 'given other events',
	redirected: 'made to deliver elsewhere',
	removed: 'removed',
};

/** Why a publish fails. n8n shows the message and nothing else, so it holds everything: the next step, too. */
export function failureOf(node: INode, standings: Standings, isLate: boolean): Error {
	const slow = isLate && 'the service let too little through in the minute that n8n waits';
	const step = 'Publish again: existing webhooks are reused';
	return nodeError(node, nothing([slow, ...describe(standings, step)]), standings.failure);
}

export function failureBefore(node: INode, problem: Error): Error {
	return nodeError(node, nothing([messageOf(problem)]), problem);
}

/** What is left to do, and how a person helps; undefined where nothing is. */
export function describeShortfall(standings: Standings, isGoingOn: boolean): string | undefined {
	const { wish, heldBack, problem, madeAgain } = standings;
	const isComplete = standings.isDone && wish.unreadable.length === 0;
	if (isComplete && !heldBack && !problem && madeAgain.size === 0) return undefined;
	const step = isGoingOn ? 'It is tried again by itself' : '';
	if (problem) return sentences([countKept(standings), wordsOf(problem)]);
	return sentences([countWatched(standings), ...describe(standings, step)]);
}

/** What somebody had changed at the service, where events may be missing. */
export function describeMended(mended: Mended[], since: string): string {
	const byDrift = Object.entries(DRIFTS).flatMap(([drift, words]) => {
		const companies = mended.filter((one) => one.drift === drift).map(({ company }) => company);
		return companies.length === 0 ? [] : [`${words}: ${named(companies, MAXIMUM_NAMED)}`];
	});
	const again = mended.filter(({ isAgain }) => isAgain).map(({ company }) => company);
	return sentences([
		`Events may be missing: ${mended.length === 1 ? '1 webhook was' : `${mended.length} webhooks were`} changed at the registry service by somebody else, and ${mended.length === 1 ? 'is' : 'are'} as wanted again`,
		`Look these companies up, or use 'Get What Is New': events were missed ${since}`,
		again.length > 0 &&
			`Somebody keeps changing ${named(again, MAXIMUM_NAMED)}. Perhaps this workflow is published in another n8n, too`,
		upperFirst(byDrift.join('. ')),
	]);
}

/** What stays active at the service, for the log, which names all. */
export function describeUnpaused({ unpaused }: Standings, maximum = Infinity): string {
	if (!unpaused) return '';
	const { subscriptions, why } = unpaused;
	const more = subscriptions.length - maximum;
	const names =
		describeSubscriptions(subscriptions.slice(0, maximum)) + (more > 0 ? ` and ${more} more` : '');
	return sentences([
		`webhooks that are not wanted could not be paused and may stay active: ${why}`,
		'The next check, publish or unpublish tries again',
		names,
	]);
}

/** Companies that a publish takes in and out. */
export interface Changes {
	added: string[];
	removed: string[];
}

/** What an item of *Watch Status* says. */
export function statusOf(standings: Standings, changes: Changes, isGoingOn: boolean): WatchStatus {
	const { wish, mended, problem } = standings;
	const left = standings.all.filter(({ standing }) => standing !== 'watched');
	const only = (companies: string[]) => companies.map((company) => ({ company }));
	return {
		state: stateOf(standings, isGoingOn),
		summary: sentences([
			problem ? countKept(standings) : countWatched(standings),
			problem && wordsOf(problem),
			mended.length > 0 && `${mended.length} mended`,
			...describe(standings, isGoingOn ? 'The rest follows by itself' : ''),
			describeOthers(standings),
		]),
		wanted: wish.companies.length,
		watched: standings.watched,
		added: only(changes.added),
		removed: only(changes.removed),
		mended: mended.map(({ company, drift }) => ({ company, reason: DRIFTS[drift] })),
		left: left.map((one) => ({ company: one.company, reason: reasonOf(one, isGoingOn) })),
	};
}

export function stateOf(standings: Standings, isGoingOn: boolean): WatchStatus['state'] {
	const { problem, heldBack, mended, isDone } = standings;
	const needsPerson = standings.in('refused', 'doubled', 'lost', 'disputed').length > 0;
	if (needsPerson || problem || heldBack || (!isGoingOn && !isDone)) return 'incomplete';
	if (isGoingOn) return 'settingUp';
	return mended.length > 0 ? 'mended' : 'complete';
}

/** What two reports have in common that tell the same. The service's words may hold the number of a request. */
export function gistOf(standings: Standings): string {
	const { failure, unpaused, heldBack, problem, madeAgain } = standings;
	if (problem) return groupOf(problem);
	// Which companies were asked for before it was given up is chance.
	const isGivenUp = failure instanceof GivenUp;
	const noted = isGivenUp ? [] : standings.in('refused', 'doubled', 'lost', 'disputed');
	const parts = byReason(noted).map((group) =>
		[group[0].standing, groupOf(group[0].reason), map(group, 'company').join()].join(' '),
	);
	const why = isGivenUp ? `given up ${groupOf(failure.reason)}` : failure ? groupOf(failure) : '';
	const counts = [unpaused?.subscriptions.length, madeAgain.size].map((count) => count || '');
	return compact([...parts, why, ...counts, heldBack?.cells.join()]).join('\n');
}

/** Where the node's parameters or its account cannot be used. */
function countKept({ active }: Standings): string {
	if (active === 0) return 'Nothing was changed';
	const what = active === 1 ? 'company of before stays' : `${active} companies of before stay`;
	return `Nothing was changed: the ${what} watched`;
}

function countWatched(standings: Standings): string {
	const { wish, active, watched } = standings;
	const before =
		active > watched ? `, ${active - watched} of them as they were before this change` : '';
	return `${Math.max(active, watched)} of ${wish.companies.length} companies are watched${before}`;
}

/** Reason and remedy first, lists last. */
function describe(standings: Standings, step: string): Array<string | false | undefined> {
	const { failure, wish, heldBack, madeAgain } = standings;
	const refused = standings.in('refused');
	const doubled = map(standings.in('doubled'), 'company');
	const lost = map(standings.in('lost'), 'company');
	const disputed = map(standings.in('disputed'), 'company');
	const undone = wish.companies.length - standings.watched - doubled.length;
	const cause = failure instanceof GivenUp ? failure.reason : failure;
	const isSaid = refused.some(({ reason }) => reason === cause);
	const { names } = wish;
	const called = (company: string) => compact([company, names.get(company)]).join(' ');
	const all = (companies: string[]) => named(companies.map(called), MAXIMUM_NAMED);
	return [
		heldBack &&
			`Nobody was paused, because cells of the list look like company numbers that went wrong: ${named(heldBack.cells)}. Correct them. Or, if these companies are not to be watched any more, publish again with the same list: ${all(heldBack.companies)}`,
		undone > 0 &&
			`${undone === 1 ? '1 company' : `${undone} companies`} could not be set up (${standings.watched} of ${wish.companies.length} succeeded)`,
		failure instanceof GivenUp && failure.message,
		cause !== undefined && !isSaid && wordsOf(cause),
		...describeRefusals(refused, standings),
		step,
		doubled.length > 0 &&
			`${doubled.length} companies have an active webhook in this account that this trigger does not know, so their events would come twice. ${ALREADY_WATCHED}: ${all(doubled)}`,
		lost.length > 0 &&
			`No usable answer came, so the service may hold a new webhook that this trigger cannot verify; look in the service's list, and pause it there: ${all(lost)}`,
		disputed.length > 0 &&
			`Somebody keeps changing these webhooks at the service, so they are left alone for a day. If this workflow is published in another n8n, too, unpublish it there. Then publish it here: ${all(disputed)}`,
		madeAgain.size > 0 &&
			`n8n was stopped while it set these companies up: of each, the service also holds a webhook that this trigger cannot verify. Pause those in the service's list: ${all([...madeAgain])}`,
		upperFirst(describeUnpaused(standings, MAXIMUM_NAMED)),
		wish.unreadable.length > 0 &&
			`Left out, because there is no company number that can be read: ${describeUnreadable(wish.unreadable)}`,
	];
}

/** Refused companies by reason, in the service's own words: 20 of them by name, and how many more. */
function describeRefusals(refused: Noted[], { wish }: Standings): string[] {
	if (refused.length === 0) return [];
	const isLeftOut = wish.options.refusedCompanies === 'leaveOut';
	const choice = isLeftOut ? '' : ", or set 'Options' > 'Refused Companies' to 'Leave Out'";
	let room = MAXIMUM_NAMED;
	const groups = byReason(refused);
	const described = groups.slice(0, MAXIMUM_REASONS).map((group) => {
		const companies = map(group, 'company').map((company) =>
			compact([company, wish.names.get(company)]).join(' '),
		);
		const text = named(companies, room);
		room = Math.max(0, room - companies.length);
		// Where it is all of them, their names say nothing.
		const isAll = companies.length > 1 && companies.length === wish.companies.length;
		return wordsOf(group[0].reason) + (isAll ? '' : ` (${text})`);
	});
	const more = groups.slice(MAXIMUM_REASONS).flat().length;
	return [
		`Correct these numbers or take them out${choice}`,
		...described,
		...(more > 0 ? [`${more} more for other reasons`] : []),
	];
}

/** Companies that others watch as well, or whose webhook was lost when n8n was stopped. */
function describeOthers({ others }: Standings): string | false {
	if (others.size === 0) return false;
	return `${others.size === 1 ? '1 company has' : `${others.size} companies have`} another active webhook in this account, which this trigger cannot verify. If no other workflow or program uses it, pause it: ${named([...others], MAXIMUM_NAMED)}`;
}

function reasonOf({ standing, reason }: Noted, isGoingOn: boolean): string {
	if (reason !== undefined) return wordsOf(reason);
	if (standing === 'doubled') return 'Others watch it';
	if (standing === 'disputed') return 'Somebody keeps changing its webhook';
	return isGoingOn ? 'Not set up yet' : 'Not set up';
}

/** Empty for what an aborted signal throws, which says nothing to a user. */
function wordsOf(reason: unknown): string {
	if (reason instanceof DOMException) return '';
	return reason instanceof RegistryFailure
		? `${reason.message}. ${reason.description}`
		: messageOf(reason);
}

function nothing(parts: Array<string | false | undefined>): string {
	return `Nothing is watched: ${sentences(parts)}`;
}

function sentences(parts: Array<string | false | undefined>): string {
	return compact(parts)
		.map((part) => `${part.replace(/[.:\s]+$/, '')}.`)
		.join(' ');
}

function nodeError(node: INode, message: string, cause: unknown): Error {
	const error =
		cause instanceof RegistryFailure
			? new NodeApiError(node, { message }, { message, httpCode: cause.httpCode })
			: new NodeOperationError(node, message);
	// n8n puts words of its own in place of a message in which it finds a code such as ECONNRESET.
	error.message = message;
	return error;
}
