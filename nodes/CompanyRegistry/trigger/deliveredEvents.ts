import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { DeliveryHeaders } from './signatureSchemes';

/** A verified delivery, in the trigger's words. */
export interface Delivery {
	/** Stable when the service sends the delivery again. */
	id: string;
	/** What a repeat is recognised by: the sender's delivery id, or the body's digest. */
	repeatKey: string;
	events: DeliveredEvent[];
}

export interface DeliveredEvent {
	event: string | null;
	deliveryId: string;
	payload: unknown;
}

/** Headers in which senders put an id of the delivery itself. */
const DELIVERY_ID_HEADER = /(?:^|-)(?:delivery|delivery-id|event-id)$/;
const EVENT_HEADER = /(?:^|-)event$/;

/**
 * Reads the body of a verified delivery; undefined when it is not a JSON object or array.
 *
 * @param rawBody exact bytes, UTF-8 with or without a byte order mark
 * @param signedId delivery id that the signature covers, if any
 * @param webhookId some senders repeat the webhook's own id in every delivery: that one never counts
 */
export function readDelivery(
	rawBody: Buffer,
	headers: DeliveryHeaders,
	signedId: string | undefined,
	webhookId: string,
): Delivery | undefined {
	const body = parseBody(rawBody);
	if (typeof body !== 'object' || body === null) return undefined;

	const digest = `sha256:${createHash('sha256').update(rawBody).digest('hex')}`;
	const isDeliveryId = (value: unknown): value is string =>
		typeof value === 'string' && value !== '' && value !== webhookId;
	const sentId = [signedId, headerValue(headers, DELIVERY_ID_HEADER)].find(isDeliveryId);
	const eventInHeader = headerValue(headers, EVENT_HEADER) ?? null;
	const { delivery_id, event_id, id } = body as IDataObject;
	const ownId = Array.isArray(body) ? undefined : [delivery_id, event_id, id].find(isDeliveryId);
	const deliveryId = sentId ?? ownId ?? digest;

	const payloads: unknown[] = Array.isArray(body) ? body : [body];
	return {
		id: deliveryId,
		// An id in the body may name a filing, not the delivery: two events may share it.
		repeatKey: sentId ?? digest,
		events: payloads.map((payload, index) => ({
			event: eventInBody(payload) ?? eventInHeader,
			// Events that arrive together are told apart, so that removing duplicates keeps each.
			deliveryId: Array.isArray(body) ? `${deliveryId}:${index}` : deliveryId,
			payload,
		})),
	};
}

function parseBody(rawBody: Buffer): unknown {
	try {
		// Fatal: a body in another encoding must not arrive with its letters replaced.
		return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody));
	} catch {
		return undefined;
	}
}

function eventInBody(payload: unknown): string | undefined {
	if (typeof payload !== 'object' || payload === null) return undefined;
	const { event, type, event_type } = payload as IDataObject;
	return [event, type, event_type].find(
		(name): name is string => typeof name === 'string' && name !== '',
	);
}

function headerValue(headers: DeliveryHeaders, shape: RegExp): string | undefined {
	const name = Object.keys(headers).find((candidate) => shape.test(candidate));
	const value = name === undefined ? undefined : headers[name];
	return Array.isArray(value) ? value[0] : value || undefined;
}
