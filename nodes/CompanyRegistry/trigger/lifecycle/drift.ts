// What the service's list shows of known webhooks, and what others have changed.
import { reject } from 'lodash';

import type { WebhookList } from '../../registry/webhooks';
import type { Ledger } from '../reports/ledger';
import type { DesiredState } from './desired';
import type { Findings } from './outcome';
import { driftOf, hasOtherEvents, isOfAnother, lacksEvents, type Drift, type Plan } from './plan';
import { isConfirmed, type Known, type Target } from './subscription';

/** A change without an answer was not carried out where the list shows a webhook as desired. */
export function believeList(known: Known[], list: WebhookList, desired: Target): void {
	for (const one of known.filter(({ said }) => said === 'unsure')) {
		const listed = list.webhooks.get(one.id);
		if (listed === undefined || isOfAnother(one, listed)) continue;
		const asListed: Known = { ...one, said: 'active' };
		const isAsDesired = isConfirmed(asListed, desired) && driftOf(asListed, list) === undefined;
		if (isAsDesired) one.said = 'active';
	}
}

interface Circumstances {
	kind: 'publish' | 'check' | 'unpublish';
	ledger: Ledger;
}

interface Notes extends Circumstances {
	findings: Findings;
	/** Whether the list may not know our last change of a webhook yet. */
	isRecent: (one: Known) => boolean;
}

/** Drift that the list shows is news at once, so that no later failure can lose it. */
export function noteDrifts(plan: Plan, list: WebhookList, notes: Notes): void {
	const { ledger, findings, isRecent } = notes;
	for (const one of plan.update) {
		const drift = plan.drift.get(one.company);
		if (drift === undefined) continue;
		if (isOnlyExtended(one, list, drift)) findings.extended.push(one.company);
		else markDrift(ledger, one, drift, ledger.lastGood);
	}

	for (const one of reject(plan.pause, isRecent)) {
		const drift = driftOf(one, list);
		if (drift && !isOnlyExtended(one, list, drift)) noteUnneededDrift(notes, one, drift);
	}
}

/** Whether someone has only added events: none of its own can be missing. */
function isOnlyExtended({ id, target }: Known, list: WebhookList, drift: Drift): boolean {
	const shown = list.webhooks.get(id)?.events ?? [];
	return drift === 'events' && !lacksEvents(shown, target.events, list);
}

/**
 * Records that someone else has changed a webhook, as the service has just shown. Our own pause is no news.
 * @param since when the service last showed it unchanged, in milliseconds since the epoch
 */
export function markDrift(
	ledger: Ledger,
	one: Known,
	drift: Drift,
	since: number | undefined,
): void {
	// Of an active webhook, only our own pause leaves this time.
	const isOwn = drift === 'paused' && one.silentSince !== undefined;
	if (!isOwn) {
		ledger.noteDrift(one.company, drift, since);
		// Stored, because a repair may succeed only after a restart.
		one.silentSince ??= ledger.companies.get(one.company)?.gap.from ?? ledger.lastGood;
	}
	one.said = drift === 'events' ? 'unsure' : 'paused';
}

/** Someone else has changed what is paused now anyway: its events may be missing since the last good check. */
export function noteUnneededDrift({ kind, ledger }: Circumstances, one: Known, drift: Drift): void {
	const { lastGood: from } = ledger;
	if (from === undefined) return;

	const leftAt = one.silentSince ?? Date.now();
	const hasLeftSince = kind !== 'unpublish' && leftAt >= from;
	if (hasLeftSince) {
		ledger.noteDrift(one.company, drift, from);
		ledger.noteGap(one.company, { from, to: leftAt });
	}
	one.silentSince = Math.min(leftAt, from);
}

/** A desired webhook that is active was not paused after all. */
export function forgetPauses(
	known: Known[],
	list: WebhookList,
	{ companies, events }: DesiredState,
): void {
	const isDesired = new Set(companies);
	for (const one of known) {
		const listed = list.webhooks.get(one.id);
		const isActive = one.said !== 'paused' && listed?.is_active === true;
		const isWhole = isActive && !hasOtherEvents(listed.events, events, list);
		if (isWhole && isDesired.has(one.company)) delete one.silentSince;
	}
}
