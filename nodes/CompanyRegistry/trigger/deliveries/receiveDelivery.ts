import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { eventNameOf, eventOptions } from '../../shared/events';
import { readDeliveryOptions, type DeliveryOptions } from '../parameters/deliveryOptions';
import { choosesCompany, companyNameOf, readEvents } from '../parameters/watchlist';
import type { DeliveryHeaders } from '../signatures/headers';
import { verifyDelivery } from '../signatures/verifyDelivery';
import { answer } from './answer';
import { noteVerified } from './attention';
import { addressOf, findRecipient, isTestRun, triggerOf, type Recipient } from './findRecipient';
import { readDelivery, type DeliveredEvent } from './readDelivery';
import { refuseUnknown, refuseUnreadable, refuseUnverified, warnOfHalfPublished } from './refuse';
import { isRepeat } from './repeats';

const OFFERED_EVENTS = eventOptions.map(({ value }) => value);
/** Never copied into the output. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * Answers one delivery: finds its webhook, verifies it, reads it and starts the workflow with its events.
 * It only reads what is stored, sends no request, and does the same work however many companies are
 * watched. One exception: if a genuine delivery's webhook is stored as paused, its company is looked up
 * in the parameters.
 *
 * @throws NodeOperationError that n8n shows as a failed execution: see {@link refuseUnverified}
 */
export async function receiveDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const options = readDeliveryOptions(context.getNodeParameter('options', {}) as IDataObject);
	const headers: DeliveryHeaders = context.getHeaderData();
	const { rawBody = Buffer.alloc(0) } = context.getRequestObject();
	const now = Date.now();
	const recipient = findRecipient(context);
	const received = {
		rawBody,
		headers,
		now: now / 1000,
		tolerance: options.tolerance,
		// A sample is signed by this process, in a way of its own.
		scheme: recipient?.sample ? undefined : options.scheme,
		url: () => addressOf(context),
	};
	if (recipient === undefined) return refuseUnknown(context, received);
	const { webhook, sample } = recipient;
	const verdict = verifyDelivery(rawBody, headers, webhook.secret, received.now, received);
	if (!verdict.accepted) return refuseUnverified(context, recipient, verdict.reason, received);
	const delivery = readDelivery(rawBody, headers, verdict, webhook);
	if (delivery === undefined) return refuseUnreadable(context, recipient);

	const isTest = isTestRun(context);
	if (!isTest) noteVerified(triggerOf(context), webhook.reference);
	if (sample) sample.hasArrived = true;
	if (recipient.isHalfPublished) warnOfHalfPublished(context);
	const events = wantedOf(context, recipient, delivery.events, options);
	if (events.length === 0) return answer(context, 200, { ignored: true });
	// A test shows whatever arrives, repeats too.
	const dropsRepeats = delivery.key !== undefined && !isTest && !options.runRepeated;
	const key = `${webhook.reference} ${delivery.key}`;
	if (dropsRepeats && (await isRepeat(key, delivery.keptFor, context.getResponseObject()))) {
		return answer(context, 200, { duplicate: true });
	}

	const request = options.includeRequest ? describeRequest(headers, rawBody) : {};
	const companyName = companyNameOf(context, webhook.company);
	const receivedAt = new Date(now).toISOString();
	return {
		workflowData: [
			events.map((event) => ({ json: toOutput(event, webhook, companyName, receivedAt, request) })),
		],
	};
}

/** Those of a delivery's events that the trigger wants, by what is kept and by the node's parameters. */
function wantedOf(
	context: IWebhookFunctions,
	{ webhook, isWatched, sample }: Recipient,
	delivered: DeliveredEvent[],
	{ takesAllEvents }: DeliveryOptions,
): DeliveredEvent[] {
	// Its body names no event.
	if (sample) return delivered.map((one, index) => ({ ...one, event: sample.events[index] }));
	// Another trigger of the workflow may have stored a state from before the company was added.
	if (!isWatched && !choosesCompany(context, webhook.company)) return [];
	if (takesAllEvents) return delivered;
	// The service sends what it was asked for: only what could have been chosen and is not is left out.
	const unwanted = new Set(OFFERED_EVENTS);
	for (const event of readEvents(context)) unwanted.delete(event);
	return delivered.filter(({ event }) => event === null || !unwanted.has(event));
}

function toOutput(
	{ event, deliveryId, payload }: DeliveredEvent,
	webhook: Recipient['webhook'],
	companyName: string | null,
	receivedAt: string,
	request: IDataObject,
): INodeExecutionData['json'] {
	return {
		event,
		event_name: eventNameOf(event),
		company_number: webhook.company,
		company_name: companyName,
		webhook_id: webhook.id,
		delivery_id: deliveryId,
		received_at: receivedAt,
		payload: payload as IDataObject,
		...request,
	};
}

function describeRequest(headers: DeliveryHeaders, rawBody: Buffer): IDataObject {
	const shown = Object.entries(headers).filter(([name]) => !PRIVATE_HEADERS.has(name));
	return { request: { headers: Object.fromEntries(shown), body: rawBody.toString() } };
}
