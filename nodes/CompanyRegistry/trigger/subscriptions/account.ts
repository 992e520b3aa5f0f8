import { RegistryFailure } from '../../registry/failure';
import { updateWebhook, type Webhook } from '../../registry/webhooks';
import { addressOf } from '../identity/destination';
import type { Group } from '../memory/trigger';
import { isOfAnother } from './plan';
import type { Publication } from './publication';

/** With these the service says that a webhook is not this account's. */
const NOT_OURS = new Set([403, 404, 410]);

/**
 * Makes the group of this account and address the current one. Under a new key, a group is the same account's
 * if the service lists one of its webhooks, or else updates one.
 * @throws RegistryFailure where neither can be said: to create webhooks could double all
 */
export async function useAccount(
	publication: Publication,
	listed: ReadonlyMap<string, Webhook>,
): Promise<void> {
	const { memory, registry, wanted } = publication;
	const { account, baseUrl } = registry;
	const address = addressOf(wanted.url);
	const here = memory.groups.filter((group) => group.address === address);
	const own = here.filter((group) => group.account === account || isListedIn(group, listed));
	// Ids of another service may coincide.
	const ofService = here.filter((group) => group.account.startsWith(`${baseUrl}#`));
	for (const group of own.length === 0 ? ofService : []) {
		if (await isUpdatable(group, publication, listed)) own.push(group);
		if (own.length > 0) break;
	}
	const group = memory.groupOf(account, address);
	group.registry = registry;
	memory.use(group, own);
}

/** Whether an account's list proves that a group is its: an id that merely coincides is another company's. */
export function isListedIn(group: Group, listed: ReadonlyMap<string, Webhook>): boolean {
	return [...group.subscriptions.values()].some(
		(one) => listed.has(one.id) && !isOfAnother(one, listed.get(one.id)),
	);
}

/** Whether the service updates a webhook of the group, which is given no more than the wanted events. */
async function isUpdatable(
	{ subscriptions }: Group,
	{ registry, wanted: { events }, signal }: Publication,
	listed: ReadonlyMap<string, Webhook>,
): Promise<boolean> {
	// What is listed is another company's, or the group would have been recognised by it.
	const one = [...subscriptions.values()].find(({ id }) => !listed.has(id));
	if (one === undefined) return false;
	return await updateWebhook(registry, one.id, { events }, signal).then(
		(answer) => !isOfAnother(one, answer),
		(reason: unknown) => {
			if (reason instanceof RegistryFailure && NOT_OURS.has(reason.status ?? 0)) return false;
			throw reason;
		},
	);
}
