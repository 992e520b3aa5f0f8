import { findStored, readHead } from '../memory/state';
import type { Subscription } from '../memory/subscription';
import { findMemory } from '../memory/trigger';
import { findSample, type Sample } from '../samples/startSample';
import type { Incoming } from './incoming';

/** n8n 2.40 gives up a publish after 84 seconds. */
const LONGEST_PUBLISH_MS = 150_000;

/** Whom a delivery is for: a webhook of this trigger. */
export interface Recipient {
	webhook: Pick<Subscription, 'reference' | 'company' | 'id' | 'secret'>;
	/** By what is kept of it. The node's parameters may choose its company all the same. */
	isWatched: boolean;
	/** The latest publish was begun longer ago than one may take, and nothing stored says that it ended. */
	isHalfPublished?: boolean;
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

/**
 * The webhook that the delivery's reference names, or why there may be none. This process's memory is asked
 * first, because it knows of a publish that has not ended; but not if another process has stored something
 * later.
 */
export function findRecipient({
	reference,
	production,
	test,
	staticData,
}: Incoming): Recipient | UnknownRecipient {
	const sample = findSample(production, reference);
	if (sample) return { webhook: sample, isWatched: true, sample };
	const kept = [production, test].map((identity) => ({
		identity,
		memory: findMemory(identity),
		head: readHead(staticData, identity),
	}));
	for (const { identity, memory, head } of kept) {
		const known = memory?.countsAgainst(head) ? memory.find(reference) : undefined;
		if (known) return { webhook: known, isWatched: memory?.companies.has(known.company) === true };
		const stored = findStored(staticData, identity, reference);
		if (stored) {
			const isHalfPublished = takenDown(head) === 'long ago';
			return { webhook: stored, isWatched: stored.status === 'watched', isHalfPublished };
		}
	}
	const [{ memory, head }] = kept;
	return {
		isBeingCreated: kept.some((one) => one.memory?.creating.has(reference)),
		isPublishing: memory?.run?.kind === 'publish' || takenDown(head) === 'just now',
	};
}

/** Since when the trigger is taken down, maybe for its next version: while that may be being published, or longer. */
function takenDown(
	head: { published: boolean; writtenAt: number } | undefined,
): 'just now' | 'long ago' | undefined {
	if (head === undefined || head.published) return undefined;
	return Date.now() - head.writtenAt > LONGEST_PUBLISH_MS ? 'long ago' : 'just now';
}
