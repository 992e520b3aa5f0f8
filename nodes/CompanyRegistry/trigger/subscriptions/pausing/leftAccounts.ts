import type { IHookFunctions } from 'n8n-workflow';

import type { Registry } from '../../../registry/registry';
import type { TriggerMemory } from '../../memory/triggerMemory';
import { mayBeActive } from '../../memory/webhookLines';
import { pauseWebhooks, type Superseded } from './pauseWebhooks';
import { Goal } from '../reconciler';

/**
 * A changed node may use another account than before, whose webhooks have to be paused there. So the
 * service as the goal before sees it is kept, for as long as that may be needed.
 *
 * @param registry the service as the node's credential sees it now
 * @returns the service to pause with: where that credential cannot be used, the one before
 */
export function keepAccountBefore(
	memory: TriggerMemory,
	registry: Promise<Registry>,
): Promise<Registry> {
	const before = memory.wanted instanceof Goal ? memory.wanted.registry : undefined;
	if (before === undefined) return registry;
	before.then(
		(left) => memory.leftAccounts.set(left.account, left),
		() => undefined,
	);
	return registry.catch(async () => await before);
}

/** Whether webhooks may be active at an account that the trigger has left. */
export function isAnythingLeft(memory: TriggerMemory): boolean {
	const accounts = [...memory.leftAccounts.keys()].filter((account) => account !== memory.account);
	return accounts.some((account) => memory.of(account).some(mayBeActive));
}

/** Pauses what the trigger has left behind at accounts that it used before. */
export async function pauseLeftAccounts(
	context: IHookFunctions,
	memory: TriggerMemory,
	inUse: Registry,
	goal: Superseded,
): Promise<void> {
	for (const [account, registry] of memory.leftAccounts) {
		if (goal.isSuperseded) return;
		const active = () => memory.of(account).filter(mayBeActive);
		if (account !== memory.account) {
			registry.waitAgain();
			await pauseWebhooks(context, registry, active(), goal, (webhook) => memory.note(webhook));
		}
		const isLeft = account !== inUse.account && active().length > 0;
		if (!isLeft) memory.leftAccounts.delete(account);
	}
}
