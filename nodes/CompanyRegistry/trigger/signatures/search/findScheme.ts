import type { CustomScheme } from '../customScheme';
import { isSameDigest } from '../digests';
import type { DeliveryHeaders } from '../headers';
import { keyIn, type SecretEncoding } from '../keys';
import { findCandidates } from './schemeCandidates';
import { describeScheme } from './describeScheme';
import { proposals } from './proposals';
import { parseContent } from '../signedContent';
import { computeHmac, verifyDelivery } from '../verifyDelivery';

/**
 * One search makes no more HMACs, and puts no more bytes through them. Both took some 40 ms of a core
 * of 2026 at most: the first for a body of 1 KB, the second for one of 100 KB.
 */
export const MAXIMUM_SEARCH = { hmacs: 10_000, bytes: 32 * 1024 * 1024 };

const SECRET_ENCODINGS: SecretEncoding[] = ['utf8', 'base64', 'hex'];

/** A delivery that was refused although its webhook is known. */
export interface RefusedDelivery {
	rawBody: Buffer;
	headers: DeliveryHeaders;
	secret: string;
	/** Unix time in seconds. */
	now: number;
	/** In seconds. */
	tolerance: number;
	/** The custom scheme by which it was refused, if one is set. */
	scheme?: CustomScheme;
	/** Whether its webhook has verified others: then what is set is right. */
	hasVerified?: boolean;
	/** The address that the service delivered to. */
	url?: () => string | undefined;
}

/** What was found out about a delivery that is genuine: only the sender has the secret. */
export type Finding =
	/** These settings prove this very delivery. */
	| { kind: 'custom'; scheme: CustomScheme }
	/** The delivery is recognised by itself: the custom scheme that is set does not fit. */
	| { kind: 'recognised' }
	/** Its signed time lies this many seconds before now; a negative number is ahead. */
	| { kind: 'stale'; age: number };

/**
 * Looks for the settings of a custom scheme that would have proven a refused delivery; undefined when
 * nothing within reach does. Never throws; nothing is accepted because of what it finds.
 *
 * Somebody who has captured a delivery can send it again without some of its headers, so that it is
 * refused, and only its weakest signature is left. So nothing is found that signs no time where the
 * scheme that is set signs one, or where the webhook has verified others; and after that, no scheme is
 * found needless.
 */
export function findScheme(delivery: RefusedDelivery): Finding | undefined {
	const { rawBody, headers, secret, now, tolerance, url, scheme, hasVerified = false } = delivery;
	const verify = (by?: CustomScheme, at = now) =>
		verifyDelivery(rawBody, headers, secret, at, { tolerance, scheme: by, url });
	const recognised = verify();
	for (const verdict of [scheme ? verify(scheme) : recognised, recognised]) {
		if (!verdict.accepted && verdict.reason === 'stale') return { kind: 'stale', age: verdict.age };
	}
	const needsTime = hasVerified || (scheme !== undefined && signsTime(scheme.content));
	if (recognised.accepted) {
		if (hasVerified) return undefined;
		// At no time at all, only what signs none is current.
		if (!needsTime || !verify(undefined, NaN).accepted) return { kind: 'recognised' };
	}

	for (const found of matches(delivery, needsTime)) {
		const check = verify(found);
		if (check.accepted) return { kind: 'custom', scheme: found };
		if (check.reason === 'stale') return { kind: 'stale', age: check.age };
	}
	return undefined;
}

/** Schemes by which one of the delivery's digests is right. */
function* matches(
	{ rawBody, headers, secret, now, url }: RefusedDelivery,
	needsTime: boolean,
): Generator<CustomScheme, void> {
	const candidates = findCandidates(headers, now);
	const address = url?.();
	const keys = SECRET_ENCODINGS.map((encoding) => keyIn(secret, encoding)).filter(
		(key) => key !== undefined,
	);
	const algorithms = new Set(candidates.signatures.map(({ digest }) => digest.algorithm));
	let { hmacs, bytes } = MAXIMUM_SEARCH;
	for (const { content, time, id } of proposals(candidates, address)) {
		if (needsTime && time === undefined) continue;
		const signed = parseContent(content);
		const values = { '{timestamp}': time?.text, '{id}': id?.text, '{url}': address };
		for (const key of keys) {
			for (const algorithm of algorithms) {
				hmacs -= 1;
				bytes -= rawBody.length;
				if (hmacs < 0 || bytes < 0) return;
				const expected = computeHmac(algorithm, key, signed, values, rawBody);
				for (const signature of candidates.signatures) {
					if (!isSameDigest(signature.digest.bytes, expected)) continue;
					const scheme = describeScheme(headers, signature, key, content, { time, id });
					if (scheme !== undefined) yield scheme;
				}
			}
		}
	}
}

function signsTime(content: string): boolean {
	return parseContent(content).includes('{timestamp}');
}
