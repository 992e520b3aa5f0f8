import { createHmac, type Hmac } from 'crypto';

import { findCustomClaim, type CustomScheme } from './customScheme';
import { isSameDigest } from './digests';
import type { DeliveryHeaders } from './headers';
import type { HmacKey } from './keys';
import { CONTRADICTION, findClaims, type SignatureClaim } from './recognisedSchemes';
import { isReadOneWay, unixSeconds, type SignedContent, type SignedValues } from './signedContent';

/** For one delivery; each is a pass over its body. */
const MAXIMUM_HMACS = 16;
/**
 * Ranks of a claim's first four contents where the secret is not read in the likeliest way. Where it is,
 * the rank is the content's place: what few senders sign stands after what many do.
 */
const RANKS_OF_OTHER_KEY = [0.5, 1.5, 3.5, 3.6];
const RANK_OF_UNLIKELY = 4;

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
			/** Whether the format says that each delivery has such an id of its own. */
			idNamesDelivery?: boolean;
	  }
	| { accepted: false; reason: 'missing' | 'wrong' }
	/** In seconds since the signed time; negative if that is ahead. */
	| { accepted: false; reason: 'stale'; age: number };

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

	const bound = boundOf(claims, rawBody, secret);
	let accepted: Verdict | undefined;
	for (const claim of claims) {
		const age = ageOf(claim.values['{timestamp}'], now);
		// Written so that a time that is none is never current.
		const isCurrent = Math.abs(age) <= tolerance;
		// Once one is proven, only a stale one can still change the verdict.
		if (accepted !== undefined && isCurrent) continue;
		if (!isProven(claim, rawBody, secret, bound)) continue;
		if (!isCurrent) return { accepted: false, reason: 'stale', age };
		const { values, idNamesDelivery } = claim;
		accepted = { accepted: true, signedId: values['{id}'], idNamesDelivery };
	}
	// A claim that was not tried could be stale.
	if (accepted === undefined || bound.leavesOutClaim) return { accepted: false, reason: 'wrong' };
	return accepted;
}

/** Which attempts are made: all up to a rank, and at that rank as many as there is room for. */
interface Bound {
	rank: number;
	room: number;
	/** Whether a claim's likeliest attempt was left out. */
	leavesOutClaim: boolean;
}

/** Headers may claim more than can be tried, such as two times or two algorithms. */
function boundOf(claims: SignatureClaim[], rawBody: Buffer, secret: string): Bound {
	let most = 0;
	for (const { keys, contents } of claims) most += keys.length * contents.length;
	if (most <= MAXIMUM_HMACS) return { rank: Infinity, room: 0, leavesOutClaim: false };

	const ranks: number[] = [];
	for (const claim of claims) {
		const { keys, contents, values } = claim;
		const count = keys.filter((readKey) => readKey(secret) !== undefined).length;
		for (let content = 0; content < contents.length; content++) {
			if (!isReadOneWay(contents[content], values, rawBody)) continue;
			for (let key = 0; key < count; key++) ranks.push(rankOf(claim, key, content));
		}
	}
	ranks.sort((one, other) => one - other);
	const rank = ranks[MAXIMUM_HMACS] ?? Infinity;
	const room = ranks.slice(0, MAXIMUM_HMACS).filter((one) => one === rank).length;
	return { rank, room, leavesOutClaim: false };
}

/**
 * How unlikely an attempt is to be the one that proves a delivery, from 0. Of an unlikely claim only the
 * likeliest attempt comes before those of others. SHA-512 is rarer than SHA-256.
 *
 * @param key of those that the secret has, which are tried in this order
 */
function rankOf({ algorithm, isLikely }: SignatureClaim, key: number, content: number): number {
	let rank = key === 0 ? content : (RANKS_OF_OTHER_KEY[content] ?? content + 2);
	if (!isLikely && rank > 0) rank += RANK_OF_UNLIKELY;
	return algorithm === 'sha512' ? rank + 1 : rank;
}

function isProven(claim: SignatureClaim, rawBody: Buffer, secret: string, bound: Bound): boolean {
	const { algorithm, keys, contents, values, signatures } = claim;
	let keysRead = 0;
	for (const readKey of keys) {
		const key = readKey(secret);
		if (key === undefined) continue;
		for (let index = 0; index < contents.length; index++) {
			if (!isReadOneWay(contents[index], values, rawBody)) continue;
			if (!isWithin(bound, rankOf(claim, keysRead, index))) {
				bound.leavesOutClaim ||= keysRead + index === 0;
				continue;
			}
			const expected = computeHmac(algorithm, key, contents[index], values, rawBody);
			if (signatures.some((signature) => isSameDigest(signature, expected))) return true;
		}
		keysRead++;
	}
	return false;
}

function isWithin(bound: Bound, rank: number): boolean {
	return rank < bound.rank || (rank === bound.rank && bound.room-- > 0);
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

/** In seconds. A scheme that signs no time cannot be stale. */
function ageOf(timestamp: string | undefined, now: number): number {
	return timestamp === undefined ? 0 : now - unixSeconds(timestamp);
}
