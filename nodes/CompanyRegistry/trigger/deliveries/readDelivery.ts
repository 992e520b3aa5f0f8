import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { RepeatKey } from './repeats';
import type { DeliveryHeaders } from '../signatures/headers';

/** A verified delivery, in the trigger's words. */
export interface Delivery {
	/** Tells the deliveries of one webhook apart. */
	repeatKey: RepeatKey;
	events: DeliveredEvent[];
}

/** An id that the signature covers. */
export interface SignedId {
	value: string;
	/**
	 * Whether the format says that each delivery has one of its own. What a custom scheme calls an id
	 * may be the sender's or the account's, and the same for ever.
	 */
	namesDelivery: boolean;
}

export interface DeliveredEvent {
	event: string | null;
	/** Stable when the service sends the delivery again. */
	deliveryId: string;
	payload: unknown;
}

/** n8n takes 3,000 levels; with 100,000 it answers 200 and then breaks the execution. */
const MAXIMUM_DEPTH = 1000;
/** In words, for an answer to the sender and the log. */
export const EXPECTED_BODY = `a JSON object or array of at most ${MAXIMUM_DEPTH} levels`;

/** Headers in which senders put an id of the delivery itself. */
const DELIVERY_ID_HEADER = /(?:^|-)(?:delivery|delivery-id|event-id)$/;
/** Hex digits, enough for the deliveries of a lifetime. */
const SHORT_DIGEST_LENGTH = 16;
const EVENT_HEADER = /(?:^|-)event$/;

/**
 * Reads the body of a verified delivery; undefined when it is not what {@link EXPECTED_BODY} says.
 *
 * @param rawBody exact bytes, UTF-8 with or without a byte order mark
 * @param webhookId some senders repeat the webhook's own id in every delivery: that one never counts
 */
export function readDelivery(
	rawBody: Buffer,
	headers: DeliveryHeaders,
	signedId: SignedId | undefined,
	webhookId: string,
): Delivery | undefined {
	const body = parseBody(rawBody);
	if (typeof body !== 'object' || body === null || isTooDeep(body)) return undefined;

	const digest = createHash('sha256').update(rawBody).digest('hex');
	const [eventInHeader = null] = headerValues(headers, EVENT_HEADER);
	const { delivery_id, event_id, id } = body as IDataObject;
	const isId = (value: unknown): value is string =>
		typeof value === 'string' && value !== '' && value !== webhookId;
	const ids: DeliveryIds = {
		signed: isId(signedId?.value) ? signedId : undefined,
		inHeader: headerValues(headers, DELIVERY_ID_HEADER).find(isId),
		inBody: [delivery_id, event_id, id].find(isId),
	};
	const deliveryId = nameDelivery(ids, digest);

	const payloads: unknown[] = Array.isArray(body) ? body : [body];
	return {
		repeatKey: repeatKey(ids, digest),
		events: payloads.map((payload, index) => ({
			event: eventInBody(payload) ?? eventInHeader,
			// Events that arrive together are told apart, so that removing duplicates keeps each.
			deliveryId: Array.isArray(body) ? `${deliveryId}:${index}` : deliveryId,
			payload,
		})),
	};
}

/** What came with a delivery that may be its id. */
interface DeliveryIds {
	signed: SignedId | undefined;
	inHeader: string | undefined;
	inBody: string | undefined;
}

/**
 * The same when the delivery comes again, and different when another one comes. An id that may name
 * something else, such as the company, has a part of the body's digest added to it.
 */
function nameDelivery({ signed, inHeader, inBody }: DeliveryIds, digest: string): string {
	if (signed?.namesDelivery) return signed.value;
	if (inHeader !== undefined) return inHeader;
	const other = signed?.value ?? inBody;
	return other === undefined
		? `sha256:${digest}`
		: `${other}:${digest.slice(0, SHORT_DIGEST_LENGTH)}`;
}

/**
 * An id that is not signed may be put on a copy of another delivery by somebody else: alone it must
 * not make a genuine delivery count as a repeat.
 */
function repeatKey({ signed, inHeader }: DeliveryIds, digest: string): RepeatKey {
	if (signed?.namesDelivery) return { text: signed.value, knownBy: 'id' };
	if (signed) return { text: `${signed.value} ${digest}`, knownBy: 'content' };
	if (inHeader !== undefined) return { text: `${inHeader} ${digest}`, knownBy: 'id' };
	return { text: ` ${digest}`, knownBy: 'content' };
}

function parseBody(rawBody: Buffer): unknown {
	try {
		// Fatal: a body in another encoding must not arrive with its letters replaced.
		return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody));
	} catch {
		return undefined;
	}
}

/** Goes through a parsed body level by level: recursion would meet the same limit. */
function isTooDeep(body: object): boolean {
	let level: object[] = [body];
	for (let depth = 1; level.length > 0; depth++) {
		if (depth > MAXIMUM_DEPTH) return true;
		level = level.flatMap((parent) => Object.values(parent).filter(isObject));
	}
	return false;
}

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}

function eventInBody(payload: unknown): string | undefined {
	if (!isObject(payload)) return undefined;
	const { event, type, event_type } = payload as IDataObject;
	return [event, type, event_type].find(
		(name): name is string => typeof name === 'string' && name !== '',
	);
}

function headerValues(headers: DeliveryHeaders, shape: RegExp): string[] {
	return Object.entries(headers)
		.filter(([name]) => shape.test(name))
		.flatMap(([, value]) => value ?? [])
		.filter((value) => value !== '');
}
