import { createHmac, timingSafeEqual } from 'crypto';

import { findCustomClaim, type CustomScheme } from './customScheme';
import { findClaims, type SignatureClaim } from './recognisedSchemes';
import type { DeliveryHeaders } from './signatureText';

const UNIX_TIME = /^\d{1,15}(?:\.\d{1,9})?$/;
const DATE_AND_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

export interface VerificationSettings {
	/** How far a signed time may lie from now, before or after, in seconds. */
	tolerance: number;
	/** Set: only this scheme counts. Unset: any scheme of the table does. */
	scheme?: CustomScheme;
}

export type Verdict =
	| { accepted: true; /** Delivery id that the signature covers. */ signedId?: string }
	| { accepted: false; reason: 'missing' | 'wrong' | 'stale' };

/**
 * Whether a delivery was signed with the webhook's secret.
 * Never throws; whatever is not proven is refused.
 *
 * @param rawBody the exact bytes received (after content decoding)
 * @param now Unix time in seconds
 */
export function verifyDelivery(
	rawBody: Buffer,
	headers: DeliveryHeaders,
	secret: string,
	now: number,
	{ tolerance, scheme }: VerificationSettings,
): Verdict {
	const custom = scheme && findCustomClaim(headers, secret, scheme);
	const claims = scheme ? (custom ? [custom] : []) : findClaims(headers, secret);
	if (claims.length === 0) return { accepted: false, reason: 'missing' };

	let isStale = false;
	for (const claim of claims) {
		if (!isProven(claim, rawBody)) continue;
		if (isFresh(claim.timestamp, now, tolerance)) return { accepted: true, signedId: claim.id };
		isStale = true;
	}
	return { accepted: false, reason: isStale ? 'stale' : 'wrong' };
}

function isProven(
	{ algorithm, keys, content, signatures }: SignatureClaim,
	rawBody: Buffer,
): boolean {
	for (const { text, encoding } of keys) {
		const hmac = createHmac(algorithm, text, { encoding });
		for (const piece of content) hmac.update(piece ?? rawBody);
		// By way of text: Node makes a digest as text and bytes of that in less time than as bytes.
		const expected = Buffer.from(hmac.digest('hex'), 'hex');
		for (const signature of signatures) {
			if (signature.length === expected.length && timingSafeEqual(signature, expected)) return true;
		}
	}
	return false;
}

/** A scheme that signs no time cannot be stale. */
function isFresh(timestamp: string | undefined, now: number, tolerance: number): boolean {
	if (timestamp === undefined) return true;
	return Math.abs(now - unixSeconds(timestamp)) <= tolerance;
}

/** NaN for what is no time. */
function unixSeconds(timestamp: string): number {
	if (DATE_AND_TIME.test(timestamp)) return Date.parse(timestamp) / 1000;
	if (!UNIX_TIME.test(timestamp)) return NaN;
	const value = Number(timestamp);
	// Some senders sign milliseconds; as seconds such a number lies thousands of years ahead.
	return value > 1e11 ? value / 1000 : value;
}
