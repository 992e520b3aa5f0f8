// What the service's list shows of known webhooks, and what others have changed.
import { difference, intersection } from 'lodash';

import type { WebhookList } from '../../registry/webhooks';
import type { DesiredState } from './desired';
import type { Findings } from './outcome';
import type { Requests } from './requests';
import { driftOf, hasOtherEvents, isOfAnother, lacksEvents, type Drift, type Plan } from './plan';
import { isConfirmed, isWatched, type Known, type Target } from '../records/subscription';

/** The service's list is an answer, too, where it shows all that is desired of a webhook. */
export function believeList(known: Known[], list: WebhookList, desired: Target): void {
	for (const one of known.filter(({ said }) => said === 'unsure')) {
		const listed = list.webhooks.get(one.id);
		if (listed === undefined || isOfAnother(one, listed)) continue;
		const asListed: Known = { ...one, said: 'active' };
		const drift = driftOf(asListed, list);
		const isUnchanged = drift === undefined || drift === 'events';
		// An additional event may have another name there, which proves nothing.
		const hasAll = difference(desired.events, listed.events).length === 0;
		if (isUnchanged && hasAll && isConfirmed(asListed, desired)) one.said = 'active';
	}
}

/** What drift is judged by. */
type Observed = Pick<Requests, 'list' | 'desired' | 'ledger'> & {
	kind: 'publish' | 'check' | 'unpublish';
};

/** Drift that the list shows is news at once, so that no later failure can lose it. */
export function noteDrifts(observed: Observed, plan: Plan, findings: Findings): void {
	const { list, desired, ledger } = observed;
	for (const one of plan.update) {
		const drift = plan.drift.get(one.company);
		if (drift === undefined) continue;
		const shown = list.webhooks.get(one.id)?.events ?? [];
		const losesEvents = drift !== 'events' || lacksChosen(one, desired.events, list);
		if (losesEvents) markDrift(observed, one, drift, ledger.lastGood);
		else if (hasOtherEvents(shown, desired.events, list)) findings.extended.push(one.company);
	}
}

/** The same of a trigger that this one replaces: it may not have checked since. */
export function noteDriftsOfReplaced({ list, ledger }: Observed, replaced: Known[]): void {
	for (const [one, drift] of lossesIn(replaced, list)) {
		ledger.noteDrift(one.company, drift, undefined);
	}
}

/** The same of webhooks that are no longer needed. */
export function noteUnneededDrifts(observed: Observed, unneeded: Known[]): void {
	for (const [one, drift] of lossesIn(unneeded, observed.list)) {
		noteUnneededDrift(observed, one, drift);
	}
}

/** Webhooks that someone has changed, so that events of the time before are missing. */
function lossesIn(known: Known[], list: WebhookList): Array<[one: Known, drift: Drift]> {
	return known.flatMap((one) => {
		const drift = driftOf(one, list);
		const losesEvents = drift !== 'events' || lacksChosen(one, one.target.events, list);
		return drift && losesEvents ? [[one, drift] as [Known, Drift]] : [];
	});
}

/** Whether the list shows a webhook without an event that it had, and that is still chosen. */
function lacksChosen({ id, target }: Known, events: string[], list: WebhookList): boolean {
	const shown = list.webhooks.get(id)?.events ?? [];
	return lacksEvents(shown, intersection(target.events, events), list);
}

/**
 * Records that someone else has changed a webhook, as the service has just shown. Our own pause is no news.
 * @param since when the service last showed it unchanged, in milliseconds since the epoch
 */
export function markDrift(
	{ ledger, desired }: Pick<Observed, 'ledger' | 'desired'>,
	one: Known,
	drift: Drift,
	since: number | undefined,
): void {
	// Of a webhook that is active as desired, only our own pause leaves this time.
	const isOwn = drift === 'paused' && one.silentSince !== undefined && isWatched(one, desired);
	if (!isOwn) {
		ledger.noteDrift(one.company, drift, since);
		// Stored, because a repair may succeed only after a restart.
		one.silentSince ??=
			ledger.companies.get(one.company)?.gap.from ?? ledger.lastGood ?? Date.now();
	}
	one.said = drift === 'events' ? 'unsure' : 'paused';
}

/** Someone else has changed what is paused now anyway: its events may be missing since the last good check. */
export function noteUnneededDrift({ kind, ledger }: Observed, one: Known, drift: Drift): void {
	const { lastGood: from } = ledger;
	if (from === undefined) return;

	const leftAt = one.silentSince ?? Date.now();
	const hasLeftSince = kind !== 'unpublish' && leftAt > from;
	if (hasLeftSince) {
		ledger.noteDrift(one.company, drift, from);
		ledger.noteGap(one.company, { from, to: leftAt });
	}
	one.silentSince = Math.min(leftAt, from);
}

/** A desired webhook that is active was not paused after all. */
export function forgetPauses(known: Known[], list: WebhookList, desired: DesiredState): void {
	const isDesired = new Set(desired.companies);
	for (const one of known) {
		const listed = list.webhooks.get(one.id);
		const isActive = isWatched({ ...one, said: 'active' }, desired) && listed?.is_active === true;
		const isWhole = isActive && !hasOtherEvents(listed.events, desired.events, list);
		if (isWhole && isDesired.has(one.company)) delete one.silentSince;
	}
}
