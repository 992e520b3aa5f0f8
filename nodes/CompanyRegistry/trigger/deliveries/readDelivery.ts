import { createHash } from 'crypto';
import { compact, filter, isObject, isString, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { normaliseCompanyNumber } from '../../shared/companyNumber';
import { offeredEvents } from '../../shared/events';
import type { DeliveryHeaders } from '../signatures/headers';
import type { SignedId } from '../signatures/verifyDelivery';
import type { Recipient } from './findRecipient';
import type { Incoming } from './incoming';

/** A verified delivery, in the trigger's words. */
export interface Delivery {
	events: DeliveredEvent[];
	/** How many events of the list are not told apart: they are the payload of the last. */
	unread: number;
	/** Tells the deliveries of one webhook apart; absent where nothing names this one. */
	key?: string;
	/** Milliseconds for which the key proves a repeat. */
	keptFor: number;
}

export interface DeliveredEvent {
	event: string | null;
	/** Stable when the service sends the delivery again; null where nothing names it. */
	deliveryId: string | null;
	payload: unknown;
}

/** n8n takes 3,000 levels; with 100,000 it answers 200 and then breaks the execution. */
const MAXIMUM_DEPTH = 1000;
/** Each becomes an item: millions would hold up all that n8n does. */
const MAXIMUM_EVENTS = 10_000;
/** In words, for an answer to the sender and the log. */
export const EXPECTED_BODY = `a JSON object or array of at most ${MAXIMUM_DEPTH} levels`;

/** Headers in which senders put an id of the delivery itself. */
const DELIVERY_ID_HEADER = /(?:^|-)(?:delivery|delivery-id|event-id)$/;
const EVENT_HEADER = /(?:^|-)event$/;
/** A longer text is no name, and not remembered as one. */
const MAXIMUM_NAME_LENGTH = 256;
/** Enough for the deliveries of a lifetime. */
const SHORT_DIGEST_LENGTH = 11;

/** For as long as a name proves a repeat, in milliseconds. */
const DAY = 24 * 60 * 60_000;
/** The same for an id that may name something else, which comes again with each event of that. */
const QUARTER_OF_AN_HOUR = 15 * 60_000;

/**
 * Reads the body of a verified delivery; undefined when it is not what {@link EXPECTED_BODY} says.
 * @param chosen names of the events that the node asks for
 * @param isNamedBy whether an id names the delivery whose body has this digest, or has come with another body, too
 */
export function readDelivery(
	{ rawBody, headers }: Pick<Incoming, 'rawBody' | 'headers'>,
	signed: SignedId,
	webhook: Pick<Recipient['webhook'], 'id' | 'company'>,
	chosen: string[],
	isNamedBy: (id: string, digest: string) => boolean = () => true,
): Delivery | undefined {
	const body = isTooDeep(rawBody) ? undefined : parseBody(rawBody);
	if (!isObject(body)) return undefined;

	const knownEvents = new Set([...offeredEvents, ...chosen]);
	const digest = createHash('sha256').update(rawBody).digest('base64url');
	const isName = (value: unknown): value is string =>
		typeof value === 'string' &&
		value !== '' &&
		value.length <= MAXIMUM_NAME_LENGTH &&
		value !== webhook.id &&
		normaliseCompanyNumber(value) !== webhook.company &&
		!knownEvents.has(value) &&
		isNamedBy(value, digest);
	const { deliveryId, ...repeat } = nameDelivery(body, headers, signed, digest, isName);
	const inHeader = headerValues(headers, EVENT_HEADER);
	const list: unknown[] = Array.isArray(body) ? body : [body];
	const rest = list.slice(MAXIMUM_EVENTS);
	const payloads = list.slice(0, MAXIMUM_EVENTS).concat(rest.length > 0 ? [rest] : []);
	const events = payloads.map((payload, index) => ({
		event: index < MAXIMUM_EVENTS ? eventOf(payload, inHeader, knownEvents) : null,
		// Events that arrive together are told apart, so that removing duplicates keeps each.
		deliveryId: deliveryId && Array.isArray(body) ? `${deliveryId}:${index}` : deliveryId,
		payload,
	}));
	return { ...repeat, events, unread: rest.length };
}

/**
 * What a delivery is called, and the key by which a repeat of it is known.
 *
 * Only a name proves a repeat, and only together with the same body: two events may well have the same body, and any
 * id may be that of something else, such as the account. A lost event costs more than a doubled one.
 */
function nameDelivery(
	body: object,
	headers: DeliveryHeaders,
	{ signedId, idNamesDelivery }: SignedId,
	digest: string,
	isName: (value: unknown) => value is string,
): { deliveryId: string | null; key?: string; keptFor: number } {
	const key = (name: string) => `${name} ${digest}`;
	const [signed] = [signedId].filter(isName);
	if (signed && idNamesDelivery) return { deliveryId: signed, key: key(signed), keptFor: DAY };
	const inHeader = headerValues(headers, DELIVERY_ID_HEADER).find(isName);
	const { delivery_id, event_id, id } = body as IDataObject;
	// Some services number their events.
	const ids = [delivery_id, event_id, id].map((one) => (typeof one === 'number' ? `${one}` : one));
	// A name that is not signed could be put on a copy of another delivery by somebody else.
	const name = signed ?? inHeader ?? ids.find(isName);
	if (name === undefined) return { deliveryId: null, keptFor: 0 };
	return {
		deliveryId: inHeader ?? `${name}:${digest.slice(0, SHORT_DIGEST_LENGTH)}`,
		key: key(name),
		keptFor: name === inHeader ? DAY : QUARTER_OF_AN_HOUR,
	};
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

const [QUOTE, ESCAPE, ...BRACKETS] = Buffer.from('"\\[{]}');

/** Looks at the bytes, because going through millions of parsed values takes seconds. */
function isTooDeep(json: Buffer): boolean {
	const [list, object, endOfList, endOfObject] = BRACKETS;
	let depth = 0;
	let isInText = false;
	for (let at = 0; at < json.length && depth <= MAXIMUM_DEPTH; at++) {
		const byte = json[at];
		if (byte === QUOTE) isInText = !isInText;
		else if (isInText) at += byte === ESCAPE ? 1 : 0;
		else if (byte === list || byte === object) depth++;
		else if (byte === endOfList || byte === endOfObject) depth--;
	}
	return depth > MAXIMUM_DEPTH;
}

/** The first name that is known, else the first. */
function eventOf(payload: unknown, inHeader: string[], known: Set<string>): string | null {
	const { event, type, event_type } = (isObject(payload) ? payload : {}) as IDataObject;
	const names = compact(filter([event, type, event_type, ...inHeader], isString));
	return names.find((name) => known.has(name)) ?? names[0] ?? null;
}

function headerValues(headers: DeliveryHeaders, shape: RegExp): string[] {
	return compact(Object.values(pickBy(headers, (_value, name) => shape.test(name))).flat());
}
