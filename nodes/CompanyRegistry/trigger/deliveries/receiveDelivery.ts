import { difference, omit } from 'lodash';
import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { eventNameOf, offeredEvents } from '../../shared/events';
import { choosesCompany, listedCompany } from '../parameters/watchlist';
import { verifyDelivery } from '../signatures/verifyDelivery';
import { readIncoming, type Incoming } from './incoming';
import type { Output } from './output';
import { readDelivery, type Delivery } from './readDelivery';
import { refuse, type Reply } from './refuse';

/** Never copied into the output. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];
/** In seconds. */
const RETRY_AFTER = 30;

/**
 * Finds the webhook that a delivery is for, verifies and reads the delivery, and starts the workflow with its
 * events or answers it otherwise. Bounded work, however many companies are watched: no write, no request.
 * @throws NodeOperationError that n8n shows as a failed execution, and answers with 500
 */
export async function receiveDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const incoming = readIncoming(context);
	const verdict = incoming.isUnset ? undefined : verifyDelivery(incoming);
	const delivery = verdict?.accepted ? readDelivery(incoming, verdict.claim) : undefined;
	const outcome = delivery ? await start(incoming, delivery) : refuse(incoming, verdict);
	return Array.isArray(outcome) ? { workflowData: [outcome] } : reply(context, outcome);
}

function reply(context: IWebhookFunctions, { status, body, shown }: Reply): IWebhookResponseData {
	const response = context.getResponseObject();
	// The fault is ours.
	if (status === 503) response.setHeader('Retry-After', RETRY_AFTER);
	if (shown) throw shown;
	response.statusCode = status;
	response.setHeader('Content-Type', 'application/json; charset=utf-8');
	// response.json() would compute an ETag for each answer.
	response.end(JSON.stringify(body));
	return { noWebhookResponse: true };
}

/** The items with which a genuine delivery starts the workflow, or what it is answered where it starts nothing. */
async function start(
	incoming: Incoming,
	{ events, key, keptFor }: Delivery,
): Promise<INodeExecutionData[] | Reply> {
	const { context, record, moment, options, webhook, sample } = incoming;
	record.noteVerified(webhook.reference, incoming.verifiedBy);
	if (sample) sample.hasArrived = true;
	const items = itemsOf(incoming, events);
	if (items.length === 0) return { status: 200, body: { ignored: true } };
	if (key === undefined || options.repeatedDeliveries === 'run') return items;
	const name = `${webhook.reference} ${key}`;
	// For as long as its signed time may be current, it could be sent again.
	const forMs = Math.max(keptFor, 2 * options.tolerance * 1000);
	const isRepeat = await record.isRepeat(name, forMs, moment, context.getResponseObject());
	return isRepeat ? { status: 200, body: { duplicate: true } } : items;
}

/** An item for each of a delivery's events that is wanted, by what is kept and by the node's parameters. */
function itemsOf(
	{ context, options, chosen, readOr, webhook, isWatched, sample, ...incoming }: Incoming,
	events: Delivery['events'],
): INodeExecutionData[] {
	const { id, company } = webhook;
	const { isWanted, name, columns } = readOr(
		() => ({
			// Another trigger of the workflow may have stored a state from before the company was added.
			isWanted: isWatched || choosesCompany(context, company),
			...listedCompany(context, company),
		}),
		{ isWanted: isWatched, name: null, columns: null },
		'Companies',
		'companies are watched as before, and have no name',
	);
	if (!isWanted) return [];
	// The service sends what it was asked for: only what could have been chosen and is not is left out. A name
	// that could not, such as a wildcard, may bring any event.
	// None: what the user has entered cannot be read, and what was wanted before is still watched.
	const isAnyWanted = chosen.length === 0 || difference(chosen, offeredEvents).length > 0;
	const unwanted: Array<string | null> = isAnyWanted ? [] : difference(offeredEvents, chosen);
	const request = options.includeRequest && {
		headers: omit(incoming.headers, PRIVATE_HEADERS),
		body: incoming.rawBody.toString(),
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
				received_at: incoming.receivedAt,
				payload: payload as Output['payload'],
				...(request && { request }),
			};
			return { json: output as IDataObject };
		});
	const isShown = sample?.status && events.length > 0;
	return isShown ? [...items, { json: sample.status as IDataObject }] : items;
}
