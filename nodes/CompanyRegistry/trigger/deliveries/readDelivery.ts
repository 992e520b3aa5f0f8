import { attempt, compact, filter, isError, isNumber, isObject, isString, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { normaliseCompanyNumber } from '../../shared/companyNumber';
import { digestOf } from '../../shared/digest';
import { DAY, MINUTE } from '../../shared/durations';
import { offeredEvents } from '../../shared/events';
import type { Claim } from '../signatures/claims';
import type { DeliveryHeaders } from '../signatures/headers';
import type { IncomingDelivery } from './incoming';

export type Delivery = NonNullable<ReturnType<typeof readDelivery>>;

/** n8n takes 3,000 levels. With 100,000 it answers 200 and then breaks the execution. */
const MAXIMUM_DEPTH = 1000;
/** Each event becomes an item. A longer list is one item: millions of items would stop n8n. */
const MAXIMUM_EVENTS = 10_000;

const DELIVERY_ID_HEADER = /(?:^|-)(?:delivery|delivery-id|event-id)$/;
const EVENT_HEADER = /(?:^|-)event$/;
const MAXIMUM_NAME_LENGTH = 256;
const SHORT_DIGEST_LENGTH = 11;
/** How long a delivery is remembered, in milliseconds. An id in the body may return with each event of what it names. */
export const KEPT_FOR = { idOfDelivery: DAY, idInBody: 15 * MINUTE };

/**
 * Reads the body of a verified delivery; undefined where it is not a JSON object or array of at most 1000 levels.
 * @param claim what the signature has proven
 */
export function readDelivery(
	incoming: Pick<IncomingDelivery, 'rawBody' | 'headers' | 'subscription' | 'chosenEvents'>,
	claim: Pick<Claim, 'id' | 'idNamesDelivery'>,
) {
	const { rawBody, headers, chosenEvents } = incoming;
	const body = parseBody(rawBody);
	if (!isObject(body) || isDeeper(body, MAXIMUM_DEPTH)) return undefined;

	const knownEvents = new Set([...offeredEvents, ...chosenEvents]);
	const { deliveryId, ...repeat } = nameDelivery(incoming, body, claim, knownEvents);
	const inHeader = headerValues(headers, EVENT_HEADER);
	const isList = Array.isArray(body) && body.length <= MAXIMUM_EVENTS;
	const payloads: unknown[] = isList ? body : [body];
	const events = payloads.map((payload, index) => ({
		event: eventOf(payload, inHeader, knownEvents),
		// Removing duplicates must keep each event of a list.
		deliveryId: deliveryId && isList ? `${deliveryId}:${index}` : deliveryId,
		payload,
	}));

	return { ...repeat, events };
}

/**
 * The name of a delivery and the key by which a repeat is known. Both have a digest of the body, because any id may
 * name something else, such as the account. Without a name two equal bodies are two events.
 */
function nameDelivery(
	{ rawBody, headers, subscription }: Parameters<typeof readDelivery>[0],
	body: object,
	claim: Parameters<typeof readDelivery>[1],
	knownEvents: Set<string>,
) {
	const isName = (value: unknown): value is string =>
		isString(value) &&
		value !== '' &&
		value.length <= MAXIMUM_NAME_LENGTH &&
		value !== subscription.id &&
		normaliseCompanyNumber(value) !== subscription.company &&
		!knownEvents.has(value);
	const [signed] = [claim.id?.text].filter(isName);
	const inHeader = headerValues(headers, DELIVERY_ID_HEADER).find(isName);
	const { delivery_id, event_id, id } = body as IDataObject;
	// Some services number their events.
	const ids = [delivery_id, event_id, id].map((one) => (isNumber(one) ? `${one}` : one));
	// A signed id comes first: anyone could put another header on a copy of a delivery.
	const name = signed ?? inHeader ?? ids.find(isName);
	if (name === undefined) return { deliveryId: null, key: undefined, keptFor: 0 };

	const digest = digestOf(rawBody);
	const isOfDelivery = signed ? claim.idNamesDelivery : inHeader !== undefined;

	return {
		deliveryId: `${name}:${digest.slice(0, SHORT_DIGEST_LENGTH)}`,
		/** Tells the deliveries of one webhook apart. */
		key: `${name} ${digest}`,
		/** Milliseconds for which the key counts. */
		keptFor: isOfDelivery ? KEPT_FOR.idOfDelivery : KEPT_FOR.idInBody,
	};
}

/** The body as JSON; undefined where it is something else. */
export function parseBody(rawBody: Buffer): unknown {
	// A body in another encoding must not arrive with its letters replaced.
	const decoder = new TextDecoder('utf-8', { fatal: true });
	const body: unknown = attempt(() => JSON.parse(decoder.decode(rawBody)) as unknown);
	return isError(body) ? undefined : body;
}

function isDeeper(value: unknown, levels: number): boolean {
	if (!isObject(value)) return false;
	return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** The first name that is known, otherwise the first. */
function eventOf(payload: unknown, inHeader: string[], known: Set<string>): string | null {
	const { event, type, event_type } = (isObject(payload) ? payload : {}) as IDataObject;
	const names = compact(filter([event, type, event_type, ...inHeader], isString));
	return names.find((name) => known.has(name)) ?? names[0] ?? null;
}

function headerValues(headers: DeliveryHeaders, shape: RegExp): string[] {
	return compact(Object.values(pickBy(headers, (_value, name) => shape.test(name))).flat());
}
