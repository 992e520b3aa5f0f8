import { compact, filter, isObject, isString, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { normaliseCompanyNumber } from '../../shared/companyNumber';
import { digestOf } from '../../shared/digest';
import { offeredEvents } from '../../shared/events';
import type { Claim } from '../signatures/claims';
import type { DeliveryHeaders } from '../signatures/headers';
import type { Incoming } from './incoming';

/** A verified delivery, in the trigger's words. */
export interface Delivery {
	events: Array<{
		event: string | null;
		/** Stable when the service sends the delivery again; null where nothing names it. */
		deliveryId: string | null;
		payload: unknown;
	}>;
	/** Tells the deliveries of one webhook apart; absent where nothing names this one. */
	key?: string;
	/** Milliseconds for which the key proves a repeat. */
	keptFor: number;
}

/** n8n takes 3,000 levels; with 100,000 it answers 200 and then breaks the execution. */
const MAXIMUM_DEPTH = 1000;
/** Each becomes an item. Of a longer list millions could come, and hold up all that n8n does: it is one item. */
const MAXIMUM_EVENTS = 10_000;

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
 * Reads the body of a verified delivery; undefined when it is not a JSON object or array of at most 1000
 * levels.
 * @param claim what was proven of it
 */
export function readDelivery(
	incoming: Pick<Incoming, 'rawBody' | 'headers' | 'webhook' | 'chosen' | 'record'>,
	claim: Pick<Claim, 'id' | 'idNamesDelivery'>,
): Delivery | undefined {
	const body = isTooDeep(incoming.rawBody) ? undefined : parseBody(incoming.rawBody);
	if (!isObject(body)) return undefined;
	const knownEvents = new Set([...offeredEvents, ...incoming.chosen]);
	const { deliveryId, ...repeat } = nameDelivery(incoming, body, claim, knownEvents);
	const inHeader = headerValues(incoming.headers, EVENT_HEADER);
	const isList = Array.isArray(body) && body.length <= MAXIMUM_EVENTS;
	const payloads: unknown[] = isList ? body : [body];
	const events = payloads.map((payload, index) => ({
		event: eventOf(payload, inHeader, knownEvents),
		// Events that arrive together are told apart, so that removing duplicates keeps each.
		deliveryId: deliveryId && isList ? `${deliveryId}:${index}` : deliveryId,
		payload,
	}));
	return { ...repeat, events };
}

/**
 * What a delivery is called, and the key by which a repeat of it is known.
 *
 * Only a name proves a repeat, and only together with the same body: two events may well have the same body, and any
 * id may be that of something else, such as the account. A lost event costs more than a doubled one.
 */
function nameDelivery(
	{ rawBody, headers, webhook, record }: Parameters<typeof readDelivery>[0],
	body: object,
	claim: Parameters<typeof readDelivery>[1],
	knownEvents: Set<string>,
): { deliveryId: string | null; key?: string; keptFor: number } {
	const digest = digestOf(rawBody);
	const isName = (value: unknown): value is string =>
		typeof value === 'string' &&
		value !== '' &&
		value.length <= MAXIMUM_NAME_LENGTH &&
		value !== webhook.id &&
		normaliseCompanyNumber(value) !== webhook.company &&
		!knownEvents.has(value) &&
		record.isNamedBy(value, digest);
	const key = (name: string) => `${name} ${digest}`;
	const [signed] = [claim.id?.text].filter(isName);
	if (signed && claim.idNamesDelivery)
		return { deliveryId: signed, key: key(signed), keptFor: DAY };
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
