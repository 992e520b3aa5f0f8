import type { TriggerIdentity } from './identity';
import { TriggerMemory } from './triggerMemory';

/** Far more triggers than one process has. What is dropped of a published trigger is still stored. */
const MAXIMUM_TRIGGERS = 1000;
const MAXIMUM_WEBHOOKS = 100_000;

const triggers = new Map<string, TriggerMemory>();

/** What this process remembers of a trigger; made when there is nothing yet. */
export function memoryOf(identity: TriggerIdentity): TriggerMemory {
	const key = keyOf(identity);
	const memory = triggers.get(key) ?? new TriggerMemory();
	// Last in the order, so that what has not been used for longest is dropped first.
	triggers.delete(key);
	dropUnused();
	triggers.set(key, memory);
	return memory;
}

/** The same, or undefined when there is nothing. Constant work. */
export function findMemory(identity: TriggerIdentity): TriggerMemory | undefined {
	return triggers.get(keyOf(identity));
}

/**
 * Takes over webhooks that other triggers' test runs have left paused, so that testing many workflows
 * leaves one webhook for each company behind. A published trigger's webhooks are never taken: both
 * would store the same secret and, after a restart, take the webhook from each other.
 */
export function takePausedTestWebhooks(
	memory: TriggerMemory,
	account: string,
	companies: string[],
): void {
	const owned = new Set(memory.of(account).map(({ company }) => company));
	const missing = new Set(companies.filter((company) => !owned.has(company)));
	for (const [key, other] of triggers) {
		// One that is being changed may be about to resume what is still paused.
		if (other.runner !== undefined || !key.endsWith('/test')) continue;
		for (const webhook of other.webhooks.values()) {
			const isFree = webhook.status === 'paused' && webhook.account === account;
			if (!isFree || !missing.delete(webhook.company)) continue;
			other.webhooks.delete(webhook.reference);
			memory.note(webhook);
		}
	}
}

function keyOf({ workflow, node, kind }: TriggerIdentity): string {
	return `${workflow}/${node}/${kind}`;
}

function dropUnused(): void {
	let webhooks = 0;
	for (const memory of triggers.values()) webhooks += memory.webhooks.size;
	for (const [key, memory] of triggers) {
		if (triggers.size < MAXIMUM_TRIGGERS && webhooks <= MAXIMUM_WEBHOOKS) return;
		if (memory.runner !== undefined) continue;
		triggers.delete(key);
		webhooks -= memory.webhooks.size;
	}
}
