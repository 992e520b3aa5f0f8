import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { eventOptions } from '../../shared/events';
import type { DeliveredEvent } from './readDelivery';
import { identify, readReference } from '../memory/destination';
import { findByReference, type KnownWebhook, type StoredRecipient } from '../memory/knownWebhooks';
import { recall } from '../memory/processMemory';
import { choosesCompany, readEvents } from '../parameters/watchlist';

/** Whom a delivery is for: a webhook of this trigger, and what the trigger wants of it. */
export interface Recipient {
	webhook: KnownWebhook;
	isWatched: () => boolean;
	events: () => string[];
	/** Events once subscribed to and no longer wanted. */
	formerEvents: () => string[];
	/** Events by the node's parameters. */
	chosenEvents: () => string[];
}

const DOCUMENTED_EVENTS = eventOptions.map(({ value }) => value);

/**
 * The webhook that the delivery's reference names, by the stored state and by this process's memory,
 * which knows of a publish that n8n has not saved yet. While neither says that the trigger is
 * published, what it watches is not known: such a delivery has to come again.
 */
export function findRecipient(context: IWebhookFunctions): Recipient | undefined {
	const reference = readReference(context.getQueryData() as IDataObject);
	const staticData = context.getWorkflowStaticData('global');
	const production = identify(context, 'production');
	for (const identity of [production, { ...production, kind: 'test' as const }]) {
		const stored = findByReference(staticData, identity, reference);
		const remembered = recall(reference, identity);
		const isRemembered = remembered?.status === 'watched';
		const webhook = stored?.webhook ?? remembered;
		if (webhook === undefined || !(stored?.published || isRemembered)) continue;
		return {
			webhook,
			isWatched: () => isRemembered || (stored !== undefined && isStoredAsWatched(context, stored)),
			events: () => [...(stored?.events() ?? []), ...(isRemembered ? remembered.events : [])],
			formerEvents: () => stored?.formerEvents() ?? [],
			chosenEvents: () => readEvents(context),
		};
	}
	return undefined;
}

/**
 * Those of a delivery's events that the trigger wants.
 *
 * The service sends what a webhook is subscribed to, so an event of an unknown name is taken for one
 * of those: only a name that this trigger knows not to want is left out.
 *
 * The parameters have a say too: n8n saves a workflow's static data as a whole, so another trigger of
 * the workflow can bring back what was stored before an event or a company was added.
 */
export function pickWanted(recipient: Recipient, delivered: DeliveredEvent[]): DeliveredEvent[] {
	if (!recipient.isWatched()) return [];
	const wanted = new Set(recipient.events());
	const isKnown = ({ event }: DeliveredEvent) => event === null || wanted.has(event);
	if (delivered.every(isKnown)) return delivered;

	for (const event of recipient.chosenEvents()) wanted.add(event);
	const unwanted = new Set([...DOCUMENTED_EVENTS, ...recipient.formerEvents()]);
	return delivered.filter((one) => isKnown(one) || !unwanted.has(String(one.event)));
}

function isStoredAsWatched(
	context: IWebhookFunctions,
	{ webhook, isFormer }: StoredRecipient,
): boolean {
	if (isFormer) return false;
	return (
		webhook.status === 'watched' ||
		(webhook.status === 'paused' && choosesCompany(context, webhook.company))
	);
}
