import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../lifecycle/identity';
import { findStored, memoryOf, readState, type TriggerMemory } from '../lifecycle/state';
import type { StoredSubscription } from '../lifecycle/storedLines';
import { isKnown } from '../records/subscription';

/**
 * The subscription that a delivery names, from the memory of this process or the stored state, whichever is newer.
 * It has no company, id and secret where the reference is not known.
 */
export function findRecipient(
	reference: string,
	identity: TriggerIdentity,
	staticData: IDataObject,
) {
	const memory = memoryOf(identity);
	const state = readState(staticData, identity);
	const isAhead = memory.stored.revision >= (state?.revision ?? 0);
	const remembered = findRemembered(memory, reference);
	const stored = state && findStored(state, reference);
	const found = isAhead ? (remembered ?? stored) : (stored ?? remembered);

	const { subscription, isLeft = true } = found ?? {};
	const isOurs = subscription !== undefined && isKnown(subscription);
	const unknown = { reference, company: '', id: '', secret: '' };
	return {
		subscription: { ...unknown, ...subscription },
		isKnown: isOurs,
		/** Whether the service was asked to create it, and its secret is not known yet or was lost. */
		isPending: subscription !== undefined && !isOurs,
		/** Whether the published trigger watches its company. */
		isWatched: isOurs && !isLeft,
		/** The accepted list, and the rows of companies that stay watched without it. */
		facts: isAhead ? memory.facts : state?.facts,
	};
}

function findRemembered(
	{ subscriptions, desired }: TriggerMemory,
	reference: string,
): StoredSubscription | undefined {
	const subscription = subscriptions.get(reference);
	if (subscription === undefined) return undefined;
	return { subscription, isLeft: desired?.companies.includes(subscription.company) === false };
}
