import { compact } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../lifecycle/identity';
import { findStored, memoryOf, readState } from '../lifecycle/state';

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
	const unknown = { reference, company: '', id: '', secret: '', status: 'unknown' as const };
	const [subscription = unknown] = compact(isAhead ? [remembered, stored] : [stored, remembered]);
	const { company, status } = subscription;
	const desired = isAhead ? memory.desired : undefined;
	return {
		subscription,
		isKnown: subscription.secret !== '',
		/** Whether the service was asked to create it, and its secret is not known yet or was lost. */
		isPending: status === 'pending',
		/** Whether the published trigger watches its company. */
		isWatched: desired?.companies.includes(company) ?? status === 'active',
		/** The accepted list of a followed link. */
		list: isAhead ? memory.facts.list : state?.facts.list,
	};
}
