import { dropOldest } from '../../shared/dropOldest';

/** Far more triggers, and kinds of things to happen to each, than one process has. */
const MAXIMUM_KEYS = 10_000;
const MAXIMUM_VERIFIED = 100_000;

const windows = new Map<string, { began: number; count: number }>();
/** Triggers, and references of webhooks, that have delivered something genuine since this process began. */
const verified = new Set<string>();
/** Deliveries of each trigger that were refused since one was verified. */
const refused = new Map<string, number>();

/**
 * Whether something may happen now that may so many times in so many milliseconds; true counts as its
 * happening. However many deliveries somebody sends, no more of them get that far.
 */
export function allow(key: string, times: number, ms: number): boolean {
	const now = Date.now();
	let window = windows.get(key);
	// A clock that was set back must not silence this for longer.
	if (window === undefined || now - window.began >= ms || now < window.began) {
		window = { began: now, count: 0 };
		windows.delete(key);
		windows.set(key, window);
		dropOldest(windows, MAXIMUM_KEYS);
	}
	return window.count++ < times;
}

/** Notes that a delivery was genuine. */
export function noteVerified(trigger: string, reference: string): void {
	refused.delete(trigger);
	verified.add(reference).add(trigger);
	dropOldest(verified, MAXIMUM_VERIFIED);
}

/** Notes that one was not, and tells how many of the trigger's were not since one was. */
export function noteRefused(trigger: string): number {
	const count = (refused.get(trigger) ?? 0) + 1;
	refused.set(trigger, count);
	dropOldest(refused, MAXIMUM_KEYS);
	return count;
}

/** Whether this trigger, or the webhook with this reference, has delivered something genuine. */
export function hasVerified(name: string): boolean {
	return verified.has(name);
}
