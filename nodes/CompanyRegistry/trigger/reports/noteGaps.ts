// Times in which a trigger may have been without deliveries: they go into its ledger as they begin or end.
import { difference, intersection, map, reject, sortBy, union } from 'lodash';

import { keptIn, type DesiredState } from '../lifecycle/desired';
import type { Facts } from '../lifecycle/facts';
import type { Outcome } from '../lifecycle/outcome';
import { TIMES } from '../lifecycle/schedule';
import { unpublishedBeside, watchedBeside, type TriggerMemory } from '../lifecycle/state';
import { isWatched, mayDeliver, type Known } from '../lifecycle/subscription';
import { acceptedCompanies } from '../parameters/watchlist';
import type { Gap, Ledger } from './ledger';
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

	for (const company of ownCompanies(ledger, memory, desired)) {
		ledger.noteAnotherGap(company, { from: takenDownAt, to: now });
	}
	return true;
}

/** A first publish begins, perhaps of a node that replaces another one: it goes on from what that one has watched. */
export function noteReplaced(ledger: Ledger, memory: TriggerMemory, desired: DesiredState): void {
	const now = Date.now();
	const beside = watchedBeside(memory);

	// Of several, the latest one counts.
	const ends = new Map(
		endedBeside(memory).flatMap((one) =>
			one.known.map(({ company }) => [company, endOf(one)] as const),
		),
	);
	for (const company of difference(desired.companies, beside)) {
		const from = ends.get(company) ?? now;
		// A change takes a trigger down for a moment.
		if (now - from >= TIMES.beforePausing) ledger.noteGap(company, { from });
	}

	const replaced = replacedBy(memory);
	if (replaced === undefined) return;
	const watched = intersection(storedCompanies(replaced.facts), map(replaced.known, 'company'));
	ledger.watchedBefore = difference(watched, beside);
	noteRefusals(ledger, replaced, desired);
}

/** The events that a replaced trigger has watched. */
export function eventsReplaced(memory: TriggerMemory): string[] {
	return replacedBy(memory)?.desired?.events ?? [];
}

/** The trigger that a first publish replaces; undefined where that is not clear. */
function replacedBy(memory: TriggerMemory): TriggerMemory | undefined {
	// Of several that were taken down together, some may be published again in a moment.
	const [last, previous] = endedBeside(memory).reverse();
	const isAlone = !previous || endOf(last) - endOf(previous) >= TIMES.beforePausing;
	return isAlone ? last : undefined;
}

/** The triggers of the workflow that n8n has taken down, the latest one last. */
function endedBeside(memory: TriggerMemory): TriggerMemory[] {
	return sortBy(unpublishedBeside(memory), endOf);
}

function endOf({ facts }: TriggerMemory): number {
	return facts.takenDownAt ?? Date.now();
}

/** A publish chooses events that were not chosen for a while. */
export function noteChosenAgain(
	ledger: Ledger,
	memory: TriggerMemory,
	desired: DesiredState,
): void {
	const { unchosen = {} } = memory.facts;
	const events = intersection(desired.events, Object.keys(unchosen));
	if (events.length === 0) return;

	const from = Math.min(...events.map((event) => unchosen[event]));
	const cause = `${events.join(' and ')} ${forCount(events.length, 'was', 'were')} not chosen`;
	for (const company of ownCompanies(ledger, memory, desired)) {
		ledger.noteAnotherGap(company, { from, to: Date.now() }, cause);
	}
}

/** A publish may correct why deliveries were refused. The service may not send these again. */
export function noteRefusals(
	ledger: Ledger,
	{ known, record }: TriggerMemory,
	{ companies }: DesiredState,
): void {
	const refused = record.takeRefusals(map(known, 'reference'));
	const isDesired = new Set(companies);
	const now = Date.now();

	for (const { reference, company } of known) {
		const since = refused.get(reference);
		if (since === undefined || !isDesired.has(company)) continue;
		const from = now - (performance.now() - since);
		ledger.noteAnotherGap(company, { from, to: now }, 'deliveries were refused');
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
		if (!wasSilent) ledger.noteGap(company, gap);
		else noteEarlierGap(ledger, one, desired, gap);
	}
}

/** A gap that had begun before n8n ended goes on, or is over because n8n has its former address again. */
function noteEarlierGap(ledger: Ledger, one: Known, desired: DesiredState, downtime: Gap): void {
	const { company, silentSince: from } = one;
	if (from !== undefined && !mayDeliver(one, desired.url)) return ledger.noteOpenGap(company, from);
	if (!isWatched(one, desired)) return ledger.noteGap(company, downtime);

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
		ledger.noteGap(one.company, { from: at });
		one.silentSince ??= at;
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
