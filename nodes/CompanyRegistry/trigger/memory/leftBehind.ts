import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from './identity';
import {
	readState,
	removeState,
	storedTriggers,
	writeState,
	type TriggerState,
} from './savedState';
import { findMemory } from './triggers';
import { mayBeActive } from './webhookLines';

/** For how long a trigger that was deleted or switched off may come back as it was: 90 days. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * Forgets what other triggers have left in the workflow's static data and nobody needs any more. n8n
 * does not tell a node which others the workflow has. So one counts as deleted when it is unpublished and
 * was in no publish for 90 days; what could still be active at the service stays known even then.
 */
export function forgetLeftBehind(staticData: IDataObject, own: TriggerIdentity): void {
	for (const identity of storedTriggers(staticData)) {
		if (identity.node === own.node) continue;
		// A copied workflow carries the original's state, which it never reads.
		if (identity.workflow !== own.workflow) removeState(staticData, identity);
		else tidy(staticData, identity);
	}
}

function tidy(staticData: IDataObject, identity: TriggerIdentity): void {
	const stored = readState(staticData, identity);
	const memory = findMemory(identity);
	if (stored === undefined || stored.published || memory?.runner) return;
	// Webhooks are paused after n8n has saved: only this process knows that they are.
	const known = memory?.isLaterThan(stored.runId) ? memory.toState() : undefined;
	const state = { ...(known ?? stored), writtenAt: stored.writtenAt };
	// What an older version stored without its time is counted from now on.
	const isOld = Date.now() - (state.writtenAt ?? Date.now()) >= KEPT_MS;
	const left = isOld ? withoutPaused(state) : state;
	if (left === undefined) removeState(staticData, identity);
	else writeState(staticData, identity, left);
}

/** The state with no more than what could still be active; undefined when nothing could. */
function withoutPaused(state: TriggerState): TriggerState | undefined {
	const webhooks = state.webhooks.filter(mayBeActive);
	const setAside = Object.fromEntries(
		Object.entries(state.setAside).map(([key, group]) => [key, group.filter(mayBeActive)]),
	);
	const isEmpty = [webhooks, ...Object.values(setAside)].every((group) => group.length === 0);
	return isEmpty ? undefined : { ...state, leftOut: [], webhooks, setAside };
}
