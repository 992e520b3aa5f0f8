// Times in which a trigger may have been without deliveries: they go into its ledger as they begin or end.
import { difference, intersection, isEqual, map, reject, sortBy, union } from 'lodash';

import { keptIn, type DesiredState } from '../lifecycle/desired';
import type { Facts } from '../records/facts';
import type { Outcome } from '../lifecycle/outcome';
import { TIMES } from '../lifecycle/schedule';
import { unpublishedBeside, watchedBeside, type TriggerMemory } from '../lifecycle/state';
import { isWatched, mayDeliver, type Known } from '../records/subscription';
import { acceptedCompanies } from '../parameters/watchlist';
import {
	NOT_PUBLISHED,
	NOT_RUNNING,
	NOT_SET_UP,
	NOT_VERIFIED,
	REFUSED,
	type Gap,
	type Ledger,
} from './ledger';
import { forCount } from './words';

/**
 * A later publish begins.
 * @param isFresh whether a person had unpublished the trigger: from then on, n8n has refused deliveries
 * @returns whether its companies may have been without deliveries until now
 */
export function noteInterruption(
	ledger: Ledger,
	memory: TriggerMemory,
	{ desired, isFresh }: { desired: DesiredState; isFresh: boolean },
	takenDownAt: number | undefined,
): boolean {
	const now = Date.now();
	loadWatched(ledger, memory);
	if (takenDownAt === undefined) return false;
	// A change takes the trigger down for a moment, and no webhook was paused before that.
	if (!isFresh && now - takenDownAt < TIMES.beforePausing) return false;

	// A node that was restored takes over from the one that had replaced it.
	const ends = endsBeside(memory);
	const endFor = (company: string) => Math.max(takenDownAt, ends.get(company) ?? takenDownAt);
	const isHandedOver = (end: number) => end > takenDownAt && now - end < TIMES.beforePausing;
	// While that one watched, no event was missing, although this one had paused its webhooks.
	for (const one of memory.known) {
		const end = endFor(one.company);
		if (end === takenDownAt || one.silentSince === undefined) continue;
		if (isHandedOver(end)) delete one.silentSince;
		else one.silentSince = end;
	}

	for (const company of ownCompanies(ledger, memory, desired)) {
		const from = endFor(company);
		if (!isHandedOver(from)) ledger.noteAnotherGap(company, { from, to: now }, NOT_PUBLISHED);
	}
	return true;
}

/** A first publish begins, perhaps of a node that replaces another one: it goes on from what that one has watched. */
export function noteReplaced(ledger: Ledger, memory: TriggerMemory): void {
	const replaced = replacedBy(memory);
	if (replaced === undefined) return;
	const watched = intersection(storedCompanies(replaced.facts), map(replaced.known, 'company'));
	ledger.watchedBefore = difference(watched, watchedBeside(memory));
}

/** A publish begins with companies that a trigger has watched which this one has replaced. */
export function noteTakenOver(ledger: Ledger, memory: TriggerMemory, desired: DesiredState): void {
	const now = Date.now();
	const own = map(memory.known, 'company');
	const ends = endsBeside(memory);

	for (const company of difference(desired.companies, own, watchedBeside(memory))) {
		const from = ends.get(company) ?? now;
		// A change takes a trigger down for a moment.
		if (now - from >= TIMES.beforePausing) ledger.noteGap(company, { from });
	}
}

/** The trigger that a first publish replaces; undefined where that is not clear. */
export function replacedBy(memory: TriggerMemory): TriggerMemory | undefined {
	// Of several that were taken down together, some may be published again in a moment.
	const [last, previous] = endedBeside(memory).reverse();
	const isAlone = !previous || endOf(last) - endOf(previous) >= TIMES.beforePausing;
	if (!last || !isAlone) return undefined;
	// Another one may have replaced it long ago.
	const isRecent = Date.now() - endOf(last) < TIMES.beforePausing;
	const both = intersection(map(last.known, 'company'), watchedBeside(memory));
	return isRecent || both.length === 0 ? last : undefined;
}

