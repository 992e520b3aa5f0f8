import { difference, omit } from 'lodash';
import {
	type IDataObject,
	type INodeExecutionData,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { eventNameOf, eventNames, offeredEvents } from '../../shared/events';
import { choosesCompany, listedCompany } from '../parameters/watchlist';
import { verifyDelivery } from '../signatures/verifyDelivery';
import { findRecipient, type Recipient } from './findRecipient';
import { readIncoming, type Incoming } from './incoming';
import { readDelivery, type DeliveredEvent, type Delivery } from './readDelivery';
import { refuse, type Answer } from './refuse';
import { isRepeat } from './repeats';
import { noteVerified } from './trackRecord';
import { takeTurn } from './turns';

/** Never copied into the output. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];
const SECOND = 1000;
const HOUR = 3600 * SECOND;

/**
 * Finds the webhook that a delivery is for, verifies and reads the delivery, and starts the workflow with its
 * events or answers it otherwise. Bounded work, however many companies are watched: no write, no request.
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
	let outcome: INodeExecutionData[] | Answer | undefined;
	if (recipient.webhook && verdict.accepted) {
		const { additionalEvents } = incoming.options;
		const chosen = eventNames(context.getNodeParameter('events', []), additionalEvents);
		const delivery = readDelivery(incoming, verdict, recipient.webhook, chosen);
		outcome = delivery && (await start(context, incoming, recipient, delivery, chosen));
	}
	outcome ??= refuse(incoming, recipient, verdict);
	return Array.isArray(outcome) ? { workflowData: [outcome] } : answer(context, outcome);
}

function answer(
	context: IWebhookFunctions,
	{ status, body, retryAfter, shown }: Answer,
): IWebhookResponseData {
	const response = context.getResponseObject();
	if (retryAfter) response.setHeader('Retry-After', String(retryAfter));
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
	{ events, unread, key, keptFor }: Delivery,
	chosen: string[],
): Promise<INodeExecutionData[] | Answer> {
	const { trigger, isTest, options, warn } = incoming;
	const { webhook, sample } = recipient;
	if (!isTest) noteVerified(trigger, webhook.reference);
	if (unread > 0 && takeTurn(HOUR, { [`unread ${trigger}`]: 1 })) {
		const told = events.length - 1;
		warn(
			`a delivery for company ${webhook.company} held ${told + unread} events. The first ${told} have an item each, and the payload of the last item has the other ${unread}`,
		);
	}
	if (sample) sample.hasArrived = true;
	const items = itemsOf(context, incoming, recipient, events, chosen);
	if (items.length === 0) return { status: 200, body: { ignored: true } };
	// A test shows whatever arrives, repeats too.
	const dropsRepeats = key !== undefined && !isTest && options.repeatedDeliveries === 'ignore';
	const name = `${webhook.reference} ${key}`;
	// For as long as its signed time may be current, it could be sent again.
	const forMs = Math.max(keptFor, 2 * options.tolerance * SECOND);
	if (dropsRepeats && (await isRepeat(name, forMs, context.getResponseObject()))) {
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
	chosen: string[],
): INodeExecutionData[] {
	const { id, company } = webhook;
	const receivedAt = new Date(now).toISOString();
	// Another trigger of the workflow may have stored a state from before the company was added.
	if (!isWatched && !choosesCompany(context, company)) return [];
	const { name, columns } = listedCompany(context, company);
	// The service sends what it was asked for: only what could have been chosen and is not is left out. A name
	// that could not, such as a wildcard, may bring any event.
	// None: what the user has entered cannot be read, and what was wanted before is still watched.
	const isAnyWanted = chosen.length === 0 || difference(chosen, offeredEvents).length > 0;
	const unwanted: Array<string | null> = isAnyWanted ? [] : difference(offeredEvents, chosen);
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
				company_name: name,
				list_columns: columns,
				webhook_id: id,
				delivery_id: deliveryId,
				received_at: receivedAt,
				payload: payload as IDataObject,
				...(request && { request }),
			},
		}));
}
