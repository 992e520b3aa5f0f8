import { attempt, compact, filter, isError, isNumber, isObject, isString, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { normaliseCompanyNumber } from '../../shared/companyNumber';
import { digestOf } from '../../shared/digest';
import { MINUTE } from '../../shared/durations';
import { offeredEvents } from '../../shared/events';
import type { Claim } from '../signatures/claims';
import type { DeliveryHeaders } from '../signatures/headers';
import type { IncomingDelivery } from './incoming';

export type Delivery = NonNullable<ReturnType<typeof readDelivery>>;

const DELIVERY_ID_HEADER = /(?:^|-)(?:delivery|delivery-id|event-id)$/;
const EVENT_HEADER = /(?:^|-)event$/;
const MAXIMUM_NAME_LENGTH = 256;
const SHORT_DIGEST_LENGTH = 11;
/**
 * How long a delivery is remembered. An id may name something else, such as the account, and return with each event: a
 * doubled event costs less than a lost one.
 */
export const KEPT_FOR = 15 * MINUTE;

/**
 * Reads the body of a verified delivery; undefined where it is not a JSON object or array.
 * @param claim what the signature has proven
 */
export function readDelivery(
	incoming: Pick<IncomingDelivery, 'rawBody' | 'headers' | 'subscription' | 'chosenEvents'>,
	claim: Pick<Claim, 'id'>,
) {
	const { rawBody, headers, chosenEvents } = incoming;
	const body = parseBody(rawBody);
	if (!isObject(body)) return undefined;

	const knownEvents = new Set([...offeredEvents, ...chosenEvents]);
	const { deliveryId, key } = nameDelivery(incoming, body, claim);
	const inHeader = headerValues(headers, EVENT_HEADER);
	const isList = Array.isArray(body);
	const payloads: unknown[] = isList ? body : [body];
	const events = payloads.map((payload, index) => ({
		event: eventOf(payload, inHeader, knownEvents),
		// Removing duplicates must keep each event of a list.
		deliveryId: deliveryId && isList ? `${deliveryId}:${index}` : deliveryId,
		payload,
	}));

	return { key, events };
}

/**
 * The name of a delivery and the key by which a repeat is known. Both have a digest of the body, because any id may
 * name something else, such as the account. Without a name two equal bodies are two events.
 */
function nameDelivery(
	{ rawBody, headers, subscription }: Parameters<typeof readDelivery>[0],
	body: object,
	claim: Parameters<typeof readDelivery>[1],
): { deliveryId: string | null; key?: string } {
	const isName = (value: unknown): value is string =>
		isString(value) &&
		value !== '' &&
		value.length <= MAXIMUM_NAME_LENGTH &&
		value !== subscription.id &&
		normaliseCompanyNumber(value) !== subscription.company;
	const { delivery_id, event_id, id } = body as IDataObject;
	// Some services number their events.
	const ids = [delivery_id, event_id, id].map((one) => (isNumber(one) ? `${one}` : one));
	// A signed id comes first: anyone could put another header on a copy of a delivery.
	const names = [claim.id?.text, ...headerValues(headers, DELIVERY_ID_HEADER), ...ids];
	const name = names.find(isName);
	if (name === undefined) return { deliveryId: null };

	const digest = digestOf(rawBody);
	return {
		deliveryId: `${name}:${digest.slice(0, SHORT_DIGEST_LENGTH)}`,
		key: `${name} ${digest}`,
	};
}

/** The body as JSON; undefined where it is something else. */
function parseBody(rawBody: Buffer): unknown {
	// A body in another encoding must not arrive with its letters replaced.
	const decoder = new TextDecoder('utf-8', { fatal: true });
	const body: unknown = attempt(() => JSON.parse(decoder.decode(rawBody)) as unknown);
	return isError(body) ? undefined : body;
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
