import type { IHookFunctions } from 'n8n-workflow';

import { messageOf, RegistryFailure } from '../../registry/failure';
import { CONCURRENT_REQUESTS, type Registry } from '../../registry/registry';
import { listWebhooks, updateWebhook } from '../../registry/webhooks';
import { concurrently } from '../../shared/concurrently';
import { waitUnlessAborted } from '../../shared/waitUnlessAborted';
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

/** What could not be paused, and why. */
interface Left {
	left: Subscription[];
	why: string;
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
			const active =
				(isCurrent && unwanted) || [...group.subscriptions.values()].filter(mayBeActive);
			// A former group of another address serves another n8n.
			if (active.length === 0 || (!isCurrent && group.address !== address)) continue;
			const { left, why } =
				group.address === address
					? await pauseIn(group, active, registries, signal)
					: {
							left: active,
							why: `They deliver to ${group.address}, and this n8n's address is ${address}. If n8n has moved, publish here: that asks about the address. Unpublish once it is published`,
						};
			if (signal.aborted) return;
			if (left.length > 0) logLeft(context, left, why);
		}
	});
}

/** Pauses as many of a group's subscriptions as the service lets it, until the signal is aborted. */
async function pauseIn(
	group: Group,
	active: Subscription[],
	registries: Registry[],
	signal: AbortSignal,
): Promise<Left> {
	return await findOwner(group, registries, signal).then(
		async (registry) => await pause(registry, group, active, signal),
		(reason: unknown) => ({ left: active, why: messageOf(reason) }),
	);
}

/**
 * The service as the group's account sees it.
 * @throws why none of those that are known here is
 */
async function findOwner(
	group: Group,
	registries: Registry[],
	signal: AbortSignal,
): Promise<Registry> {
	let reason: unknown = new Error("The node's credential cannot be used");
	// The latest comes first: where a key was replaced, the one before may be invalid.
	for (const registry of registries) {
		if (registry.account === group.account) return registry;
		const isOwner = await listWebhooks(registry, signal).then(
			({ webhooks }) => isListedIn(group, webhooks),
			(failure: unknown) => {
				reason = failure;
				return undefined;
			},
		);
		if (isOwner) return registry;
		if (isOwner === false) {
			reason = new Error(
				`They belong to another account than the node's credential at ${registry.baseUrl}`,
			);
		}
	}
	throw reason;
}

async function pause(
	registry: Registry,
	{ subscriptions }: Group,
	active: Subscription[],
	signal: AbortSignal,
): Promise<Left> {
	const left = new Set(active);
	let failuresInARow = 0;
	let why = '';
	await concurrently(active, CONCURRENT_REQUESTS, async (one) => {
		if (signal.aborted || failuresInARow >= GIVE_UP_AFTER) return;
		const failure = await updateWebhook(registry, one.id, { is_active: false }, signal).then(
			() => undefined,
			(reason: unknown) => (isGone(reason) && reason.isServiceError ? undefined : reason),
		);
		if (failure === undefined) {
			failuresInARow = 0;
			left.delete(one);
			const { url = '', events = [] } = one.confirmed ?? {};
			subscriptions.set(one.reference, { ...one, confirmed: { url, events, active: false } });
			return;
		}
		const isUnclear = failure instanceof RegistryFailure && failure.kind === 'unclear';
		if (isUnclear) subscriptions.set(one.reference, { ...one, confirmed: undefined });
		failuresInARow++;
		why = messageOf(failure);
	});
	return { left: [...left].map((one) => subscriptions.get(one.reference) ?? one), why };
}

function logLeft(context: IHookFunctions, left: Subscription[], why: string): void {
	const isCertain = left.every(({ confirmed }) => confirmed !== undefined);
	context.logger.warn(
		`Company Registry Trigger: webhooks of "${context.getNode().name}" could not be paused and ${isCertain ? 'stay' : 'may stay'} active: ${namesOf(left)}. ${why}. The next publish or unpublish of the workflow tries again.`,
	);
}
