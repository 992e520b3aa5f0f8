import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../lifecycle/identity';
import { memoryOf } from '../lifecycle/memory';
import { findStored, readState } from '../lifecycle/storedState';
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
	const remembered = memory.subscriptions.get(reference);
	const stored = state && findStored(state, reference);
	const found = isAhead ? (remembered ?? stored) : (stored ?? remembered);

	const isOurs = found !== undefined && isKnown(found);
	const unknown = { reference, company: '', id: '', secret: '' };
	return {
		subscription: { ...unknown, ...found },
		isKnown: isOurs,
		/** Whether the service was asked to create it, and its secret is not known yet or was lost. */
		isPending: found !== undefined && !isOurs,
		/** The list in force: companies that are not on it start nothing. */
		list: (isAhead ? memory.facts : state?.facts)?.list,
	};
}
