import { intersection } from 'lodash';

import type { WebhookList } from '../../registry/webhooks';
import { beginGap, endGap, type Drift } from '../records/gap';
import { isConfirmed, type Known, type Target } from '../records/subscription';
import { driftOf, isOfAnother, lacksEvents, type Plan } from './plan';

/** The service's list is an answer, too: what a lost answer would have said may stand there. */
export function believeList(unsure: Known[], list: WebhookList, desired: Target): void {
	for (const one of unsure) {
		const listed = list.webhooks.get(one.id);
		if (listed === undefined || isOfAnother(one, listed)) continue;
		if (!listed.is_active) one.said = 'paused';
		else if (showsAll(one, list, desired)) markActive(one);
	}
}

/** An additional event may have another name in the list, which proves nothing. */
function showsAll(one: Known, list: WebhookList, desired: Target): boolean {
	const asListed: Known = { ...one, said: 'active' };
	const drift = driftOf(asListed, list);
	const shown = list.webhooks.get(one.id)?.events ?? [];
	const hasAll = intersection(desired.events, shown).length === desired.events.length;
	return (drift === undefined || drift === 'events') && hasAll && isConfirmed(asListed, desired);
}

/** The service shows it as it should be. */
export function markActive(one: Known): void {
	one.said = 'active';
	endGap(one, Date.now());
}

/**
 * Records what others have changed, as the list shows it. A webhook with more events than it should have loses none.
 * @param since when the service last showed all as desired, in milliseconds since the epoch
 */
export function recordDrifts(
	{ drift }: Pick<Plan, 'drift'>,
	list: WebhookList,
	{ events }: Target,
	since: number | undefined,
): void {
	for (const [one, how] of drift) {
		const shown = list.webhooks.get(one.id)?.events ?? [];
		const chosen = intersection(one.target.events, events);
		const losesEvents = how !== 'events' || lacksEvents(shown, chosen, list);
		if (losesEvents) recordDrift(one, how, since);
		else one.said = 'unsure';
	}
}

/** Someone else has changed a webhook. */
export function recordDrift(one: Known, drift: Drift, since: number | undefined): void {
	beginGap(one, drift, since);
	one.said = drift === 'events' ? 'unsure' : 'paused';
}