/** Until when those have watched each company. Of several, the latest one counts. */
function endsBeside(memory: TriggerMemory): Map<string, number> {
	const ends = endedBeside(memory).flatMap((one) => {
		const refusedSince = one.desired?.isUnverifiable ? one.facts.failingSince?.list : undefined;
		const end = Math.min(endOf(one), refusedSince ?? Infinity);
		return one.known.map(({ company, silentSince = Infinity }) => {
			return [company, Math.min(end, silentSince)] as const;
		});
	});
	return new Map(ends);
}

/** The triggers of the workflow that n8n has taken down, the latest one last. */
function endedBeside(memory: TriggerMemory): TriggerMemory[] {
	return sortBy(unpublishedBeside(memory), endOf);
}

function endOf({ facts }: TriggerMemory): number {
	return facts.takenDownAt ?? Date.now();
}

/** A publish has chosen events that were not chosen for a while: the companies that were watched may miss them. */
export function noteChosenAgain(
	ledger: Ledger,
	{ facts: { unchosen = {} } }: TriggerMemory,
	{ companies, events }: DesiredState,
): void {
	const again = intersection(events, Object.keys(unchosen));
	if (again.length === 0) return;

	const gap = { from: Math.min(...again.map((event) => unchosen[event])), to: Date.now() };
	const cause =
		`${again.join(' and ')} ${forCount(again.length, 'was', 'were')} not chosen` as const;
	for (const company of intersection(companies, ledger.watchedBefore)) {
		ledger.noteAnotherGap(company, gap, cause);
	}
}

/** Deliveries were refused, and the service may not send them again. */
export function noteMissedDeliveries(
	ledger: Ledger,
	{ known, record, desired }: TriggerMemory,
): void {
	const missed = record.takeMissed();
	if (missed.size === 0) return;
	// The pass may just have ended some of them.
	const own = new Set([...(desired?.companies ?? []), ...ledger.watchedBefore]);
	for (const { reference, company } of known) {
		const gap = missed.get(reference);
		if (gap && own.has(company)) ledger.noteAnotherGap(company, gap, REFUSED);
	}
}

/**
 * Settings for signatures cannot be read: until they are corrected, all deliveries are refused.
 * @param from when that began: a person has read it, unless it is now
 */
export function noteUnverifiable(
	ledger: Ledger,
	{ desired, existing }: Outcome,
	from: number,
	at: number,
): void {
	if (!desired.isUnverifiable) return;
	for (const company of existing) {
		const { gap } = ledger.companies.get(company) ?? {};
		const isOpen = gap !== undefined && gap.to === undefined;
		if (isOpen) continue;
		if (from === at) ledger.noteAnotherGap(company, { from }, NOT_VERIFIED);
		else ledger.noteOpenGap(company, from, [NOT_VERIFIED]);
	}
}

/** n8n starts. After a kill, only the time of its last store is known. */
export function noteDowntime(ledger: Ledger, memory: TriggerMemory, desired: DesiredState): void {
	const { takenDownAt, healthyAt } = memory.facts;
	const to = Date.now();
	ledger.healthyAt = healthyAt;
	const from = Math.min(takenDownAt ?? memory.stored.revision, to);
	const gap = { from, to, isDowntime: true, isKill: takenDownAt === undefined };

	loadWatched(ledger, memory);
	const byCompany = new Map(memory.known.map((one) => [one.company, one]));
	for (const company of ownCompanies(ledger, memory, desired)) {
		const one = byCompany.get(company);
		// Stored, because a person may decide about another address only after the next restart.
		if (one && one.target.url !== desired.url) one.silentSince ??= from;

		const wasSilent = one?.silentSince !== undefined && one.silentSince < from;
		if (!wasSilent) ledger.noteGap(company, gap, NOT_RUNNING);
		else noteEarlierGap(ledger, one, desired, gap);
	}
}

