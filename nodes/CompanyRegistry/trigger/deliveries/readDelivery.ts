import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { normaliseCompanyNumber } from '../../shared/companyNumber';
import type { DeliveryHeaders } from '../signatures/headers';
import type { SignedId } from '../signatures/verifyDelivery';
import type { Recipient } from './findRecipient';

/** A verified delivery, in the trigger's words. */
export interface Delivery {
	events: DeliveredEvent[];
	/** Tells the deliveries of one webhook apart; absent where nothing names this one. */
	key?: string;
	/** Milliseconds for which the key proves a repeat. */
	keptFor: number;
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
const EVENT_HEADER = /(?:^|-)event$/;
/** Hex digits, enough for the deliveries of a lifetime. */
const SHORT_DIGEST_LENGTH = 16;

/** For as long as a name proves a repeat, in milliseconds. */
const DAY = 24 * 60 * 60_000;
/** The same for an id that may name something else, which comes again with each event of that. */
const QUARTER_OF_AN_HOUR = 15 * 60_000;

/**
 * Reads the body of a verified delivery; undefined when it is not what {@link EXPECTED_BODY} says.
 *
 * @param rawBody exact bytes, UTF-8 with or without a byte order mark
 */
export function readDelivery(
	rawBody: Buffer,
	headers: DeliveryHeaders,
	signed: SignedId,
	webhook: Pick<Recipient['webhook'], 'id' | 'company'>,
): Delivery | undefined {
	const body = parseBody(rawBody);
	if (!isObject(body) || isTooDeep(body)) return undefined;

	const [eventInHeader = null] = headerValues(headers, EVENT_HEADER);
	const { deliveryId, ...repeat } = nameDelivery(rawBody, body, headers, signed, webhook);
	const payloads: unknown[] = Array.isArray(body) ? body : [body];
	return {
		...repeat,
		events: payloads.map((payload, index) => ({
			event: eventInBody(payload) ?? eventInHeader,
			// Events that arrive together are told apart, so that removing duplicates keeps each.
			deliveryId: Array.isArray(body) ? `${deliveryId}:${index}` : deliveryId,
			payload,
		})),
	};
}

/**
 * What a delivery is called, and the key by which a repeat of it is known.
 *
 * Only a name proves a repeat: two events may well have the same body, and a lost event costs more than a
 * doubled one. A name that is not signed could be put on a copy of another delivery by somebody else,
 * and an id may be that of something else, such as the account: such a name counts only together with the body.
 */
function nameDelivery(
	rawBody: Buffer,
	body: object,
	headers: DeliveryHeaders,
	{ signedId, idNamesDelivery }: SignedId,
	webhook: Pick<Recipient['webhook'], 'id' | 'company'>,
): { deliveryId: string; key?: string; keptFor: number } {
	const isName = (value: unknown): value is string =>
		typeof value === 'string' &&
		value !== '' &&
		value !== webhook.id &&
		normaliseCompanyNumber(value) !== webhook.company;
	const { delivery_id, event_id, id } = body as IDataObject;
	const [signed] = [signedId].filter(isName);
	const [inHeader] = headerValues(headers, DELIVERY_ID_HEADER).filter(isName);
	const [inBody] = [delivery_id, event_id, id].map(asText).filter(isName);
	if (signed && idNamesDelivery) return { deliveryId: signed, key: signed, keptFor: DAY };

	const digest = createHash('sha256').update(rawBody).digest('hex');
	const [name] = [signed, inHeader, inBody].filter(isName);
	const other = signed ?? inBody;
	return {
		deliveryId:
			inHeader ?? (other ? `${other}:${digest.slice(0, SHORT_DIGEST_LENGTH)}` : `sha256:${digest}`),
		key: name && `${name} ${digest}`,
		keptFor: name === inHeader ? DAY : QUARTER_OF_AN_HOUR,
	};
}

/** Some services number their events. */
function asText(value: unknown): unknown {
	return typeof value === 'number' ? String(value) : value;
}

/** The body as JSON; undefined when it is none. */
export function parseBody(rawBody: Buffer): unknown {
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
