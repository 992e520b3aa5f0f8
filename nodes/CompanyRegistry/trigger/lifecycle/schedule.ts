import { createHash } from 'crypto';

import type { RegistryFailure } from '../../registry/failure';
import { MINUTE } from '../../shared/durations';
import { CHECK_PERIODS, type CheckPeriod } from '../parameters/options';
import type { Facts } from '../records/facts';
import type { Outcome } from '../records/outcome';
import type { TriggerIdentity } from './identity';

/** n8n wakes the trigger once a minute: so early, a check counts as due. */
export const EARLY = MINUTE / 2;
const LONGEST_RETRY = 10 * MINUTE;

/** Passes that fail. Times are milliseconds since the epoch. */
export interface Retry {
	since: number;
	/** Before this, the service wants no request. */
	earliest: number;
}

/** How long the trigger waits, in milliseconds. Tests wait less. */
export const TIMES = {
	/** A publish has its answer after so long if a company is watched by then. */
	earlyAnswer: 10_000,
	/** Latest answer to a publish. */
	latestAnswer: 60_000,
	/** n8n gives a publish up after so long, all of its attempts counted. */
	allAttempts: 84_000,
	/** To publish a change, n8n first takes the previous version down, and it waits between two attempts. */
	beforePausing: 12_000,
	/** Between two attempts to pause after an unpublish. */
	pauseAgain: [10_000, 50_000, 180_000],
	/** An unpublish or the end of n8n waits so long for a pass that is under way. */
	stop: 5_000,
	/** The end of n8n waits so long for what its triggers store. */
	save: 250,
	/** A pass stores at the first success after this time. */
	store: 30_000,
	/** A failure that may pass is reported after so long. */
	beforeReport: 600_000,
};

/** When n8n wakes a trigger: each minute, at a second of its own. n8n's six fields. */
export function cronOf(node: string): `${number} * * * * *` {
	return `${numberOf(node, 60)} * * * * *`;
}

/** When the next check is due after a pass. Times are milliseconds since the epoch. */
export function checkAfter(
	{ desired, reading, failure }: Outcome,
	{ identity, facts }: { identity: TriggerIdentity; facts: Facts },
	at: number,
): number {
	const { check, list } = facts.failingSince ?? {};
	// Parameters are read at a publish only.
	const since = check ?? (desired.followsLink && reading.problem ? list : undefined);
	const { retryAfter = 0 } = (failure ?? {}) as Partial<RegistryFailure>;
	const retry = since === undefined ? undefined : { since, earliest: at + retryAfter };
	return nextCheck(identity.node, desired.options.checkEvery, at, retry);
}

/**
 * When the next check is due, at a minute of the trigger's own. Where passes fail: 1, 2, 4, 8, 10, 10 … minutes, never
 * before `retry.earliest`. Times are milliseconds since the epoch.
 */
export function nextCheck(node: string, every: CheckPeriod, at: number, retry?: Retry): number {
	const { minutes } = CHECK_PERIODS[every];
	const period = minutes * MINUTE;
	const offset = numberOf(node, minutes) * MINUTE;
	const regular = Math.floor((at + EARLY - offset) / period) * period + offset + period;
	if (retry === undefined) return regular;

	const { since, earliest } = retry;
	const again = at + Math.min(MINUTE + Math.max(at - since, 0), LONGEST_RETRY);
	return Math.max(Math.min(regular, again), earliest);
}

export function isDue(dueAt: number, at: number): boolean {
	return at >= dueAt - EARLY;
}

/** The same for the same node, so that many triggers do not check at once. */
function numberOf(node: string, below: number): number {
	return createHash('sha256').update(node).digest().readUInt32BE(0) % below;
}
