import { withReference } from './destination';
import type { TriggerIdentity, TriggerState } from './knownWebhooks';
import type { PlannableWebhook } from '../subscriptions/plan';
import { isMemoryOutdated, recallUsable } from './processMemory';

/**
 * All webhooks of an account that a trigger may use: from its stored state, and from the memory of
 * this process, which is the later word unless another process has published since.
 */
export function gatherKnown(
	identity: TriggerIdentity,
	state: TriggerState | undefined,
	account: string,
	wantedCompanies: string[],
): PlannableWebhook[] {
	const known = new Map<string, PlannableWebhook>();
	for (const webhook of storedWebhooks(state, account)) known.set(webhook.id, webhook);

	const outdated = isMemoryOutdated(state);
	for (const webhook of recallUsable(account, identity, wantedCompanies)) {
		if (!outdated) known.set(webhook.id, webhook);
		else if (!known.has(webhook.id)) known.set(webhook.id, { ...webhook, url: undefined });
	}
	return [...known.values()];
}

function storedWebhooks(state: TriggerState | undefined, account: string): PlannableWebhook[] {
	if (state === undefined) return [];
	if (state.account !== account) return state.otherAccounts[account] ?? [];
	return state.webhooks.map((webhook) =>
		state.published && webhook.status === 'watched'
			? { ...webhook, url: withReference(state.url, webhook.reference) }
			: webhook,
	);
}
