import type { IHookFunctions } from 'n8n-workflow';

import { messageOf, RegistryFailure } from '../../registry/failure';
import { CONCURRENT_REQUESTS, type Registry } from '../../registry/registry';
import { listWebhooks, updateWebhook } from '../../registry/webhooks';
import { concurrently } from '../../shared/concurrently';
import { waitUnlessAborted } from '../../shared/waitUnlessAborted';
import { addressOf } from '../memory/destination';
import type { TriggerIdentity } from '../memory/identity';
import { readState } from '../memory/state';
import { mayBeActive, type Subscription } from '../memory/subscription';
import type { Group, Run, TriggerMemory } from '../memory/trigger';
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
	/** Milliseconds to wait before anything is done, in case that something else is wanted by then. */
	wait: number;
}

/**
 * Has all of the trigger's subscriptions at this n8n paused later on. Ids and secrets are kept for the
 * next publish. What cannot be paused is logged, and used or paused by the next publish.
 */
export function pauseLater({ context, identity, memory, registries, wait }: Pausing): void {
	const address = addressOf(context.getNodeWebhookUrl('default') ?? '');
	want(memory, 'pause', registries, async (run) => {
		await waitUnlessAborted(wait, run.signal);
		const stored = readState(context.getWorkflowStaticData('global'), identity);
		// An updated package is another module, with a memory of its own, and may have published meanwhile.
		if (run.signal.aborted || !memory.countsAgainst(stored)) return;
		const { current } = memory;
		if (current !== undefined && current.address !== address) {
			logStillActive(
				context,
				current,
				`They deliver to ${current.address}, and this n8n's address is ${address}. If n8n has moved, publish here: that asks about the address. Unpublish once it is published`,
			);
		}
		await pauseGroups(context, memory, run, address);
	});
}

/** Has what a publish does not want any more paused, after n8n was answered. */
export function pauseRest(
	context: IHookFunctions,
	memory: TriggerMemory,
	registries: Registry[],
	unwanted: Subscription[],
): void {
	const { current } = memory;
	const [registry] = registries;
	want(memory, 'rest', registries, async (run) => {
		if (current === undefined) return;
		await pause(context, registry, current, unwanted, run.signal);
		await pauseGroups(context, memory, run, current.address, current);
	});
}

/** Groups of another address serve another n8n. */
async function pauseGroups(
	context: IHookFunctions,
	memory: TriggerMemory,
	{ registries, signal }: Run,
	address: string,
	except?: Group,
): Promise<void> {
	for (const group of memory.groups) {
		const active = [...group.subscriptions.values()].filter(mayBeActive);
		if (group === except || group.address !== address || active.length === 0) continue;
		const registry = await findOwner(group, registries, signal).catch((reason: unknown) => {
			if (!signal.aborted) logStillActive(context, group, messageOf(reason));
		});
		if (signal.aborted) return;
		if (registry !== undefined) await pause(context, registry, group, active, signal);
	}
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
	const same = registries.find(({ account }) => account === group.account);
	let reason: unknown = new Error("The node's credential cannot be used");
	for (const registry of registries) {
		// The latest comes first: where a key was replaced, the one before may be invalid.
		if (registry === same) return registry;
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

/**
 * Pauses as many of these as the service lets it, until the signal is aborted. Never throws: each failure is
 * logged with id and company.
 */
async function pause(
	context: IHookFunctions,
	registry: Registry,
	{ subscriptions }: Group,
	unwanted: Subscription[],
	signal: AbortSignal,
): Promise<void> {
	const remaining = new Set(unwanted);
	let failuresInARow = 0;
	const givesUp = () => failuresInARow >= GIVE_UP_AFTER;
	await concurrently(unwanted, CONCURRENT_REQUESTS, async (one) => {
		if (signal.aborted || givesUp()) return;
		const failure = await updateWebhook(registry, one.id, { is_active: false }, signal).then(
			() => undefined,
			(reason: unknown) => (isGone(reason) && reason.isServiceError ? undefined : reason),
		);
		if (failure === undefined) {
			failuresInARow = 0;
			remaining.delete(one);
			const { url = '', events = [] } = one.confirmed ?? {};
			subscriptions.set(one.reference, { ...one, confirmed: { url, events, active: false } });
			return;
		}
		const isUnclear = failure instanceof RegistryFailure && failure.kind === 'unclear';
		if (isUnclear) subscriptions.set(one.reference, { ...one, confirmed: undefined });
		if (signal.aborted) return;
		failuresInARow++;
		context.logger.warn(
			`Company Registry Trigger: webhook ${one.id} of company ${one.company} could not be paused${isUnclear ? ' for certain and may stay active' : ''}: ${messageOf(failure)}`,
		);
	});
	if (givesUp()) {
		const left = [...remaining].map((one) => subscriptions.get(one.reference) ?? one);
		context.logger.warn(
			`Company Registry Trigger: ${left.length} webhooks ${stayActive(left)} until the workflow is published or unpublished again: ${namesOf(left)}`,
		);
	}
}

/** Logs that subscriptions stay active, with their ids and companies. */
function logStillActive(context: IHookFunctions, { subscriptions }: Group, why: string): void {
	const active = [...subscriptions.values()].filter(mayBeActive);
	if (active.length === 0) return;
	context.logger.warn(
		`Company Registry Trigger: webhooks of "${context.getNode().name}" could not be paused and ${stayActive(active)}: ${namesOf(active)}. ${why}`,
	);
}

function stayActive(active: Subscription[]): string {
	return active.some(({ confirmed }) => confirmed === undefined)
		? 'may stay active'
		: 'stay active';
}

/** Ids and companies, for the log. */
export function namesOf(subscriptions: Subscription[]): string {
	return subscriptions.map(({ id, company }) => `${id} (${company})`).join(', ');
}
