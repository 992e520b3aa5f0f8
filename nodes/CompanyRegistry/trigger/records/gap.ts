import { min } from 'lodash';

import { MINUTE } from '../../shared/durations';

/**
 * `changed`: someone else, or the service itself, changed the webhook. `n8n`: n8n was not running. `unpublished`: the
 * trigger was not. `unlisted`: the company was not on the list.
 */
export type Cause = 'changed' | 'n8n' | 'unpublished' | 'unlisted';

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

/** Shorter gaps are not reported, unless someone changed the webhook. */
const BRIEF = 5 * MINUTE;

/** Begins a gap, or goes on with one that no report has named. A change by someone else is the cause that counts. */
export function beginGap(one: HasGap, cause: Cause, from: number | undefined): void {
	const before = one.gap;
	if (before === undefined) {
		one.gap = { from, cause };
		return;
	}
	const isChanged = cause === 'changed';
	// Only a change by someone else shows that deliveries arrived until then. After a kill, nothing else does.
	const isUnknown = before.from === undefined && !isChanged;
	const earliest = isUnknown ? undefined : min([before.from, from]);
	one.gap = { from: earliest, cause: isChanged ? cause : before.cause };
}

/** Deliveries arrive again. @param at milliseconds since the epoch */
export function endGap(one: HasGap, at: number): void {
	const { gap } = one;
	if (gap === undefined || gap.to !== undefined) return;
	const isBrief = gap.from !== undefined && at - gap.from < BRIEF && gap.cause !== 'changed';
	if (isBrief) delete one.gap;
	else one.gap = { ...gap, to: at };
}
