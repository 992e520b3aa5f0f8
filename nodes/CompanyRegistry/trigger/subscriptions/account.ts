import { RegistryFailure } from '../../registry/failure';
import type { Registry } from '../../registry/registry';
import { updateWebhook, type Webhook } from '../../registry/webhooks';
import { comparableNumber } from '../../shared/companyNumber';
import { warn } from '../../shared/warn';
import { addressOf } from '../memory/destination';
import { mayBeActive, namesOf } from '../memory/subscription';
import type { Group } from '../memory/trigger';
import type { Wanted } from './plan';
import type { Publishing } from './subscribe';

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
	{ context, memory, registry, wanted, signal }: Omit<Publishing, 'progress' | 'leavesOut'>,
	listed: ReadonlyMap<string, Webhook>,
): Promise<void> {
	const address = addressOf(wanted.url);
	const here = memory.groups.filter((group) => group.address === address);
	const own = here.filter(
		(group) => group.account === registry.account || isListedIn(group, listed),
	);
	if (own.length === 0) {
		// Ids of another service may coincide.
		const ofService = here.filter(({ account }) => account.startsWith(`${registry.baseUrl}#`));
		const proven = await findUpdatable(ofService, wanted, registry, signal);
		if (proven !== undefined) own.push(proven);
	}
	const before = memory.current;
	const group = memory.groupOf(registry.account, address);
	memory.use(group, own);
	if (before === group || before?.address !== address || own.includes(before)) return;
	const active = [...before.subscriptions.values()].filter(mayBeActive);
	if (active.length === 0) return;
	warn(
		context,
		`now uses another account. Its webhooks at the account before are paused if that account's key is still known here, and otherwise stay active: ${namesOf(active)}`,
	);
}

/**
 * Whether one of a group's webhooks is in an account's list, which proves that all are of that account. What
 * form ids have is not known: one that merely coincides belongs to another company.
 */
export function isListedIn(group: Group, listed: ReadonlyMap<string, Webhook>): boolean {
	return [...group.subscriptions.values()].some(({ id, company }) => {
		const webhook = listed.get(id);
		return webhook !== undefined && comparableNumber(webhook.company_number) === company;
	});
}

/** The group of which the service updates a webhook, which is given no more than the wanted events. */
async function findUpdatable(
	groups: Group[],
	{ events }: Wanted,
	registry: Registry,
	signal: AbortSignal,
): Promise<Group | undefined> {
	const known = groups.flatMap((group) =>
		[...group.subscriptions.values()].map(({ id }) => ({ group, id })),
	);
	for (const { group, id } of known.slice(0, MAXIMUM_ASKED)) {
		const isOurs = await updateWebhook(registry, id, { events }, signal).then(
			() => true,
			(reason: unknown) => {
				if (reason instanceof RegistryFailure && NOT_OURS.has(reason.status ?? 0)) return false;
				throw reason;
			},
		);
		if (isOurs) return group;
	}
	return undefined;
}
