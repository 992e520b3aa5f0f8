import { RegistryFailure } from '../../registry/failure';
import type { Registry } from '../../registry/registry';
import { updateWebhook, type Webhook } from '../../registry/webhooks';
import { addressOf } from '../identity/destination';
import type { Group, TriggerMemory } from '../memory/trigger';
import { isOfAnother, type Wanted } from './plan';

/** Of the webhooks that are not listed, as many are asked about. */
const MAXIMUM_ASKED = 3;
/** With these the service says that a webhook is not this account's. */
const NOT_OURS = new Set([403, 404, 410]);

/**
 * Makes the group of this account and address the current one. Under a new key, a group is the same
 * account's if the service lists one of its webhooks, or updates one of up to three.
 * @throws RegistryFailure where neither can be said: to create webhooks could double all
 */
export async function useAccount(
	memory: TriggerMemory,
	registry: Registry,
	wanted: Wanted,
	listed: ReadonlyMap<string, Webhook>,
	signal: AbortSignal,
): Promise<void> {
	const address = addressOf(wanted.url);
	const here = memory.groups.filter((group) => group.address === address);
	const own = here.filter(
		(group) => group.account === registry.account || isListedIn(group, listed),
	);
	if (own.length === 0) {
		// Ids of another service may coincide.
		const ofService = here.filter(({ account }) => account.startsWith(`${registry.baseUrl}#`));
		const proven = await findUpdatable(ofService, wanted, registry, listed, signal);
		if (proven !== undefined) own.push(proven);
	}
	const group = memory.groupOf(registry.account, address);
	group.registry = registry;
	memory.use(group, own);
}

/**
 * Whether one of a group's webhooks is in an account's list, which proves that all are of that account. What
 * form ids have is not known: one that merely coincides belongs to another company.
 */
export function isListedIn(group: Group, listed: ReadonlyMap<string, Webhook>): boolean {
	return [...group.subscriptions.values()].some(
		(one) => listed.has(one.id) && !isOfAnother(one, listed.get(one.id)),
	);
}

/** The group of which the service updates a webhook, which is given no more than the wanted events. */
async function findUpdatable(
	groups: Group[],
	{ events }: Wanted,
	registry: Registry,
	listed: ReadonlyMap<string, Webhook>,
	signal: AbortSignal,
): Promise<Group | undefined> {
	const known = groups.flatMap((group) =>
		[...group.subscriptions.values()].map(({ id, company }) => ({ group, id, company })),
	);
	// What is listed is another company's, or the group would have been recognised by it.
	const unlisted = known.filter(({ id }) => !listed.has(id));
	for (const { group, id, company } of unlisted.slice(0, MAXIMUM_ASKED)) {
		const isOurs = await updateWebhook(registry, id, { events }, signal).then(
			(answer) => !isOfAnother({ company }, answer),
			(reason: unknown) => {
				if (reason instanceof RegistryFailure && NOT_OURS.has(reason.status ?? 0)) return false;
				throw reason;
			},
		);
		if (isOurs) return group;
	}
	return undefined;
}
