import { createHmac } from 'crypto';

import { findCustomClaim, type CustomScheme } from './customScheme';
import { isSameDigest, keyIn } from './digests';
import type { DeliveryHeaders } from './headers';
import { CONTRADICTION, findClaims, type SignatureClaim } from './recognisedSchemes';
import { unixSeconds, type SignedContent, type SignedValues } from './signedContent';

/** For one delivery; each is a pass over its body. */
const MAXIMUM_HMACS = 16;

export interface VerificationSettings {
	/** How far a signed time may lie from now, before or after, in seconds. */
	tolerance: number;
	/** Set: only this scheme counts. Unset: any that is recognised does. */
	scheme?: CustomScheme;
	/** The address that the service delivered to, for a custom scheme that signs it. */
	url?: string;
}

export interface SignedId {
	/** The id that the signature covers. Some senders sign one that is always the same, such as the webhook's. */
	signedId?: string;
	/** Whether the format says that each delivery has such an id of its own. */
	idNamesDelivery?: boolean;
}

export type Verdict = Proof | Doubt;

/** What has been proven. */
export interface Proof extends SignedId {
	accepted: true;
	/** Whether the strongest signature that has proven it covers a time. */
	isTimed: boolean;
}

/** Why nothing has. */
export type Doubt =
	| { accepted: false; reason: 'missing' | 'wrong' }
	/** In seconds since the signed time; negative if that is ahead, NaN if it cannot be read. */
	| { accepted: false; reason: 'stale'; age: number; timeHeader: string };

/**
 * Whether a delivery was signed with the webhook's secret.
 * Never throws; whatever is not proven is refused. That a body is whole JSON is left to whoever reads it,
 * and has to be seen to: only that shows where a signed time or id ends and the body begins.
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

	let hmacsLeft = MAXIMUM_HMACS;
	let accepted: Proof | undefined;
	for (const { claim, key, content } of attempts(claims, secret)) {
		const { algorithm, values, timeHeader = '', signatures, idNamesDelivery } = claim;
		const timestamp = values['{timestamp}'];
		// A scheme that signs no time cannot be stale.
		const age = timestamp === undefined ? 0 : now - unixSeconds(timestamp);
		// Written so that a time that is none is never current.
		const isCurrent = Math.abs(age) <= tolerance;
		// Once one is proven, only a stale one can still change the verdict.
		if (accepted !== undefined && isCurrent) continue;
		// What is left over could be stale.
		if (hmacsLeft-- === 0) return { accepted: false, reason: 'wrong' };
		const expected = computeHmac(algorithm, key, content, values, rawBody);
		if (!signatures.some((signature) => isSameDigest(signature, expected))) continue;
		if (!isCurrent) return { accepted: false, reason: 'stale', age, timeHeader };
		const isTimed = timestamp !== undefined;
		accepted = { accepted: true, isTimed, signedId: values['{id}'], idNamesDelivery };
	}
	return accepted ?? { accepted: false, reason: 'wrong' };
}

/** All that could prove the claims: each with the key that the secret most likely is, then each with the next. */
function* attempts(
	claims: SignatureClaim[],
	secret: string,
): Generator<{ claim: SignatureClaim; key: Buffer; content: SignedContent }> {
	for (const place of [0, 1, 2]) {
		for (const claim of claims.filter(({ keys }) => place < keys.length)) {
			const key = keyIn(secret, claim.keys[place]);
			if (key !== undefined) for (const content of claim.contents) yield { claim, key, content };
		}
	}
}

/** The digest that a genuine delivery carries. */
function computeHmac(
	algorithm: string,
	key: Buffer,
	content: SignedContent,
	values: SignedValues,
	rawBody: Buffer,
): Buffer {
	const hmac = createHmac(algorithm, key);
	for (const piece of content) {
		hmac.update(piece === '{body}' ? rawBody : valueOf(piece, values));
	}
	return hmac.digest();
}

/** Own properties only, because a template may hold any text. */
function valueOf(piece: string, values: SignedValues): string {
	return Object.hasOwn(values, piece) ? String(values[piece as keyof SignedValues]) : piece;
}
