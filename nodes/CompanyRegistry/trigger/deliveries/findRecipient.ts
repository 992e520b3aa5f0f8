import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { eventOptions } from '../../shared/events';
import { readReference } from '../memory/destination';
import type { TriggerIdentity } from '../memory/identity';
import { findByReference, findLatestRun, type StoredRecipient } from '../memory/savedState';
import {
	servesAnotherN8n,
	type RememberedWebhook,
	type TriggerMemory,
} from '../memory/triggerMemory';
import { findMemory } from '../memory/triggers';
import type { KnownWebhook } from '../memory/webhookLines';
import { choosesCompany, readEvents } from '../parameters/watchlist';
import { findSample, type Sample } from '../samples/awaitedSample';
import type { DeliveredEvent } from './readDelivery';

/** Whom a delivery is for: a webhook of this trigger, and what the trigger wants of it. */
export interface Recipient {
	webhook: KnownWebhook;
	/** Set if it is that of a test run, made up by this process. */
	sample?: Sample;
	isWatched: () => boolean;
	events: () => string[];
	/** Events once subscribed to and no longer wanted. */
	formerEvents: () => string[];
	/** Events by the node's parameters. */
	chosenEvents: () => string[];
	/**
	 * The life-cycle run that has taken the trigger down, where nothing stored says that it was published
	 * since: either another process is about to publish it, or n8n was stopped while it did.
	 */
	takenDownBy: string | undefined;
}

const DOCUMENTED_EVENTS = eventOptions.map(({ value }) => value);

/**
 * The webhook that the delivery's reference names. This process's memory is asked first, because it
 * knows of a publish that has not ended; but not if another process has published since.
 */
export function findRecipient(
	context: IWebhookFunctions,
	production: TriggerIdentity,
): Recipient | undefined {
	const reference = readReference(context.getQueryData() as IDataObject);
	const sample = findSample(production, reference);
	if (sample) return sampleRecipient(context, sample);
	const staticData = context.getWorkflowStaticData('global');
	for (const identity of [production, { ...production, kind: 'test' as const }]) {
		const memory = memoryIfNewer(staticData, identity);
		const remembered = memory?.webhooks.get(reference);
		if (memory && remembered) return rememberedRecipient(context, memory, remembered);
		const stored = findByReference(staticData, identity, reference);
		if (stored) return storedRecipient(context, stored);
	}
	return undefined;
}

/** What this process remembers of the trigger, unless another one has stored something since. */
function memoryIfNewer(
	staticData: IDataObject,
	identity: TriggerIdentity,
): TriggerMemory | undefined {
	const memory = findMemory(identity);
	return memory?.isLaterThan(findLatestRun(staticData, identity)?.runId) ? memory : undefined;
}

/** Made for what the node asks for at this moment: all of it is wanted. */
function sampleRecipient(context: IWebhookFunctions, sample: Sample): Recipient {
	const chosenEvents = () => readEvents(context);
	const none = () => [];
	return {
		webhook: { ...sample, status: 'watched' },
		sample,
		isWatched: () => true,
		events: chosenEvents,
		formerEvents: none,
		chosenEvents,
		takenDownBy: undefined,
	};
}

function rememberedRecipient(
	context: IWebhookFunctions,
	memory: TriggerMemory,
	webhook: RememberedWebhook,
): Recipient {
	return {
		webhook,
		isWatched: () =>
			webhook.account === memory.account
				? // Between the unpublishing of a version and the publishing of the next, both count.
					webhook.status === 'watched' || memory.wanted?.companies.has(webhook.company) === true
				: isBeingReplaced(memory, webhook),
		events: () => memory.events,
		formerEvents: () => memory.formerEvents,
		chosenEvents: () => readEvents(context),
		takenDownBy: undefined,
	};
}

/** Until a change to another account is through, the webhooks of the account before still count. */
function isBeingReplaced(memory: TriggerMemory, { status, account }: RememberedWebhook): boolean {
	return memory.runner !== undefined && status === 'watched' && !servesAnotherN8n(account);
}

function storedRecipient(
	context: IWebhookFunctions,
	{ webhook, isSetAside, published, runId, events, formerEvents }: StoredRecipient,
): Recipient {
	return {
		webhook,
		isWatched: () =>
			!isSetAside && (webhook.status === 'watched' || choosesCompany(context, webhook.company)),
		events,
		formerEvents,
		chosenEvents: () => readEvents(context),
		takenDownBy: published ? undefined : runId,
	};
}

/**
 * Those of a delivery's events that the trigger wants.
 *
 * The service sends what a webhook is subscribed to. So an event of an unknown name is kept; only events
 * that this trigger knows and does not want are left out.
 *
 * The node's parameters count as well. n8n saves a workflow's static data as a whole, so another trigger
 * can bring back a state from before an event or a company was added.
 */
export function pickWanted(recipient: Recipient, delivered: DeliveredEvent[]): DeliveredEvent[] {
	const { sample } = recipient;
	// Its body names no event.
	if (sample) return delivered.map((one, index) => ({ ...one, event: sample.events[index] }));
	if (!recipient.isWatched()) return [];
	const wanted = new Set(recipient.events());
	const isKnown = ({ event }: DeliveredEvent) => event === null || wanted.has(event);
	if (delivered.every(isKnown)) return delivered;

	for (const event of recipient.chosenEvents()) wanted.add(event);
	const unwanted = new Set([...DOCUMENTED_EVENTS, ...recipient.formerEvents()]);
	return delivered.filter((one) => isKnown(one) || !unwanted.has(String(one.event)));
}
