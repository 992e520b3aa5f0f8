import { createHmac, type Hmac } from 'crypto';

import { findCustomClaim, type CustomScheme } from './customScheme';
import { isSameDigest } from './digests';
import type { DeliveryHeaders } from './headers';
import type { HmacKey } from './keys';
import { CONTRADICTION, findClaims, MAXIMUM_HMACS, type SignatureClaim } from './recognisedSchemes';
import { isReadOneWay, unixSeconds, type SignedContent, type SignedValues } from './signedContent';

export interface VerificationSettings {
	/** How far a signed time may lie from now, before or after, in seconds. */
	tolerance: number;
	/** Set: only this scheme counts. Unset: any that is recognised does. */
	scheme?: CustomScheme;
	/** The address that the service delivered to, for a custom scheme that signs it. */
	url?: () => string | undefined;
}

export type Verdict =
	| {
			accepted: true;
			/**
			 * The id that the signature covers. It names the delivery only together with the body: some
			 * senders sign an id that is always the same, such as the webhook's own.
			 */
			signedId?: string;
	  }
	| { accepted: false; reason: 'missing' | 'wrong' | 'stale' };

/**
 * Whether a delivery was signed with the webhook's secret.
 * Never throws; whatever is not proven is refused.
 *
 * The strongest claim decides. If a signed time is stale, the delivery is refused, even if a second
 * signature, over the body alone, is right: that one does not show when it was made.
 *
 * @param rawBody the exact bytes received (after content decoding)
 * @param now Unix time in seconds
 */
export function verifyDelivery(
	rawBody: Buffer,
	headers: DeliveryHeaders,
	secret: string,
	now: number,
	{ tolerance, scheme, url }: VerificationSettings,
): Verdict {
	const claims = scheme ? findCustomClaim(headers, scheme, url) : findClaims(headers);
	if (claims === CONTRADICTION) return { accepted: false, reason: 'wrong' };
	if (claims.length === 0) return { accepted: false, reason: 'missing' };

	const budget = { hmacs: MAXIMUM_HMACS, isExceeded: false };
	let accepted: Verdict | undefined;
	for (const claim of claims) {
		const isCurrent = isFresh(claim.values['{timestamp}'], now, tolerance);
		// Once one is proven, only a stale one can still change the verdict.
		if (accepted !== undefined && isCurrent) continue;
		if (!isProven(claim, rawBody, secret, budget)) continue;
		if (!isCurrent) return { accepted: false, reason: 'stale' };
		accepted = { accepted: true, signedId: claim.values['{id}'] };
	}
	// A claim that was not tried could be stale.
	if (accepted === undefined || budget.isExceeded) return { accepted: false, reason: 'wrong' };
	return accepted;
}

function isProven(
	{ algorithm, keys, contents, values, signatures }: SignatureClaim,
	rawBody: Buffer,
	secret: string,
	budget: { hmacs: number; isExceeded: boolean },
): boolean {
	for (const readKey of keys) {
		const key = readKey(secret);
		if (key === undefined) continue;
		for (const content of contents) {
			if (!isReadOneWay(content, values, rawBody)) continue;
			if (budget.hmacs === 0) {
				budget.isExceeded = true;
				return false;
			}
			budget.hmacs--;
			const expected = computeHmac(algorithm, key, content, values, rawBody);
			if (signatures.some((signature) => isSameDigest(signature, expected))) return true;
		}
	}
	return false;
}

/** The digest that a genuine delivery carries. */
export function computeHmac(
	algorithm: string,
	key: HmacKey,
	content: SignedContent,
	values: SignedValues,
	rawBody: Buffer,
): Buffer {
	const hmac = createHmac(algorithm, key.text, { encoding: key.encoding });
	let text = '';
	for (const piece of content) {
		if (piece === '{body}') {
			addText(hmac, text);
			hmac.update(rawBody);
			text = '';
		} else {
			text += valueOf(piece, values);
		}
	}
	addText(hmac, text);
	// digest('hex') and Buffer.from take less time in Node than digest(): see bench/verifier.ts.
	return Buffer.from(hmac.digest('hex'), 'hex');
}

/** Each update() costs time: neighbouring texts are joined first, and there may be none. */
function addText(hmac: Hmac, text: string): void {
	if (text !== '') hmac.update(text);
}

/** Own properties only, because a template may hold any text. */
function valueOf(piece: string, values: SignedValues): string {
	return Object.hasOwn(values, piece) ? String(values[piece as keyof SignedValues]) : piece;
}

/** A scheme that signs no time cannot be stale. */
function isFresh(timestamp: string | undefined, now: number, tolerance: number): boolean {
	if (timestamp === undefined) return true;
	return Math.abs(now - unixSeconds(timestamp)) <= tolerance;
}
