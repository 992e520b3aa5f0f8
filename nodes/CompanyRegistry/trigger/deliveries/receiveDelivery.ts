import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { EXPECTED_BODY, readDelivery, type DeliveredEvent } from './readDelivery';
import type { KnownWebhook } from '../memory/webhookLines';
import { readDeliveryOptions } from '../parameters/deliveryOptions';
import { findRecipient, pickWanted } from './findRecipient';
import { logRefusal } from './refusalLog';
import { isRepeat } from './repeats';
import type { DeliveryHeaders } from '../signatures/headers';
import { verifyDelivery } from '../signatures/verifyDelivery';

/** Seconds after which a sender is asked to try again when the fault is ours. */
const RETRY_AFTER = 30;
/** Why a delivery is refused, for the log. */
const REFUSALS = {
	missing: 'missing a signature of a known form',
	wrong: 'with a wrong signature',
	stale: 'with a stale signature: its time is further from now than the tolerance',
};
/** Never copied into the output. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * Answers one delivery: verifies it and starts the workflow with its events.
 * Only reads what is stored, asks nobody, and does the same work however many companies are watched;
 * but for a genuine delivery of a webhook stored as paused, whose company is looked for among the parameters.
 */
export async function receiveDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const headers: DeliveryHeaders = context.getHeaderData();
	const recipient = findRecipient(context);
	if (recipient === undefined) {
		logRefusal(
			context,
			'unknown',
			'answered 503: no secret is known for its reference; if this lasts, unpublish the workflow and publish it again',
		);
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
		logRefusal(
			context,
			verdict.reason,
			`refused with 401: for company ${webhook.company}, ${REFUSALS[verdict.reason]}`,
		);
		return answer(context, 401, {
			error: 'unauthorized',
			message: `The delivery's signature is ${verdict.reason}.`,
			status: 401,
		});
	}

	const delivery = readDelivery(rawBody, headers, verdict.signedId, webhook.id);
	if (delivery === undefined) {
		logRefusal(
			context,
			'unreadable',
			`refused with 400: for company ${webhook.company}, signed but not ${EXPECTED_BODY}`,
		);
		return answer(context, 400, {
			error: 'bad_request',
			message: `The body is not ${EXPECTED_BODY}.`,
			status: 400,
		});
	}
	const events = pickWanted(recipient, delivery.events);
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
		workflowData: [
			events.map((event) => ({ json: toOutput(event, webhook, receivedAt, request) })),
		],
	};
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

function answer(
	context: IWebhookFunctions,
	status: number,
	body: IDataObject,
): IWebhookResponseData {
	const response = context.getResponseObject();
	const text = JSON.stringify(body);
	response.statusCode = status;
	response.setHeader('Content-Type', 'application/json; charset=utf-8');
	response.setHeader('Content-Length', Buffer.byteLength(text));
	// Not by Express's own way, which makes a hash of every answer for caches that no sender has.
	response.end(text);
	return { noWebhookResponse: true };
}
