import { createHmac, timingSafeEqual } from 'crypto';

import type { Claim } from './claims';
import { customSchemeProblem, findCustomClaims, type CustomScheme } from './customScheme';
import { keyIn } from './digests';
import type { DeliveryHeaders } from './headers';
import { findClaims } from './recognisedSchemes';
import { unixSeconds } from './signedContent';

/** For one delivery: each HMAC reads the whole body. */
const MAXIMUM_HMACS = 16;

/** A delivery with everything that it is verified by. */
export interface SentDelivery {
	/** The exact bytes, after content decoding. */
	rawBody: Buffer;
	headers: DeliveryHeaders;
	/** The webhook's. An empty one proves nothing. */
	secret: string;
	/** Unix time in seconds. */
	now: number;
	/** How far a signed time may differ from `now`, in seconds. */
	tolerance: number;
	/** The only scheme that counts; undefined where common formats are recognised. */
	scheme?: CustomScheme;
	/** The webhook address, for a custom scheme that signs it. */
	url?: string;
}

/** Accepted with the strongest proven claim. Its id may always be the same, such as the webhook's. */
export type Verification = { accepted: true; claim: Claim } | Rejection;

/** Why the delivery is refused. `unset`: the scheme cannot be used. */
export type Rejection = { accepted: false; reason: 'unsigned' | 'wrong' | 'unset' } | Stale;

/** `age` is in seconds since the signed time: negative if that is ahead, NaN if it is unreadable. */
export interface Stale {
	accepted: false;
	reason: 'stale';
	age: number;
	timeHeader: string;
}

/**
 * Whether a delivery was signed with the webhook's secret.
 * Never throws, and refuses what is not proven. The reader has to check that the body is whole JSON: only that
 * shows where a signed time or id ends and the body begins.
 *
 * The strongest claim decides. A stale signed time refuses the delivery, even beside a correct signature over the
 * body alone, which does not show its time.
 */
export function verifyDelivery(delivery: SentDelivery): Verification {
	const { rawBody, headers, secret, now, tolerance, scheme, url } = delivery;
	const claims = scheme ? findCustomClaims(headers, scheme, url) : findClaims(headers);
	if (claims.length === 0) {
		const problem = scheme && customSchemeProblem(scheme);
		return { accepted: false, reason: problem === undefined ? 'unsigned' : 'unset' };
	}

	let hmacsLeft = MAXIMUM_HMACS;
	let proven: Claim | undefined;
	for (const claim of claims) {
		const { time, secretEncoding } = claim;
		const key = keyIn(secret, secretEncoding);
		if (key === undefined) continue;
		// A signature without a time cannot be stale.
		const age = time === undefined ? 0 : now - unixSeconds(time.text);
		// False for NaN: an unreadable time is never current.
		const isCurrent = Math.abs(age) <= tolerance;
		// After a proven claim, only a stale one can change the result.
		if (proven !== undefined && isCurrent) continue;
		// The remaining claims could be stale.
		if (hmacsLeft-- === 0) return { accepted: false, reason: 'wrong' };
		if (!signatureOf(claim, key, rawBody)) continue;
		const timeHeader = time?.header ?? '';
		if (!isCurrent) return { accepted: false, reason: 'stale', age, timeHeader };
		proven = claim;
	}
	return proven ? { accepted: true, claim: proven } : { accepted: false, reason: 'wrong' };
}

/** The signature that proves a claim, if any. */
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
	// Constant time: no one can find a signature byte by byte. One algorithm has one length.
	return signatures.find(({ bytes }) => timingSafeEqual(bytes, expected));
}
