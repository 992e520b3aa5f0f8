import { difference, omit } from 'lodash';
import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { eventNameOf, eventNames, eventOptions } from '../../shared/events';
import { choosesCompany, companyNameOf } from '../parameters/watchlist';
import { verifyDelivery } from '../signatures/verifyDelivery';
import { allow, noteVerified } from './attention';
import { findRecipient, type Recipient } from './findRecipient';
import { readIncoming, type Incoming } from './incoming';
import { readDelivery, type DeliveredEvent, type Delivery } from './readDelivery';
import { refuse, RETRY_AFTER, type Answer } from './refuse';
import { isRepeat } from './repeats';

const OFFERED_EVENTS: unknown[] = eventOptions.map(({ value }) => value);
/** Never copied into the output. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];
const HOUR = 3_600_000;
/** n8n shows the workflow as published then, and does not call the trigger again. */
const HALF_PUBLISHED =
	'a delivery was accepted, but the latest publish of this trigger never came to an end, probably because n8n was stopped meanwhile. Some companies or events may not be watched. Unpublish the workflow and publish it again.';

/**
 * Finds the webhook that a delivery is for, verifies and reads the delivery, and starts the workflow with its
 * events or answers it otherwise.
 * It only reads what is stored and the node's parameters, sends no request, and takes about as long however
 * many companies are watched.
 *
 * @throws NodeOperationError that n8n shows as a failed execution, and answers with 500
 */
export async function receiveDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const incoming = readIncoming(context);
	const { rawBody, headers, now, settings } = incoming;
	const recipient = findRecipient(incoming);
	const { webhook, sample } = recipient;
	// A sample is signed by this process, in a way of its own.
	const scheme = sample ? undefined : settings.scheme;
	// An empty secret proves nothing.
	const secret = webhook?.secret ?? '';
	const verdict = verifyDelivery(rawBody, headers, secret, now / 1000, { ...settings, scheme });
	const delivery =
		webhook && verdict.accepted ? readDelivery(rawBody, headers, verdict, webhook) : undefined;
	const outcome =
		recipient.webhook && delivery
			? await start(context, incoming, recipient, delivery)
			: refuse(incoming, recipient, verdict);
	if (Array.isArray(outcome)) return { workflowData: [outcome] };

	const { status, body, shown } = outcome;
	const response = context.getResponseObject();
	if (status === 503) response.setHeader('Retry-After', String(RETRY_AFTER));
	if (shown) throw shown;
	response.statusCode = status;
	response.setHeader('Content-Type', 'application/json; charset=utf-8');
	// response.json() would compute an ETag for each answer.
	response.end(JSON.stringify(body));
	return { noWebhookResponse: true };
}

/** The items with which a genuine delivery starts the workflow, or what it is answered where it starts nothing. */
async function start(
	context: IWebhookFunctions,
	incoming: Incoming,
	recipient: Recipient,
	{ events, key, keptFor }: Delivery,
): Promise<INodeExecutionData[] | Answer> {
	const { trigger, isTest, options, warn } = incoming;
	const { webhook, sample, isHalfPublished } = recipient;
	if (!isTest) noteVerified(trigger, webhook.reference);
	if (isHalfPublished && allow(`half published ${trigger}`, 1, HOUR)) warn(HALF_PUBLISHED);
	if (sample) sample.hasArrived = true;
	const items = itemsOf(context, incoming, recipient, events);
	if (items.length === 0) return { status: 200, body: { ignored: true } };
	// A test shows whatever arrives, repeats too.
	const dropsRepeats = key !== undefined && !isTest && options.repeatedDeliveries === 'ignore';
	const name = `${webhook.reference} ${key}`;
	if (dropsRepeats && (await isRepeat(name, keptFor, context.getResponseObject()))) {
		return { status: 200, body: { duplicate: true } };
	}
	return items;
}

/** An item for each of a delivery's events that is wanted, by what is kept and by the node's parameters. */
function itemsOf(
	context: IWebhookFunctions,
	{ headers, rawBody, now, options }: Incoming,
	{ webhook, isWatched, sample }: Recipient,
	events: DeliveredEvent[],
): INodeExecutionData[] {
	const { id, company } = webhook;
	const receivedAt = new Date(now).toISOString();
	// Another trigger of the workflow may have stored a state from before the company was added.
	if (!isWatched && !choosesCompany(context, company)) return [];
	const companyName = companyNameOf(context, company);
	// The service sends what it was asked for: only what could have been chosen and is not is left out. A name
	// that could not, such as a wildcard, may bring any event.
	const chosen = eventNames(context.getNodeParameter('events', []), options.additionalEvents);
	const isAnyWanted = difference(chosen, OFFERED_EVENTS).length > 0;
	const unwanted = isAnyWanted ? [] : difference(OFFERED_EVENTS, chosen);
	const request = options.includeRequest && {
		headers: omit(headers, PRIVATE_HEADERS),
		body: rawBody.toString(),
	};
	// The body of a sample names no event.
	return events
		.map((one, index) => (sample ? { ...one, event: sample.events[index] } : one))
		.filter(({ event }) => !unwanted.includes(event))
		.map(({ event, deliveryId, payload }) => ({
			json: {
				event,
				event_name: eventNameOf(event),
				company_number: company,
				company_name: companyName,
				webhook_id: id,
				delivery_id: deliveryId,
				received_at: receivedAt,
				payload: payload as IDataObject,
				...(request && { request }),
			},
		}));
}
