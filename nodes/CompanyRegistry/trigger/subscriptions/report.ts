import { compact, difference, filter, groupBy, map, sortBy, sumBy, upperFirst } from 'lodash';

import { describeUnreadable } from '../../lists/words';
import { messageOf, RegistryFailure } from '../../registry/failure';
import { called, named } from '../../shared/words';
import type { Drift } from '../memory/state';
import type { Store } from '../memory/store';
import { renumbered, type Changes, type WatchStatus } from '../parameters/watchStatus';
import { GivenUp, groupOf, isPassing, type Standing, type Standings } from './standings';

/** Companies and webhooks that a message names; of more it gives the number. */
const MAXIMUM_NAMED = 20;
/** A kill of n8n loses no more. */
const MAXIMUM_MADE_AGAIN = 200;
/** Reasons that a message quotes. */
const MAXIMUM_REASONS = 5;

const DRIFTS: Record<Drift, string> = {
	paused: 'paused',
	events: 'given other events',
	redirected: 'made to deliver elsewhere',
	removed: 'removed',
};
/** Why a company is not watched, where no failure says it. */
const REASONS: Partial<Record<Standing, string>> = {
	doubled: 'Others watch it',
	disputed: 'Somebody keeps changing its webhook',
	left: 'Not set up yet',
};
/** What a person has to know of companies, and to do about them. */
const REMEDIES = {
	doubled:
		"companies have an active webhook in this account that this trigger does not know, so their events would come twice. Unpublish the workflow that watches them, or set 'Options' > 'Already Watched' to 'Make Another'",
	lost: 'No usable answer came, so the service may hold a new webhook that this trigger cannot verify. Look for it with Webhook → Get Many of the Company Registry node, and pause it with Webhook → Pause: the next check then sets the company up',
	disputed:
		'Somebody keeps changing these webhooks at the service, so they are left alone for a day. If this workflow is published in another n8n, too, unpublish it there. Then publish it here',
	others:
		'These companies have another active webhook in this account, which this trigger cannot verify. If no other workflow or program uses it, pause it with Webhook → Pause of the Company Registry node',
	madeAgain:
		'n8n was stopped while it set these companies up, or an answer was lost: of each, the service also holds a webhook that this trigger cannot verify. If no other workflow or program uses it, pause it with Webhook → Pause of the Company Registry node',
};

/** Something that is left to do, or that a person has to know. */
interface Finding {
	words: string;
	/** `work`: it is not done yet. `person`: nor will it be by itself. */
	needs: 'person' | 'work' | 'nothing';
	/** Is the same as long as the same is found. Empty where a publish alone tells it. */
	gist: string;
}

export type Report = ReturnType<typeof reportOf>;

/** What a round has come to. */
export function reportOf(
	standings: Standings,
	changes: Changes = { added: [], removed: [] },
	isGoingOn = false,
) {
	const { wish, mended, watched, failure, store } = standings;
	const step = isGoingOn ? 'The rest follows by itself' : '';
	const findings = findingsOf(
		standings,
		isPassing(failure) ? 'It is tried again by itself' : step,
		isGoingOn,
	);
	const slips = renumbered(changes.removed, wish.companies, store.names);
	if (slips.length > 0) {
		const words = `Another number under the same name; correct it if it is a slip: ${named(slips)}`;
		findings.push({ words, needs: 'nothing', gist: words });
	}
	const needs = new Set(map(findings, 'needs'));
	const settled = mended.size > 0 ? 'mended' : 'complete';
	const state = isGoingOn ? 'settingUp' : needs.has('work') ? 'incomplete' : settled;
	// What was made again has been told.
	const others = difference([...standings.others.keys()], [...store.madeAgain]);
	const left = standings.all.filter(({ standing }) => standing !== 'watched');
	const status: WatchStatus = {
		state: needs.has('person') ? 'incomplete' : state,
		summary: sentences([
			countsOf(standings),
			...map(findings, 'words'),
			// No reason to tell a person, but to say where one looks.
			others.length > 0 && `${REMEDIES.others}: ${named(withWebhooks(standings, others))}`,
		]),
		wanted: wish.companies.length,
		watched,
		...changes,
		mended: new Map([...mended].map(([company, drift]) => [company, DRIFTS[drift]])),
		left: new Map(
			left.map(({ company, standing, reason }) => [company, wordsOf(reason ?? REASONS[standing])]),
		),
	};
	const gist = compact(map(findings, 'gist')).join('\n');
	return { status, gist, hasFindings: findings.length > 0 };
}

