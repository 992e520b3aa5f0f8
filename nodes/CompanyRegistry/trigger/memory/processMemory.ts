import { dropOldest } from '../../shared/dropOldest';
import type { TriggerIdentity, TriggerState } from './knownWebhooks';
import type { PlannableWebhook } from '../subscriptions/plan';

/**
 * What this process knows of a webhook that it created or changed. Serves where n8n throws static
 * data away: test runs, and activations that fail.
 */
export interface RememberedWebhook extends PlannableWebhook {
	account: string;
	/** The trigger that it delivers to. */
	owner: string;
	kind: TriggerIdentity['kind'];
	events: string[];
}

/** Far more than one process publishes; a webhook that falls out is still in static data. */
const MAXIMUM_REMEMBERED = 100_000;

const remembered = new Map<string, RememberedWebhook>();

/** Names a trigger and the kind of its destination within this process. */
export function ownerOf({ workflow, node, kind }: TriggerIdentity): string {
	return `${workflow}/${node}/${kind}`;
}

/** Remembers a webhook, or what has changed about it. */
export function remember(webhook: RememberedWebhook): void {
	remembered.delete(webhook.reference);
	remembered.set(webhook.reference, webhook);
	dropOldest(remembered, MAXIMUM_REMEMBERED);
}

/** What the trigger has at other accounts is not watched any more, whatever it still delivers. */
export function leaveOtherAccounts(account: string, identity: TriggerIdentity): void {
	const owner = ownerOf(identity);
	for (const webhook of remembered.values()) {
		const isLeft =
			webhook.owner === owner && webhook.account !== account && webhook.status === 'watched';
		if (isLeft) remembered.set(webhook.reference, { ...webhook, status: 'unpaused' });
	}
}

export function forget(reference: string): void {
	remembered.delete(reference);
}

/** The webhook with this reference, if it belongs to this trigger. Constant work. */
export function recall(
	reference: string,
	identity: TriggerIdentity,
): RememberedWebhook | undefined {
	const webhook = remembered.get(reference);
	return webhook?.owner === ownerOf(identity) ? webhook : undefined;
}

/**
 * The webhooks of an account that this trigger may use: its own, and for test runs those of the
 * wanted companies that no other listening test holds, so that testing many workflows leaves one
 * webhook per company behind. A production webhook is never another trigger's to take: both would
 * store the same secret and, after a restart, take the webhook from each other.
 */
export function recallUsable(
	account: string,
	identity: TriggerIdentity,
	companies: string[],
): RememberedWebhook[] {
	const owner = ownerOf(identity);
	const wanted = new Set(companies);
	return [...remembered.values()].filter(
		(webhook) =>
			webhook.account === account &&
			(webhook.owner === owner ||
				(identity.kind === 'test' &&
					webhook.kind === 'test' &&
					webhook.status === 'paused' &&
					wanted.has(webhook.company))),
	);
}

/** Triggers whose last written state is remembered. */
const MAXIMUM_STATES = 10_000;
const states = new Map<string, TriggerState>();

/** Runs that the memory takes account of: this process's own, and those that they went on from. */
const MAXIMUM_RUNS = 10_000;
const knownRuns = new Set<string>();

/** Remembers the state that a life-cycle run of this process wrote last, and the one it went on from. */
export function rememberState(
	identity: TriggerIdentity,
	state: TriggerState,
	before: TriggerState | undefined,
): void {
	const owner = ownerOf(identity);
	states.delete(owner);
	states.set(owner, state);
	dropOldest(states, MAXIMUM_STATES);
	if (before) knownRuns.add(before.run);
	knownRuns.add(state.run);
	dropOldest(knownRuns, MAXIMUM_RUNS);
}

export function recallState(identity: TriggerIdentity): TriggerState | undefined {
	return states.get(ownerOf(identity));
}

/**
 * Whether the stored state was written by another process and this one has not gone on from it yet:
 * then what is remembered here of destinations and states is old, and the stored state is the later word.
 */
export function isMemoryOutdated(stored: TriggerState | undefined): stored is TriggerState {
	return stored !== undefined && !knownRuns.has(stored.run);
}

/** The later one of the stored and the remembered state. */
export function currentState(
	identity: TriggerIdentity,
	stored: TriggerState | undefined,
): TriggerState | undefined {
	return isMemoryOutdated(stored) ? stored : (recallState(identity) ?? stored);
}
