import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { eventOptions } from '../../shared/events';
import { readReference } from '../memory/destination';
import type { TriggerIdentity } from '../memory/identity';
import { findStored, readHead, type TriggerState } from '../memory/state';
import type { Subscription } from '../memory/subscription';
import { findMemory } from '../memory/trigger';
import { choosesCompany, readEvents } from '../parameters/watchlist';
import { findSample, type Sample } from '../samples/awaitedSample';
import type { DeliveredEvent } from './readDelivery';

/** Whom a delivery is for: a webhook of this trigger, and what the trigger wants of it. */
export interface Recipient {
	webhook: Pick<Subscription, 'reference' | 'company' | 'id' | 'secret'>;
	/** Set if it is that of a test run, made up by this process. */
	sample?: Sample;
	/** The trigger was told to watch its company, by its latest publish or by its parameters. */
	isWatched: () => boolean;
	/** Events by the node's parameters. */
	chosenEvents: () => string[];
	/** The latest publish was begun longer ago than one may take, and nothing stored says that it ended. */
	isHalfPublished: boolean;
}

/** n8n 2.40 gives up a publish after 84 seconds. */
const LONGEST_PUBLISH_MS = 150_000;
const DOCUMENTED_EVENTS = eventOptions.map(({ value }) => value);

/**
 * The webhook that the delivery's reference names. This process's memory is asked first, because it
 * knows of a publish that has not ended; but not if another process has stored something later.
 */
export function findRecipient(
	context: IWebhookFunctions,
	production: TriggerIdentity,
): Recipient | undefined {
	const reference = readReference(context.getQueryData() as IDataObject);
	const chosenEvents = () => readEvents(context);
	const sample = findSample(production, reference);
	if (sample) {
		return { webhook: sample, sample, isWatched: () => true, chosenEvents, isHalfPublished: false };
	}
	const staticData = context.getWorkflowStaticData('global');
	for (const identity of [production, { ...production, kind: 'test' as const }]) {
		const head = readHead(staticData, identity);
		const memory = findMemory(identity);
		const counts = memory?.countsAgainst(head) === true ? memory : undefined;
		const remembered = counts?.find(reference);
		const stored = remembered ? undefined : findStored(staticData, identity, reference);
		const webhook = remembered ?? stored;
		if (webhook === undefined) continue;
		const { company } = webhook;
		const isWatched = () =>
			stored?.status === 'watched' ||
			(remembered && counts?.companies.has(company)) ||
			choosesCompany(context, company);
		const isHalfPublished = stored !== undefined && isOverdue(head);
		return { webhook, isWatched, chosenEvents, isHalfPublished };
	}
	return undefined;
}

/** Whether a webhook with this reference is being made: its secret is on its way. */
export function isBeingCreated(reference: string, production: TriggerIdentity): boolean {
	const kinds = ['production', 'test'] as const;
	return kinds.some((kind) => findMemory({ ...production, kind })?.creating.has(reference));
}

/** By this process, or by another one that took the trigger down for its next version. */
export function mayBeBeingPublished(
	context: IWebhookFunctions,
	production: TriggerIdentity,
): boolean {
	if (findMemory(production)?.run !== undefined) return true;
	const head = readHead(context.getWorkflowStaticData('global'), production);
	return head?.published === false && !isOverdue(head);
}

function isOverdue(head: Pick<TriggerState, 'writtenAt' | 'published'> | undefined): boolean {
	return head?.published === false && Date.now() - head.writtenAt > LONGEST_PUBLISH_MS;
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
	const wanted = new Set(recipient.chosenEvents());
	const isKnown = ({ event }: DeliveredEvent) => event === null || wanted.has(event);
	if (delivered.every(isKnown)) return delivered;

	const unwanted = new Set(DOCUMENTED_EVENTS);
	return delivered.filter((one) => isKnown(one) || !unwanted.has(String(one.event)));
}
