import { createHmac, timingSafeEqual } from 'crypto';

import type { Claim } from './claims';
import { customSchemeProblem, findCustomClaims, type CustomScheme } from './customScheme';
import { keyIn } from './digests';
import type { DeliveryHeaders } from './headers';
import { findClaims } from './recognisedSchemes';
import { unixSeconds } from './signedContent';

/** For one delivery; each is a pass over its body. */
const MAXIMUM_HMACS = 16;

/** A delivery as it has come, and what it is verified by. */
export interface SentDelivery {
	/** The exact bytes, after content decoding. */
	rawBody: Buffer;
	headers: DeliveryHeaders;
	/** The webhook's. An empty one proves nothing. */
	secret: string;
	/** When it came: Unix time in seconds. */
	now: number;
	/** How far a signed time may lie from that, before or after, in seconds. */
	tolerance: number;
	/** Set: only this scheme counts. Unset: any that is recognised does. */
	scheme?: CustomScheme;
	/** The address that the service delivered to, for a custom scheme that signs it. */
	url?: string;
}

/** With the strongest claim that was proven. The id that it covers may always be the same, such as the webhook's. */
export type Verdict = { accepted: true; claim: Claim } | Doubt;

/** Why nothing was proven. `unset`: the scheme cannot be used. */
export type Doubt = { accepted: false; reason: 'missing' | 'wrong' | 'unset' } | Stale;

/** In seconds since the signed time; negative if that is ahead, NaN if it cannot be read. */
export interface Stale {
	accepted: false;
	reason: 'stale';
	age: number;
	timeHeader: string;
}

/**
 * Whether a delivery was signed with the webhook's secret.
 * Never throws; whatever is not proven is refused. That a body is whole JSON is left to whoever reads it,
 * and has to be seen to: only that shows where a signed time or id ends and the body begins.
 *
 * The strongest claim decides. If a signed time is stale, the delivery is refused, even if a second
 * signature, over the body alone, is right: that one does not show when it was made.
 */
export function verifyDelivery(delivery: SentDelivery): Verdict {
	const { rawBody, headers, secret, now, tolerance, scheme, url } = delivery;
	const claims = scheme ? findCustomClaims(headers, scheme, url) : findClaims(headers);
	if (claims.length === 0) {
		const problem = scheme && customSchemeProblem(scheme);
		return { accepted: false, reason: problem === undefined ? 'missing' : 'unset' };
	}

	let hmacsLeft = MAXIMUM_HMACS;
	let proven: Claim | undefined;
	for (const claim of claims) {
		const { time } = claim;
		// A scheme that signs no time cannot be stale.
		const age = time === undefined ? 0 : now - unixSeconds(time.text);
		// Written so that a time that is none is never current.
		const isCurrent = Math.abs(age) <= tolerance;
		// Once one is proven, only a stale one can still change the verdict.
		if (proven !== undefined && isCurrent) continue;
		const key = keyIn(secret, claim.secretEncoding);
		if (key === undefined) continue;
		// What is left over could be stale.
		if (hmacsLeft-- === 0) return { accepted: false, reason: 'wrong' };
		if (!signatureOf(claim, key, rawBody)) continue;
		const timeHeader = time?.header ?? '';
		if (!isCurrent) return { accepted: false, reason: 'stale', age, timeHeader };
		proven = claim;
	}
	return proven ? { accepted: true, claim: proven } : { accepted: false, reason: 'wrong' };
}

/** The signature that proves a claim; undefined where none does. */
export function signatureOf(
	{ signatures, content, time, id, url }: Claim,
	key: Buffer,
	rawBody: Buffer,
): Claim['signatures'][number] | undefined {
	const parts = { '{timestamp}': time?.text, '{id}': id?.text, '{url}': url, '{body}': rawBody };
	const hmac = createHmac(signatures[0].algorithm, key);
	content.forEach((piece, index) =>
		hmac.update(index % 2 === 1 ? (parts[piece as keyof typeof parts] ?? '') : piece),
	);
	const expected = hmac.digest();
	// In constant time, so that nobody finds one out byte by byte. All are as long: they are of one algorithm.
	return signatures.find(({ bytes }) => timingSafeEqual(bytes, expected));
}