/** Why a publish fails. n8n shows the message and nothing else, so it holds everything: the next step, too. */
export function describeFailure(standings: Standings, isLate = false): string {
	const slow = isLate && 'the service let too little through in the minute that n8n waits';
	const findings = findingsOf(standings, 'Publish again: existing webhooks are reused');
	return `Nothing is watched: ${sentences([slow, ...map(findings, 'words')])}`;
}

/**
 * What somebody had changed at the service, where events may be missing.
 * @param again companies of which that was mended before within a day
 * @param missed when events were, in words
 */
export function describeMended(
	store: Store,
	mended: Standings['mended'],
	again: string[],
	missed: string,
): string {
	const called = (companies: string[]) => named(calledIn(store, companies));
	const webhooks = mended.size === 1 ? '1 webhook was' : `${mended.size} webhooks were`;
	const byDrift = Object.entries(groupBy([...mended], ([, drift]) => DRIFTS[drift]));
	return sentences([
		`Events may be missing: ${webhooks} changed at the registry service by somebody else, and put right`,
		`Look these companies up, or use 'Get What Is New': events were missed ${missed}`,
		again.length > 0 &&
			`Somebody keeps changing ${called(again)}. Perhaps this workflow is published in another n8n, too`,
		...byDrift.map(([drift, all]) => `${upperFirst(drift)}: ${called(all.map(([one]) => one))}`),
	]);
}

/** What stays active at the service, for the log, which names all. */
export function describeUnpaused(
	store: Store,
	{ subscriptions, why }: NonNullable<Standings['unpaused']>,
	maximum = Infinity,
): string {
	const names = subscriptions.map(
		({ id, company }) => `${id} (${calledIn(store, [company]).join()})`,
	);
	return sentences([
		`Webhooks that are not wanted could not be paused and may stay active: ${why}`,
		'The next check, publish or unpublish tries again',
		named(names, maximum),
	]);
}

/**
 * Reason and remedy first, lists last.
 * @param step how the rest is done
 * @param isGoingOn whether it is being done: what is left is no failure yet
 */
function findingsOf(standings: Standings, step: string, isGoingOn = false): Finding[] {
	const { wish, problem, failure, heldBack, unpaused, store } = standings;
	const findings: Finding[] = [];
	if (problem) {
		findings.push({ words: wordsOf(problem), needs: 'person', gist: groupOf(problem) });
		// Because of it nothing was looked at.
		if (problem === failure) return findings;
	}
	const add = (
		companies: string[],
		words: string,
		needs: Finding['needs'] = 'person',
		names = calledIn(store, companies),
		room = MAXIMUM_NAMED,
	) => {
		const said = `${words}: ${named(names, room)}`;
		if (companies.length > 0) findings.push({ words: said, needs, gist: words + companies.join() });
	};
	add(
		heldBack?.companies ?? [],
		`Nobody was paused, because cells of the list look like company numbers that went wrong. Correct them. Or, if companies are not to be watched any more, unpublish the workflow and publish it again with the same list. The cells: ${describeUnreadable(heldBack?.cells ?? [])}. Not in the list any more`,
	);
	findings.push(...describeUndone(standings, step, isGoingOn));
	const doubled = standings.in('doubled');
	add(doubled, `${doubled.length} ${REMEDIES.doubled}`);
	const lost = standings.in('lost');
	add(lost, REMEDIES.lost, 'person', withWebhooks(standings, lost));
	add(standings.in('disputed'), REMEDIES.disputed);
	const again = [...store.madeAgain];
	add(again, REMEDIES.madeAgain, 'nothing', withWebhooks(standings, again), MAXIMUM_MADE_AGAIN);
	if (unpaused) {
		const words = describeUnpaused(store, unpaused, MAXIMUM_NAMED);
		findings.push({ words, needs: 'work', gist: `${unpaused.subscriptions.length} unpaused` });
	}
	const leftOut = difference(wish.unreadable, heldBack?.cells ?? []);
	if (leftOut.length > 0) {
		const words = `Left out, because there is no company number that can be read: ${describeUnreadable(leftOut)}`;
		findings.push({ words, needs: 'nothing', gist: '' });
	}
	return findings;
}

