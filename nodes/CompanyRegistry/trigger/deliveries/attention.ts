import { dropOldest } from '../../shared/dropOldest';
import type { TriggerIdentity } from '../memory/identity';

const MINUTE_MS = 60_000;
/** Least time between two of a kind for one trigger, in milliseconds. */
const PAUSES = {
	/** Refused deliveries that are looked at closely, which costs more than refusing them. */
	look: MINUTE_MS,
	/** The same in a test, which ends with it: a person starts the next one. */
	testLook: 1000,
	/** Failed executions for deliveries of a webhook that is known. */
	failedExecution: 60 * MINUTE_MS,
	/** The same for a reference that is not: everybody who knows the address can send such. */
	failedExecutionOfUnknown: 60 * MINUTE_MS,
	/** Warnings that the latest publish never came to an end. */
	halfPublished: 60 * MINUTE_MS,
};
/** Triggers of one process that are remembered, far more than it has. */
const MAXIMUM_TRIGGERS = 10_000;
const MAXIMUM_WEBHOOKS = 100_000;

/** References of webhooks that have delivered something genuine since this process began. */
const verifiedWebhooks = new Set<string>();
/** The same for triggers. */
const verifiedTriggers = new Set<string>();
const latest = {
	look: new Map<string, number>(),
	testLook: new Map<string, number>(),
	failedExecution: new Map<string, number>(),
	failedExecutionOfUnknown: new Map<string, number>(),
	halfPublished: new Map<string, number>(),
};

/** Notes that a delivery was genuine: what is refused from now on is taken for forged. */
export function noteVerified(trigger: TriggerIdentity, reference: string): void {
	if (verifiedWebhooks.has(reference)) return;
	verifiedWebhooks.add(reference);
	dropOldest(verifiedWebhooks, MAXIMUM_WEBHOOKS);
	verifiedTriggers.add(nameOf(trigger));
	dropOldest(verifiedTriggers, MAXIMUM_TRIGGERS);
}

export function hasVerifiedWebhook(reference: string): boolean {
	return verifiedWebhooks.has(reference);
}

export function hasVerifiedAny(trigger: TriggerIdentity): boolean {
	return verifiedTriggers.has(nameOf(trigger));
}

/**
 * Whether this may happen for the trigger now; true counts as its happening. However many deliveries
 * somebody sends, one in each span of time gets that far.
 */
export function mayHappen(kind: keyof typeof PAUSES, trigger: TriggerIdentity): boolean {
	const name = nameOf(trigger);
	const times = latest[kind];
	const now = Date.now();
	const since = now - (times.get(name) ?? -Infinity);
	// A clock that was set back must not silence this for longer.
	if (since >= 0 && since < PAUSES[kind]) return false;
	times.delete(name);
	times.set(name, now);
	dropOldest(times, MAXIMUM_TRIGGERS);
	return true;
}

function nameOf({ workflow, node }: TriggerIdentity): string {
	return `${workflow}/${node}`;
}
