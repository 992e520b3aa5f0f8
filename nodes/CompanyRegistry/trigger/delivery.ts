import type { IDataObject, INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { eventOptions } from '../shared/events';
import { readDelivery, type DeliveredEvent } from './deliveredEvents';
import { identify, readReference } from './destination';
import { findByReference, type KnownWebhook } from './knownWebhooks';
import { readDeliveryOptions } from './options';
import { recall } from './processMemory';
import { isRepeat } from './repeats';
import { signatureHeaderNames, type DeliveryHeaders } from './signatureSchemes';
import { verifyDelivery } from './verifyDelivery';

/** Seconds after which a sender is asked to try again when the fault is ours. */
const RETRY_AFTER = 30;
const DOCUMENTED_EVENTS = eventOptions.map(({ value }) => value);
/** Never copied into the output. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

interface Recipient {
	webhook: KnownWebhook;
	isWatched: boolean;
	events: string[];
	formerEvents: string[];
}

/**
 * Answers one delivery: verifies it and starts the workflow with its events.
 * Only reads what is stored, asks nobody, and does the same work however many companies are watched.
 */
export async function receiveDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const headers: DeliveryHeaders = context.getHeaderData();
	const recipient = findRecipient(context);
	if (recipient === undefined) {
		log(context, 'answered 503: no secret is known for its reference; publish the workflow again');
		context.getResponseObject().setHeader('Retry-After', String(RETRY_AFTER));
		return answer(context, 503, {
			error: 'unavailable',
			message: 'The secret for this delivery is not known here at the moment. Send it again later.',
			status: 503,
		});
	}

	const { webhook } = recipient;
	const options = readDeliveryOptions(context.getNodeParameter('options', {}) as IDataObject);
	const { rawBody = Buffer.alloc(0) } = context.getRequestObject();
	const now = Date.now();
	const verdict = verifyDelivery(rawBody, headers, webhook.secret, now / 1000, options);
	if (!verdict.accepted) {
		log(
			context,
			`refused with 401: ${verdict.reason} signature for company ${webhook.company}; signature headers: ${signatureHeaderNames(headers).join(', ') || 'none'}`,
		);
		return answer(context, 401, {
			error: 'unauthorized',
			message: `The delivery's signature is ${verdict.reason}.`,
			status: 401,
		});
	}

	const delivery = readDelivery(rawBody, headers, verdict.signedId, webhook.id);
	if (delivery === undefined) {
		return answer(context, 400, {
			error: 'bad_request',
			message: 'The body is not a JSON object or array.',
			status: 400,
		});
	}
	const events = delivery.events.filter(({ event }) => isWanted(recipient, event));
	if (events.length === 0) return answer(context, 200, { ignored: true });
	if (
		!options.runRepeated &&
		(await isRepeat(`${webhook.id} ${delivery.repeatKey}`, context.getResponseObject()))
	) {
		return answer(context, 200, { duplicate: true });
	}

	const request = options.includeRequest ? describeRequest(headers, rawBody) : {};
	const receivedAt = new Date(now).toISOString();
	return {
		workflowData: [events.map((event) => ({ json: toOutput(event, webhook, receivedAt, request) }))],
	};
}

/**
 * The webhook that the delivery's reference names, by the stored state and by this process's memory,
 * which knows of a publish that n8n has not saved yet. While neither says that the trigger is
 * published, what it watches is not known: such a delivery has to come again.
 */
function findRecipient(context: IWebhookFunctions): Recipient | undefined {
	const reference = readReference(context.getQueryData() as IDataObject);
	const staticData = context.getWorkflowStaticData('global');
	for (const kind of ['production', 'test'] as const) {
		const identity = identify(context, kind);
		const stored = findByReference(staticData, identity, reference);
		const remembered = recall(reference, identity);
		const isRemembered = remembered?.status === 'watched';
		const webhook = stored?.webhook ?? remembered;
		if (webhook === undefined || !(stored?.published || isRemembered)) continue;
		return {
			webhook,
			isWatched: isRemembered || webhook.status === 'watched',
			events: [...(stored?.events ?? []), ...(isRemembered ? remembered.events : [])],
			formerEvents: stored?.formerEvents ?? [],
		};
	}
	return undefined;
}

/**
 * The service sends what a webhook is subscribed to, so an event of an unknown name is taken for one
 * of those: only a name that this trigger knows not to want is left out.
 */
function isWanted({ isWatched, events, formerEvents }: Recipient, event: string | null): boolean {
	if (!isWatched) return false;
	if (event === null || events.includes(event)) return true;
	return !DOCUMENTED_EVENTS.includes(event) && !formerEvents.includes(event);
}

function toOutput(
	{ event, deliveryId, payload }: DeliveredEvent,
	webhook: KnownWebhook,
	receivedAt: string,
	request: IDataObject,
): INodeExecutionData['json'] {
	return {
		event,
		company_number: webhook.company,
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

function answer(context: IWebhookFunctions, status: number, body: IDataObject): IWebhookResponseData {
	context.getResponseObject().status(status).json(body);
	return { noWebhookResponse: true };
}

function log(context: IWebhookFunctions, what: string): void {
	context.logger.warn(`Company Registry Trigger "${context.getNode().name}": a delivery was ${what}`);
}
