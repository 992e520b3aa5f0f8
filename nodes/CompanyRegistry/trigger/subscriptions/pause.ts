import type { IHookFunctions } from 'n8n-workflow';

import { messageOf, RegistryFailure } from '../../registry/failure';
import { CONCURRENT_REQUESTS, type Registry } from '../../registry/registry';
import { listWebhooks, updateWebhook } from '../../registry/webhooks';
import { concurrently } from '../../shared/concurrently';
import { waitUnlessAborted } from '../../shared/waitUnlessAborted';
import { warn } from '../../shared/warn';
import { addressOf } from '../memory/destination';
import { readState, type TriggerIdentity } from '../memory/state';
import { mayBeActive, namesOf, type Subscription } from '../memory/subscription';
import type { Group, TriggerMemory } from '../memory/trigger';
import { isListedIn } from './account';
import { isGone } from './errors';
import { want } from './runner';

/** After so many failures in a row, assume that the service refuses all. */
const GIVE_UP_AFTER = 5;

export interface Pausing {
	context: IHookFunctions;
	identity: TriggerIdentity;
	memory: TriggerMemory;
	/** The service as the node's credential shows it; none if that cannot be used. */
	registries: Registry[];
	/** Of the current group; all that may be active if nothing is published. */
	unwanted?: Subscription[];
	/** Milliseconds to wait before anything is done, in case that something else is wanted by then. */
	wait: number;
}

/**
 * Has what is not wanted at this n8n paused later on. Ids and secrets are kept for the next publish. What
 * cannot be paused is logged, and used or paused by the next publish.
 */
export function pauseLater(pausing: Pausing): void {
	const { context, identity, memory, unwanted, wait } = pausing;
	const address = addressOf(context.getNodeWebhookUrl('default') ?? '');
	want(memory, unwanted ? 'rest' : 'pause', pausing.registries, async ({ registries, signal }) => {
		await waitUnlessAborted(wait, signal);
		const stored = readState(context.getWorkflowStaticData('global'), identity);
		// An updated package is another module, with a memory of its own, and may have published meanwhile.
		if (signal.aborted || !memory.countsAgainst(stored)) return;
		for (const group of memory.groups) {
			const isCurrent = group === memory.current;
			const left = new Set(
				(isCurrent && unwanted) || [...group.subscriptions.values()].filter(mayBeActive),
			);
			// A former group of another address serves another n8n.
			if (left.size === 0 || (!isCurrent && group.address !== address)) continue;
			const why = await findOwner(group, address, registries, signal).then(
				async (registry) => await pause(registry, group, left, signal),
				messageOf,
			);
			if (signal.aborted) return;
			if (left.size > 0) logLeft(context, group, [...left], why);
		}
	});
}

/**
 * The service as the group's account sees it.
 * @throws why nothing of the group can be paused
 */
async function findOwner(
	group: Group,
	address: string,
	registries: Registry[],
	signal: AbortSignal,
): Promise<Registry> {
	if (group.address !== address) {
		throw new Error(
			`They deliver to ${group.address}, and this n8n's address is ${address}. If n8n has moved, publish here: that asks about the address. Unpublish once it is published`,
		);
	}
	let why = "The node's credential cannot be used";
	// The latest comes first: where a key was replaced, the one before may be invalid.
	for (const registry of registries) {
		if (registry.account === group.account) return registry;
		try {
			const { webhooks } = await listWebhooks(registry, signal);
			if (isListedIn(group, webhooks)) return registry;
			why = `They belong to another account than the node's credential at ${registry.baseUrl}`;
		} catch (failure) {
			why = messageOf(failure);
		}
	}
	throw new Error(why);
}

/**
 * Pauses as many as the service lets it, until the signal is aborted, and takes them out of what is left.
 * @returns why the latest that failed did
 */
async function pause(
	registry: Registry,
	{ subscriptions }: Group,
	left: Set<Subscription>,
	signal: AbortSignal,
): Promise<string> {
	let failuresInARow = 0;
	let why = '';
	await concurrently([...left], CONCURRENT_REQUESTS, async (one) => {
		if (signal.aborted || failuresInARow >= GIVE_UP_AFTER) return;
		const failure = await updateWebhook(registry, one.id, { is_active: false }, signal).then(
			() => undefined,
			(reason: unknown) => (isGone(reason) && reason.isServiceError ? undefined : reason),
		);
		if (failure === undefined) {
			failuresInARow = 0;
			left.delete(one);
			subscriptions.set(one.reference, { ...one, confirmed: 'paused' });
			return;
		}
		const isUnclear = failure instanceof RegistryFailure && failure.kind === 'unclear';
		if (isUnclear) subscriptions.set(one.reference, { ...one, confirmed: undefined });
		failuresInARow++;
		why = messageOf(failure);
	});
	return why;
}

function logLeft(
	context: IHookFunctions,
	{ subscriptions }: Group,
	left: Subscription[],
	why: string,
): void {
	const isCertain = left.every(({ reference }) => subscriptions.get(reference)?.confirmed);
	warn(
		context,
		`its webhooks could not be paused and ${isCertain ? 'stay' : 'may stay'} active: ${namesOf(left)}. ${why}. The next publish or unpublish of the workflow tries again.`,
	);
}
