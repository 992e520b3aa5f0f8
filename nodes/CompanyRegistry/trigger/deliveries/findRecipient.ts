import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { readReference, withReference } from '../memory/destination';
import { identify, type TriggerIdentity } from '../memory/identity';
import { findStored, readHead } from '../memory/state';
import type { Subscription } from '../memory/subscription';
import { findMemory } from '../memory/trigger';
import { findSample, type Sample } from '../samples/awaitedSample';

/** n8n 2.40 gives up a publish after 84 seconds. */
const LONGEST_PUBLISH_MS = 150_000;

/** Whom a delivery is for: a webhook of this trigger. */
export interface Recipient {
	webhook: Pick<Subscription, 'reference' | 'company' | 'id' | 'secret'>;
	/** By what is kept of it. The node's parameters may choose its company all the same. */
	isWatched: boolean;
	/** The latest publish was begun longer ago than one may take, and nothing stored says that it ended. */
	isHalfPublished: boolean;
	/** Set if it is that of a test run, made up by this process. */
	sample?: Sample;
}

/**
 * The webhook that the delivery's reference names. This process's memory is asked first, because it
 * knows of a publish that has not ended; but not if another process has stored something later.
 */
export function findRecipient(context: IWebhookFunctions): Recipient | undefined {
	const reference = referenceOf(context);
	const staticData = context.getWorkflowStaticData('global');
	const sample = findSample(identify(context, 'production'), reference);
	if (sample) return { webhook: sample, isWatched: true, isHalfPublished: false, sample };
	for (const identity of identities(context)) {
		const head = readHead(staticData, identity);
		const memory = findMemory(identity);
		const known = memory?.countsAgainst(head) ? memory.find(reference) : undefined;
		if (known) {
			const isWatched = memory?.companies.has(known.company) === true;
			return { webhook: known, isWatched, isHalfPublished: false };
		}
		const stored = findStored(staticData, identity, reference);
		if (stored) {
			const isWatched = stored.status === 'watched';
			return { webhook: stored, isWatched, isHalfPublished: takenDown(head) === 'long ago' };
		}
	}
	return undefined;
}

/**
 * What a reference for which nobody is found may stand for. `creating`: the service has been asked to
 * create its webhook and has not answered yet. `publishing`: its secret may be known soon.
 */
export function whyUnknown(context: IWebhookFunctions): 'creating' | 'publishing' | 'unknown' {
	const reference = referenceOf(context);
	const memories = identities(context).map(findMemory);
	if (memories.some((memory) => memory?.creating.has(reference))) return 'creating';
	const [production] = identities(context);
	const head = readHead(context.getWorkflowStaticData('global'), production);
	const isPublishing = memories[0]?.run?.kind === 'publish' || takenDown(head) === 'just now';
	return isPublishing ? 'publishing' : 'unknown';
}

/** Names this trigger among all that one process has. */
export function triggerOf(context: IWebhookFunctions): string {
	return `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
}

/** The reference in the delivery's address; empty when there is none. */
export function referenceOf(context: IWebhookFunctions): string {
	return readReference(context.getQueryData() as IDataObject);
}

/** The address that the service delivered to, which some senders sign; undefined if n8n has none. */
export function addressOf(context: IWebhookFunctions): string | undefined {
	// In a test n8n names the production URL here.
	const url = isTestRun(context)
		? findMemory(identify(context, 'test'))?.testUrl
		: context.getNodeWebhookUrl('default');
	return url && withReference(url, referenceOf(context));
}

/** "Listen for test event": n8n keeps listening for two minutes or until an execution starts. */
export function isTestRun(context: IWebhookFunctions): boolean {
	return context.getMode() === 'manual';
}

function identities(context: IWebhookFunctions): TriggerIdentity[] {
	return [identify(context, 'production'), identify(context, 'test')];
}

/** Since when the trigger is taken down, maybe for its next version: while that may be being published, or longer. */
function takenDown(
	head: { published: boolean; writtenAt: number } | undefined,
): 'just now' | 'long ago' | undefined {
	if (head === undefined || head.published) return undefined;
	return Date.now() - head.writtenAt > LONGEST_PUBLISH_MS ? 'long ago' : 'just now';
}
