import { difference, omit } from 'lodash';
import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { eventNameOf, eventNames, offeredEvents } from '../../shared/events';
import { choosesCompany, listedCompany } from '../parameters/watchlist';
import { verifyDelivery, type Verdict } from '../signatures/verifyDelivery';
import { findRecipient, type Recipient, type UnknownRecipient } from './findRecipient';
import { readIncoming, type Incoming } from './incoming';
import type { Output } from './output';
import { readDelivery, type DeliveredEvent, type Delivery } from './readDelivery';
import { refuse, type Reply } from './refuse';

/** Never copied into the output. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];
const SECOND = 1000;

/**
 * Finds the webhook that a delivery is for, verifies and reads the delivery, and starts the workflow with its
 * events or answers it otherwise. Bounded work, however many companies are watched: no write, no request.
 * @throws NodeOperationError that n8n shows as a failed execution, and answers with 500
 */
export async function receiveDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const incoming = readIncoming(context);
	const recipient = findRecipient(incoming);
	const verdict = verify(incoming, recipient);
	let outcome: INodeExecutionData[] | Reply | undefined;
	if (recipient.webhook && verdict?.accepted) {
		const { record, isTest } = incoming;
		const chosen = chosenEvents(context, incoming);
		const isNamedBy = isTest ? undefined : record.isNamedBy.bind(record);
		const delivery = readDelivery(incoming, verdict, recipient.webhook, chosen, isNamedBy);
		outcome = delivery && (await start(context, incoming, recipient, delivery, chosen));
	}
	outcome ??= refuse(incoming, recipient, verdict);
	return Array.isArray(outcome) ? { workflowData: [outcome] } : reply(context, outcome);
}

/** Whether it was signed with the webhook's secret; undefined where the settings for that cannot be read. */
function verify(
	{ rawBody, headers, now, options, settings }: Incoming,
	{ webhook, sample }: Recipient | UnknownRecipient,
): Verdict | undefined {
	// A sample is signed by this process, in a way of its own.
	const counted = sample ? { tolerance: options.tolerance } : settings;
	// An empty secret proves nothing.
	return counted && verifyDelivery(rawBody, headers, webhook?.secret ?? '', now / SECOND, counted);
}

/** Names of the events that start the workflow; none where any does. */
function chosenEvents(context: IWebhookFunctions, { options, failed, readOr }: Incoming): string[] {
	const read = (): unknown => context.getNodeParameter('events', []);
	const effect = 'every event that the service sends starts the workflow';
	const events = readOr(read, undefined, 'Trigger On', effect);
	// What is not known of either may name any event.
	if (events === undefined || failed.includes('Additional Events')) return [];
	return eventNames(events, options.additionalEvents);
}

function reply(
	context: IWebhookFunctions,
	{ status, body, retryAfter, shown }: Reply,
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
): Promise<INodeExecutionData[] | Reply> {
	const { record, moment, isTest, options, log } = incoming;
	const { webhook, sample } = recipient;
	if (!isTest) record.noteVerified(webhook.reference);
	if (unread > 0) {
		const told = events.length - 1;
		log('unread', { company: webhook.company, all: told + unread, told, unread });
	}
	if (sample) sample.hasArrived = true;
	const items = itemsOf(context, incoming, recipient, events, chosen);
	if (items.length === 0) return { status: 200, body: { ignored: true } };
	// A test shows whatever arrives, repeats too.
	const dropsRepeats = key !== undefined && !isTest && options.repeatedDeliveries === 'ignore';
	const name = `${webhook.reference} ${key}`;
	// For as long as its signed time may be current, it could be sent again.
	const forMs = Math.max(keptFor, 2 * options.tolerance * SECOND);
	const response = context.getResponseObject();
	if (dropsRepeats && (await record.isRepeat(name, forMs, moment, response))) {
		return { status: 200, body: { duplicate: true } };
	}
	return items;
}

/** An item for each of a delivery's events that is wanted, by what is kept and by the node's parameters. */
function itemsOf(
	context: IWebhookFunctions,
	{ headers, rawBody, now, options, readOr }: Incoming,
	{ webhook, isWatched, sample }: Recipient,
	events: DeliveredEvent[],
	chosen: string[],
): INodeExecutionData[] {
	const { id, company } = webhook;
	const receivedAt = new Date(now).toISOString();
	// Another trigger of the workflow may have stored a state from before the company was added.
	const effect = 'companies are watched as before, and have no name';
	const inList = <Value>(
		read: (context: IWebhookFunctions, company: string) => Value,
		none: Value,
	) => readOr(() => read(context, company), none, 'Companies', effect);
	if (!isWatched && !inList(choosesCompany, false)) return [];
	const { name, columns } = inList(listedCompany, { name: null, columns: null });
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
	const items = events
		.map((one, index) => (sample ? { ...one, event: sample.events[index] } : one))
		.filter(({ event }) => !unwanted.includes(event))
		.map(({ event, deliveryId, payload }) => {
			const output: Output = {
				event,
				event_name: eventNameOf(event),
				company_number: company,
				company_name: name,
				list_columns: columns,
				webhook_id: id,
				delivery_id: deliveryId,
				received_at: receivedAt,
				payload: payload as Output['payload'],
				...(request && { request }),
			};
			return { json: output as IDataObject };
		});
	const isShown = sample?.status && events.length > 0;
	return isShown ? [...items, { json: sample.status as IDataObject }] : items;
}
