import { findLast } from 'lodash';

import { RegistryFailure } from '../../registry/failure';
import { updateWebhook } from '../../registry/webhooks';
import { addressOf } from '../identity/destination';
import type { Store, SubscriptionSet } from '../memory/store';
import type { TriggerOptions } from '../parameters/options';
import { isOfAnother, type Listed } from './plan';
import type { Round } from './round';

/** With these the service says that a webhook is not this account's. */
const NOT_OURS = new Set([403, 404, 410]);

/**
 * Where subscriptions deliver to another address of n8n, only a person knows whether n8n has moved, or whether
 * they serve another n8n. *Address Changed* answers for one publish: one that was set before is asked about again.
 * @param answer that is set; it counts only where a person publishes
 * @returns the question; undefined where there is none, or it is answered
 */
export function askAboutAddress(
	store: Store,
	url: string,
	answer: TriggerOptions['addressChanged'],
	isPublish: boolean,
): Error | undefined {
	store.sets = store.sets.filter(({ subscriptions }) => subscriptions.size > 0);
	const [current] = store.sets;
	const here = addressOf(url);
	if (!current || current.address === here) return undefined;
	const isAnswer = answer !== 'ask';
	const isOld = isAnswer && answer === store.addressChanged;
	if (isPublish && isAnswer && !isOld) return undefined;
	// Also of a publish that fails: what is set anew after it is meant for this change.
	if (isPublish) store.addressChanged = answer;
	const step = isOld
		? "'Options' > 'Address Changed' is still set from an earlier publish, so it may not be meant for this change. Set it to 'Ask' and publish, which fails once more. Then set it"
		: "Set 'Options' > 'Address Changed'";
	return new Error(
		`The webhooks of this trigger deliver to ${current.address}, and this n8n's address is ${here}. ${step} to 'Moved to This Address' to have them deliver here, or to 'Copy: Make New Webhooks' to leave them alone and create new ones. Then publish again.`,
	);
}

/**
 * Makes the set of this account and address the current one. Under a new key, a set is the same account's if the
 * service lists one of its webhooks, or else updates one.
 * @throws RegistryFailure where neither can be said: to create webhooks could double all
 */
export async function settleAccount(round: Round, list: Listed): Promise<void> {
	const { store, registry, wish } = round;
	const { account } = registry;
	const address = addressOf(wish.url);
	const [current, ...former] = store.sets;
	const isCopy = current?.address !== address && wish.options.addressChanged === 'copy';
	const isSame = current && !isCopy && (await isOfAccount(current, round, list));
	const other = former.find((set) => set.address === address && isProven(set, account, list));
	const fresh: SubscriptionSet = { account, address, subscriptions: new Map() };
	store.use(Object.assign((isSame ? current : other) ?? fresh, { account, registry }));
}

/** Whether nothing has to be asked to know that a set is this account's. */
export function isProven(set: SubscriptionSet, account: string, list: Listed): boolean {
	return set.account === account || isListedIn(set, list);
}

/** Whether an account's list proves that a set is its: an id that merely coincides is another company's. */
export function isListedIn({ subscriptions }: SubscriptionSet, { webhooks }: Listed): boolean {
	return [...subscriptions.values()].some(
		(one) => webhooks.has(one.id) && !isOfAnother(one, webhooks.get(one.id)),
	);
}

async function isOfAccount(set: SubscriptionSet, round: Round, list: Listed): Promise<boolean> {
	const { registry, wish, signal } = round;
	if (isProven(set, registry.account, list)) return true;
	// Ids of another service may coincide.
	if (!set.account.startsWith(`${registry.baseUrl}#`)) return false;
	// What is listed is another company's, or the set would have been recognised by it.
	// The latest: one that was removed at the service stays before the one that has taken its place.
	const one = findLast([...set.subscriptions.values()], ({ id }) => !list.webhooks.has(id));
	if (one === undefined) return false;
	// It is given no more than the wanted events.
	return await updateWebhook(registry, one.id, { events: wish.events }, signal).then(
		(answer) => !isOfAnother(one, answer),
		(reason: unknown) => {
			if (reason instanceof RegistryFailure && NOT_OURS.has(reason.status ?? 0)) return false;
			throw reason;
		},
	);
}
