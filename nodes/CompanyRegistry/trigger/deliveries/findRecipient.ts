import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../identity/identity';
import { findStored, isActive, readState, type Subscription } from '../memory/state';
import { findStore } from '../memory/store';
import { findSample, type Sample } from '../samples/startSample';

/** Whom a delivery is for: a webhook of this trigger. */
interface Recipient {
	/** With no company, id or secret where none is known for the reference, or not yet. */
	webhook: Pick<Subscription, 'reference' | 'company' | 'id' | 'secret'>;
	isKnown: boolean;
	/** By what is kept of it. The node's parameters may choose its company all the same. */
	isWatched: boolean;
	/** Set if it is that of a test run, made up by this process. */
	sample?: Sample;
	/** The service has been asked to create it and has not answered yet. */
	isBeingCreated?: boolean;
	/** Webhooks are being made, after which the secret may be known. */
	isPublishing?: boolean;
}

/**
 * The webhook that the delivery's reference names, or why there may be none. This process's memory comes first,
 * because it knows of a publish that has not ended, unless another process has stored something later.
 * @param production the trigger as it is published
 * @param test the same as it listens for a test event
 */
export function findRecipient(
	reference: string,
	isTest: boolean,
	production: TriggerIdentity,
	test: TriggerIdentity,
	staticData: IDataObject,
): Recipient {
	const isKnown = true;
	// One that comes again later, to the published trigger, is none of its deliveries.
	const sample = isTest ? findSample(production, reference) : undefined;
	if (sample) return { webhook: sample, isKnown, isWatched: true, sample };
	for (const identity of [production, test]) {
		const store = findStore(identity);
		const state = readState(staticData, identity);
		if (state && identity === production) store?.noteSaved(state.revision);
		const isAhead = store && store.revision >= (state?.revision ?? 0);
		const known = isAhead ? store.find(reference) : undefined;
		if (known)
			return { webhook: known, isKnown, isWatched: store?.companies.has(known.company) === true };
		const stored = state && findStored(state, reference);
		if (stored) return { webhook: stored, isKnown, isWatched: isActive(stored) };
	}
	const published = findStore(production);
	return {
		webhook: { reference, company: '', id: '', secret: '' },
		isKnown: false,
		isWatched: false,
		isBeingCreated: [production, test].some((one) => findStore(one)?.creating.has(reference)),
		isPublishing:
			(published !== undefined && (published.isOpen || published.creating.size > 0)) ||
			readState(staticData, production)?.isOpen === true,
	};
}
