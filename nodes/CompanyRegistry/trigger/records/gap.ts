import { min } from 'lodash';

import { MINUTE } from '../../shared/durations';

const DRIFTS = ['paused', 'events', 'redirected', 'removed'] as const;

/** How a webhook differs from what the service last said of it. */
export type Drift = (typeof DRIFTS)[number];

/** `n8n`: n8n was not running. `unpublished`: the trigger was not. `unlisted`: the company was not on the list. */
export type Cause = 'n8n' | 'unpublished' | 'unlisted' | Drift;

/** A time in which events of a company may be missing, in milliseconds since the epoch. */
export interface Gap {
	/** Undefined where its beginning is not known. */
	from?: number;
	/** Undefined while it lasts. */
	to?: number;
	cause: Cause;
}

/** A record of a webhook. */
interface HasGap {
	gap?: Gap;
}

/** Shorter gaps are not told, unless someone changed the webhook. */
const BRIEF = 5 * MINUTE;

export function isDrift(cause: Cause): cause is Drift {
	return DRIFTS.some((drift) => drift === cause);
}

/** Begins a gap, or goes on with one that no report has told. A change by someone else is the cause that counts. */
export function beginGap(one: HasGap, cause: Cause, from: number | undefined): void {
	const before = one.gap;
	if (before === undefined) {
		one.gap = { from, cause };
		return;
	}
	const isStronger = isDrift(cause) && !isDrift(before.cause);
	// Only a change by someone else shows that deliveries arrived until then. After a kill, nothing else does.
	const isUnknown = before.from === undefined && !isDrift(cause);
	const earliest = isUnknown ? undefined : min([before.from, from]);
	one.gap = { from: earliest, cause: isStronger ? cause : before.cause };
}

/** Deliveries arrive again. @param at milliseconds since the epoch */
export function endGap(one: HasGap, at: number): void {
	const { gap } = one;
	if (gap === undefined || gap.to !== undefined) return;
	const isBrief = gap.from !== undefined && at - gap.from < BRIEF && !isDrift(gap.cause);
	if (isBrief) delete one.gap;
	else one.gap = { ...gap, to: at };
}
