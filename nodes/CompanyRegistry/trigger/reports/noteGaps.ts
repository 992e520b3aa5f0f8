// Times in which a trigger may have been without deliveries: they go into its ledger as they begin or end.
import { difference, intersection, keyBy, map, reject, union } from 'lodash';

import { keptIn, type DesiredState } from '../lifecycle/desired';
import type { Facts } from '../lifecycle/facts';
import type { Outcome } from '../lifecycle/outcome';
import { TIMES } from '../lifecycle/schedule';
import type { TriggerMemory } from '../lifecycle/state';
import { isWatched, type Known } from '../lifecycle/subscription';
import { acceptedCompanies } from '../parameters/watchlist';
import type { Ledger } from './ledger';

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

	for (const company of ownCompanies(ledger, memory, desired)) {
		ledger.noteInterruption(company, { from: takenDownAt, to: now });
	}
	return true;
}

/** n8n starts. After a kill, only the time of its last store is known. */
export function noteDowntime(ledger: Ledger, memory: TriggerMemory, desired: DesiredState): void {
	const { takenDownAt } = memory.facts;
	const to = Date.now();
	const from = Math.min(takenDownAt ?? memory.stored.revision, to);
	const gap = { from, to, isDowntime: true, isKill: takenDownAt === undefined };

	loadWatched(ledger, memory);
	const byCompany = keyBy(memory.known, 'company');
	for (const company of ownCompanies(ledger, memory, desired)) {
		const one = byCompany[company] as Known | undefined;
		const since = one?.silentSince ?? Infinity;
		if (one && since < from && isSilent(one, desired)) ledger.noteOpenGap(company, since);
		else if (one && since < from && isWatched(one, desired)) {
			// n8n has its former address again.
			ledger.noteGap(company, { from: since, to });
			delete one.silentSince;
		} else ledger.noteGap(company, gap);

		// Stored, because a person may decide only after a restart.
		if (one && one.target.url !== desired.url) one.silentSince ??= from;
	}
}

/** An active webhook that delivers here has delivered the previous events until n8n ended. */
function isSilent({ said, target }: Known, { url }: DesiredState): boolean {
	return said !== 'active' || target.url !== url;
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
		ledger.noteGap(one.company, { from: at });
		one.silentSince ??= at;
	}
}

/** n8n ends while webhooks are given the chosen events: the next process ends the gaps of those that it was too late for. */
export function noteUnsentEvents({ known, desired }: TriggerMemory, at: number): void {
	const isDesired = new Set(desired?.companies);
	for (const one of known) {
		const isMissing = difference(desired?.events, one.target.events).length > 0;
		if (isMissing && isDesired.has(one.company)) one.silentSince ??= at;
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

/** Ends the gaps of companies that are watched again without a request: the missing events are no longer chosen. */
export function endGaps(ledger: Ledger, { watched }: Outcome, at: number): void {
	for (const company of watched) {
		const { gap } = ledger.companies.get(company) ?? {};
		if (gap && gap.to === undefined) ledger.noteGap(company, { ...gap, to: at });
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
