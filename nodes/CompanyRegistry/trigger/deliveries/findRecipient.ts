import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../identity/identity';
import { findStored, isWatched, readState } from '../memory/state';
import { findStore } from '../memory/store';
import type { Subscription } from '../memory/subscription';
import { findSample, type Sample } from '../samples/startSample';

/** Whom a delivery is for: a webhook of this trigger. */
export interface Recipient {
	webhook: Pick<Subscription, 'reference' | 'company' | 'id' | 'secret'>;
	/** By what is kept of it. The node's parameters may choose its company all the same. */
	isWatched: boolean;
	/** Set if it is that of a test run, made up by this process. */
	sample?: Sample;
}

/** No webhook is known for the reference, or not yet. */
export interface UnknownRecipient {
	webhook?: undefined;
	sample?: undefined;
	/** The service has been asked to create the reference's webhook and has not answered yet. */
	isBeingCreated: boolean;
	/** A publish is under way, after which the secret may be known. */
	isPublishing: boolean;
}

/** Where a delivery has come to. */
interface Address {
	/** The reference in its query; empty when there is none. */
	reference: string;
	/** The trigger as it is published, and as it listens for a test event. */
	production: TriggerIdentity;
	test: TriggerIdentity;
	isTest: boolean;
	staticData: IDataObject;
}

/**
 * The webhook that the delivery's reference names, or why there may be none. This process's memory comes first,
 * because it knows of a publish that has not ended, unless another process has stored something later.
 */
export function findRecipient({
	reference,
	production,
	test,
	isTest,
	staticData,
}: Address): Recipient | UnknownRecipient {
	// One that comes again later, to the published trigger, is none of its deliveries.
	const sample = isTest ? findSample(production, reference) : undefined;
	if (sample) return { webhook: sample, isWatched: true, sample };
	for (const identity of [production, test]) {
		const store = findStore(identity);
		const state = readState(staticData, identity);
		if (state && identity === production) store?.noteSaved(state.revision);
		const isAhead = store && store.revision >= (state?.revision ?? 0);
		const known = isAhead ? store.find(reference) : undefined;
		if (known) return { webhook: known, isWatched: store?.companies.has(known.company) === true };
		const stored = state && findStored(state, reference);
		if (stored) return { webhook: stored, isWatched: isWatched(stored) };
	}
	return {
		isBeingCreated: [production, test].some((one) => findStore(one)?.creating.has(reference)),
		isPublishing:
			findStore(production)?.isAtWork === true ||
			readState(staticData, production)?.isOpen === true,
	};
}

/** n8n's URL of a test run, without a reference, if this process has begun one. */
export function testUrl(test: TriggerIdentity): string | undefined {
	return findStore(test)?.url;
}
