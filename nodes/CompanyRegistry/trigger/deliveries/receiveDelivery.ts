import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { eventNameOf } from '../../shared/events';
import { EXPECTED_BODY, readDelivery, type DeliveredEvent } from './readDelivery';
import { mayHappen, noteVerified } from './attention';
import { findRecipient, pickWanted, type Recipient } from './findRecipient';
import { withReference } from '../memory/destination';
import { identify } from '../memory/identity';
import { findMemory } from '../memory/trigger';
import { readDeliveryOptions } from '../parameters/deliveryOptions';
import { companyNameOf } from '../parameters/watchlist';
import { logHalfPublished, logRefusal } from './deliveryLog';
import { isTestRun, refuseUnknown, refuseUnverified } from './refuseDelivery';
import { isRepeat } from './repeats';
import type { DeliveryHeaders } from '../signatures/headers';
import { verifyDelivery } from '../signatures/verifyDelivery';

/** Never copied into the output. */
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * Answers one delivery: verifies it and starts the workflow with its events.
 * It only reads what is stored, sends no request, and does the same work however many companies are
 * watched. One exception: if a genuine delivery's webhook is stored as paused, its company is looked up
 * in the parameters.
 *
 * @throws NodeOperationError that n8n shows as a failed execution: see {@link refuseUnverified}
 */
export async function receiveDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const trigger = identify(context, 'production');
	const recipient = findRecipient(context, trigger);
	if (recipient === undefined) {
		return answer(context, 503, refuseUnknown(context, trigger));
	}

	const { webhook, sample } = recipient;
	const headers: DeliveryHeaders = context.getHeaderData();
	const options = readDeliveryOptions(context.getNodeParameter('options', {}) as IDataObject);
	const { rawBody = Buffer.alloc(0) } = context.getRequestObject();
	const now = Date.now();
	const signed = {
		rawBody,
		headers,
		now: now / 1000,
		tolerance: options.tolerance,
		// A sample is signed by this process, in a way of its own.
		scheme: sample ? undefined : options.scheme,
		url: () => destinationOf(context, webhook),
	};
	const verdict = verifyDelivery(rawBody, headers, webhook.secret, signed.now, signed);
	if (!verdict.accepted) {
		return answer(
			context,
			401,
			refuseUnverified(context, trigger, recipient, verdict.reason, signed),
		);
	}
	if (sample) sample.hasArrived = true;
	const isTest = isTestRun(context);
	if (!isTest) noteVerified(trigger, webhook.reference);
	if (recipient.isHalfPublished && mayHappen('halfPublished', trigger)) logHalfPublished(context);

	const signedId =
		verdict.signedId === undefined
			? undefined
			: { value: verdict.signedId, namesDelivery: verdict.idNamesDelivery === true };
	const delivery = readDelivery(rawBody, headers, signedId, webhook.id);
	if (delivery === undefined) {
		logRefusal(
			context,
			'unreadable',
			`for company ${webhook.company} was refused with 400 because it is signed, but its body is not ${EXPECTED_BODY}`,
		);
		return answer(context, 400, {
			error: 'bad_request',
			message: `The body is not ${EXPECTED_BODY}.`,
			status: 400,
		});
	}
	const events = pickWanted(recipient, delivery.events);
	if (events.length === 0) return answer(context, 200, { ignored: true });

	// A test shows whatever arrives, repeats too.
	const dropsRepeats = !isTest && !options.runRepeated;
	const key = { ...delivery.repeatKey, text: `${webhook.reference} ${delivery.repeatKey.text}` };
	if (dropsRepeats && (await isRepeat(key, context.getResponseObject()))) {
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

/** The address that the service delivered to, which some senders sign; undefined if n8n has none. */
function destinationOf(
	context: IWebhookFunctions,
	{ reference }: Recipient['webhook'],
): string | undefined {
	// In a test n8n names the production URL here.
	const url = isTestRun(context)
		? findMemory(identify(context, 'test'))?.testUrl
		: context.getNodeWebhookUrl('default');
	return url && withReference(url, reference);
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
	// response.json() would compute an ETag for each answer.
	response.end(text);
	return { noWebhookResponse: true };
}
