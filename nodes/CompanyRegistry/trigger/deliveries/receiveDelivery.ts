import { difference } from 'lodash';
import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { eventNameOf, offeredEvents } from '../../shared/events';
import { withText } from '../../shared/itemText';
import { rowInForce } from '../parameters/watchlist';
import { takeSample } from '../samples/startSample';
import { verifyDelivery } from '../signatures/verifyDelivery';
import { readIncoming, type IncomingDelivery } from './incoming';
import { KEPT_FOR, readDelivery, type Delivery } from './readDelivery';
import { refuse, replyTo, type Reply } from './refuse';

/** Verifies and reads a delivery, and starts the workflow with its events or answers it otherwise. */
export async function receiveDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	// A test shows the sample and nothing else.
	const isTest = context.getMode() === 'manual';
	const outcome = await (isTest ? takeSample(context) : receiveEvents(await readIncoming(context)));
	if (Array.isArray(outcome)) return { workflowData: [outcome] };

	const { status, body, report } = outcome ?? replyTo('unknown');
	const response = context.getResponseObject();
	// In seconds. The problem is on our side, so the sender should retry.
	if (status === 503) response.setHeader('Retry-After', 30);

	response.statusCode = status;
	response.setHeader('Content-Type', 'application/json; charset=utf-8');
	// response.json() would compute an ETag for each answer.
	response.end(JSON.stringify(body));

	// The sender has its answer, and the workflow starts with the report of it.
	return { noWebhookResponse: true, ...(report && { workflowData: [[{ json: report }]] }) };
}

/** The items that start the workflow, or the answer to a delivery that starts nothing. */
async function receiveEvents(incoming: IncomingDelivery): Promise<INodeExecutionData[] | Reply> {
	const { context, memory, history, monotonicMs, tolerance, settings } = incoming;
	const { reference } = incoming.subscription;
	const verification = incoming.isSchemeUnreadable ? undefined : verifyDelivery(incoming);
	const delivery = verification?.accepted ? readDelivery(incoming, verification.claim) : undefined;
	if (!delivery) return refuse(incoming, verification);

	memory.lastEventAt = incoming.receivedAt;
	history.noteGenuine(settings);
	const { events, key } = delivery;
	const items = itemsOf(incoming, events);
	if (items.length === 0) return { status: 200, body: { ignored: true } };
	if (key === undefined) return items;

	// A copy can come for as long as its signed time counts.
	const forMs = Math.max(KEPT_FOR, 2 * tolerance * 1000);
	const response = context.getResponseObject();
	const isNew = await history.claimDelivery(`${reference} ${key}`, forMs, monotonicMs, response);

	return isNew ? items : { status: 200, body: { duplicate: true } };
}

/** An item for each wanted event, with the company's row of the list. */
function itemsOf(incoming: IncomingDelivery, events: Delivery['events']): INodeExecutionData[] {
	const { chosenEvents, subscription, receivedAt, list } = incoming;
	const { id, company } = subscription;
	const row = rowInForce(list, company);
	if (!row.isListed) return [];

	// A name that the service does not list, such as a wildcard, may bring any event.
	const isAnyWanted =
		chosenEvents.length === 0 || difference(chosenEvents, offeredEvents).length > 0;
	const unwanted: Array<string | null> = isAnyWanted ? [] : difference(offeredEvents, chosenEvents);
	const wanted = events.filter(({ event }) => !unwanted.includes(event));

	return wanted.map(({ event, deliveryId, payload }) => ({
		json: withText({
			event,
			event_name: eventNameOf(event),
			company_number: company,
			company_name: row.name,
			list_email: row.email,
			list_columns: row.columns,
			webhook_id: id,
			delivery_id: deliveryId,
			received_at: new Date(receivedAt).toISOString(),
			payload: payload as IDataObject,
		}),
	}));
}
