import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../identity/identity';
import { phaseNow, type Phase } from '../memory/phase';
import { findStored, isWatched, readState } from '../memory/state';
import type { Subscription } from '../memory/subscription';
import { findMemory } from '../memory/trigger';
import { findSample, type Sample } from '../samples/startSample';

/** While a trigger is in one of these, a webhook may exist whose secret is not known here yet. */
const UNDER_WAY: Array<Phase['name']> = ['publishing', 'settingUpRest', 'pausing'];

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
	const kept = [production, test].map((identity) => {
		const memory = findMemory(identity);
		const state = readState(staticData, identity);
		return { identity, memory: memory?.overrules(state) ? memory : undefined, state };
	});
	for (const { memory, state } of kept) {
		const known = memory?.find(reference);
		if (memory && known) {
			return { webhook: known, isWatched: memory.companies.has(known.company) };
		}
		const stored = state && findStored(state, reference);
		if (stored) return { webhook: stored, isWatched: isWatched(stored) };
	}
	const [{ memory, state }] = kept;
	return {
		isBeingCreated: kept.some(({ identity }) => findMemory(identity)?.creating.has(reference)),
		isPublishing:
			memory?.run?.kind === 'publish' ||
			(state !== undefined && UNDER_WAY.includes(phaseNow(state).name)),
	};
}

/** n8n's URL of a test run, without a reference, if this process has begun one. */
export function testUrl(test: TriggerIdentity): string | undefined {
	return findMemory(test)?.url;
}