/** What is not set up, and why: refused companies by reason, those of the most companies first. */
function describeUndone(standings: Standings, step: string, isGoingOn: boolean): Finding[] {
	const { failure, wish, watched, store } = standings;
	const undone = wish.companies.length - watched - standings.in('doubled').length;
	if (undone === 0 && failure === undefined) return [];
	const pending = isGoingOn && failure === undefined ? standings.in('left').length : 0;
	const count = undone - pending;
	const isGivenUp = failure instanceof GivenUp;
	const cause = isGivenUp ? failure.cause : failure;
	const refused = filter(standings.all, { standing: 'refused' });
	const byReason = groupBy(refused, ({ reason }) => groupOf(reason));
	const groups = sortBy(Object.entries(byReason), ([, { length }]) => -length);
	// Refused one after the other: by chance these and no others.
	const isOfAccount = isGivenUp && refused.some(({ reason }) => reason === cause);
	const isLeftOut = wish.options.refusedCompanies === 'leaveOut';
	const choice = isLeftOut ? '' : ", or set 'Options' > 'Refused Companies' to 'Leave Out'";
	const remedy = isOfAccount
		? 'Its dashboard shows what the account allows'
		: `Correct these numbers or take them out${choice}`;
	const unnamed = sumBy(groups.slice(MAXIMUM_REASONS), ([, { length }]) => length);
	let room = MAXIMUM_NAMED;
	const words = sentences([
		count > 0 &&
			`${count === 1 ? '1 company' : `${count} companies`} could not be set up (${watched} of ${wish.companies.length} succeeded)`,
		isGivenUp && failure.message,
		!refused.some(({ reason }) => reason === cause) && wordsOf(cause),
		refused.length > 0 && remedy,
		...groups.slice(0, MAXIMUM_REASONS).map(([, group]) => {
			const names = named(calledIn(store, map(group, 'company')), room);
			room = Math.max(0, room - group.length);
			// Where it is all of them, their names say nothing.
			const isAll = group.length > 1 && group.length === wish.companies.length;
			return wordsOf(group[0].reason) + (isAll || isOfAccount ? '' : ` (${names})`);
		}),
		unnamed > 0 && `${unnamed} more for other reasons`,
		step,
	]);
	const why = failure === undefined ? '' : groupOf(cause);
	// Which companies were asked for before it was given up is chance.
	const asked = isGivenUp ? [] : groups.map(([of, group]) => of + map(group, 'company').join());
	return [
		{ words, needs: refused.length > 0 ? 'person' : 'work', gist: [why, ...asked].join('\n') },
	];
}

function countsOf({ problem, active, watched, wish }: Standings): string | false {
	if (problem) {
		const what = active === 1 ? 'company of before stays' : `${active} companies of before stay`;
		return active > 0 && `Nothing was changed: the ${what} watched`;
	}
	const others = active - watched;
	const before = others > 0 ? `, ${others} of them as they were before this change` : '';
	return `${active} of ${wish.companies.length} companies are watched${before}`;
}

function calledIn({ names }: Store, companies: string[]): string[] {
	return companies.map((company) => called(company, names));
}

/** With the webhooks that this trigger cannot verify, where the list has shown any: `wh_1 (10000002 Tessellate)`. */
function withWebhooks({ others, store }: Standings, companies: string[]): string[] {
	return companies.map((company) => {
		const [ids, name] = [others.get(company)?.join(', '), called(company, store.names)];
		return ids ? `${ids} (${name})` : name;
	});
}

/** Empty for what an aborted signal throws, which says nothing to a user. */
function wordsOf(reason: unknown = ''): string {
	if (reason instanceof DOMException) return '';
	const isOfService = reason instanceof RegistryFailure;
	return isOfService ? `${reason.message}. ${reason.description}` : messageOf(reason);
}

function sentences(parts: Array<string | false>): string {
	return compact(parts)
		.map((part) => `${part.replace(/[.:\s]+$/, '')}.`)
		.join(' ');
}
