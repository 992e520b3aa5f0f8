import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../lifecycle/identity';
import { memoryOf } from '../lifecycle/memory';
import { findStored } from '../lifecycle/storedLines';
import { readState } from '../lifecycle/storedState';

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
	const remembered = memory.byReference.get(reference);
	const stored = state && findStored(state, reference);
	const found = isAhead ? (remembered ?? stored) : (stored ?? remembered);

	return {
		subscription: found ?? { reference, company: '', id: '', secret: '' },
		isKnown: found !== undefined,
		/** Whether the service was asked to create it, and its secret is not known yet or was lost. */
		isPending: found === undefined && memory.byReference.has(reference),
		/** The list in force: companies that are not on it start nothing. */
		list: (isAhead ? memory.facts : state?.facts)?.list,
	};
}
