import { dropOldest } from '../../shared/dropOldest';

const MAXIMUM_VERIFIED = 100_000;
const MAXIMUM_IN_DOUBT = 10_000;

/** Triggers, and references of webhooks, that have delivered something genuine since this process began. */
const verified = new Set<string>();
/** How many deliveries of a webhook were refused since one was accepted, and when the first was. */
type Doubts = Map<string, { count: number; since: number }>;
const known: Doubts = new Map();
/** Apart, because anybody can make references up. */
const unknown: Doubts = new Map();

/** Notes that a delivery was accepted. */
export function noteVerified(trigger: string, reference: string): void {
	for (const doubts of [known, unknown]) doubts.delete(`${trigger} ${reference}`);
	verified.add(reference).add(trigger);
	dropOldest(verified, MAXIMUM_VERIFIED);
}

/** Notes that one was refused, and tells how many were since one was accepted, and for how many milliseconds. */
export function noteRefused(
	trigger: string,
	reference: string,
	isKnown: boolean,
): { count: number; ms: number } {
	const doubts = isKnown ? known : unknown;
	const name = `${trigger} ${reference}`;
	const now = Date.now();
	const { count, since } = doubts.get(name) ?? { count: 0, since: now };
	// As the newest, so that what goes on is not forgotten.
	doubts.delete(name);
	doubts.set(name, { count: count + 1, since });
	dropOldest(doubts, MAXIMUM_IN_DOUBT);
	return { count: count + 1, ms: now - since };
}

/** Whether this trigger, or the webhook with this reference, has delivered something genuine. */
export function hasVerified(name: string): boolean {
	return verified.has(name);
}