/** A gap that had begun before n8n ended goes on, or is over because n8n has its former address again. */
function noteEarlierGap(ledger: Ledger, one: Known, desired: DesiredState, downtime: Gap): void {
	const { company, silentSince: from } = one;
	if (from !== undefined && !mayDeliver(one, desired.url)) return ledger.noteOpenGap(company, from);
	if (!isWatched(one, desired)) {
		return ledger.noteGap(company, { from, to: downtime.to }, NOT_RUNNING);
	}
	ledger.noteGap(company, { from, to: downtime.to });
	delete one.silentSince;
}

/** Companies come back whose webhooks could not be paused: until now, their events were ignored. */
export function noteReturned(
	ledger: Ledger,
	memory: TriggerMemory,
	{ companies }: DesiredState,
): void {
	const before = new Set(memory.desired?.companies ?? storedCompanies(memory.facts));
	const isBack = new Set(companies.filter((company) => !before.has(company)));

	for (const one of memory.known) {
		const { company, said, silentSince } = one;
		// The answer to a resume ends the gap of a paused one.
		if (silentSince === undefined || said === 'paused' || !isBack.has(company)) continue;
		ledger.noteGap(company, { from: silentSince, to: Date.now() });
		// A pause without an answer may have been carried out.
		if (said === 'active') delete one.silentSince;
	}
}

/** Begins the gaps of companies whose webhooks do not have all chosen events yet. */
export function noteMissingEvents(
	ledger: Ledger,
	memory: TriggerMemory,
	{ companies, events }: DesiredState,
	at: number,
): void {
	const isDesired = new Set(companies);
	for (const one of memory.known) {
		const isMissing = difference(events, one.target.events).length > 0;
		if (!isDesired.has(one.company) || !isMissing) continue;
		ledger.noteGap(one.company, { from: at }, NOT_SET_UP);
		one.silentSince ??= ledger.companies.get(one.company)?.gap.from ?? at;
	}
}

/** Begins the gaps of companies that a person has read to be watched, and whose webhooks are gone. */
export function noteWithoutWebhook(
	ledger: Ledger,
	{ desired, existing }: Outcome,
	at: number,
): void {
	const isAlive = new Set(existing);
	for (const company of intersection(desired.companies, ledger.watchedBefore)) {
		if (isAlive.has(company) || ledger.companies.has(company)) continue;
		ledger.noteGap(company, { from: at });
	}
}

/** Ends the gaps of companies that are watched again without a request. */
export function endGaps(ledger: Ledger, { watched, desired }: Outcome, at: number): void {
	if (desired.isUnverifiable) return;
	for (const company of watched) {
		const { gap, drift, causes } = ledger.companies.get(company) ?? {};
		if (gap === undefined || gap.to !== undefined) continue;
		// The events that its webhook lacked are no longer chosen.
		if (!drift && isEqual(causes, [NOT_SET_UP])) ledger.companies.delete(company);
		else ledger.noteGap(company, { ...gap, to: at });
	}
}

/** A new process takes the stored list as reported by an earlier one, and not the list of a change. */
function loadWatched(ledger: Ledger, memory: TriggerMemory): void {
	const isNew = memory.desired === undefined && ledger.watchedBefore.length === 0;
	if (!isNew) return;
	// A company whose webhook may still be active has left unreported.
	const active = map(reject(memory.known, { said: 'paused' }), 'company');
	const companies = union(storedCompanies(memory.facts), active);
	ledger.watchedBefore = ownCompanies(ledger, memory, { companies });
}

/** The webhook of a company that was watched may be gone. */
function ownCompanies(
	ledger: Ledger,
	memory: TriggerMemory,
	{ companies }: Pick<DesiredState, 'companies'>,
): string[] {
	return intersection(companies, union(map(memory.known, 'company'), ledger.watchedBefore));
}

/** Companies of the last accepted list, and those that were kept beside it. */
function storedCompanies(facts: Facts): string[] {
	return [...acceptedCompanies(facts.list).companies, ...keptIn(facts).keys()];
}
