import type { CustomScheme } from './customScheme';
import { isSameDigest } from './digests';
import type { DeliveryHeaders } from './headers';
import { keyIn, type SecretEncoding } from './keys';
import { findCandidates, type Candidate, type SignatureCandidate } from './schemeCandidates';
import { describeScheme } from './search/describeScheme';
import { proposals } from './search/proposals';
import { parseContent } from './signedContent';
import { computeHmac, verifyDelivery } from './verifyDelivery';

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
 */
export function findScheme(delivery: RefusedDelivery): Finding | undefined {
	const { rawBody, headers, secret, now, tolerance, url } = delivery;
	const verify = (scheme?: CustomScheme) =>
		verifyDelivery(rawBody, headers, secret, now, { tolerance, scheme, url });
	const recognised = verify();
	if (recognised.accepted) return { kind: 'recognised' };
	if (recognised.reason === 'stale') return { kind: 'stale', age: recognised.age };
	for (const found of matches(delivery)) {
		const check = verify(found);
		if (check.accepted) return { kind: 'custom', scheme: found };
		if (check.reason === 'stale') return { kind: 'stale', age: check.age };
	}
	return undefined;
}

/** Schemes by which one of the delivery's digests is right. */
function* matches({
	rawBody,
	headers,
	secret,
	now,
	url,
}: RefusedDelivery): Generator<CustomScheme, void> {
	const candidates = findCandidates(headers, now);
	if (candidates.signatures.length === 0) return;

	const address = url?.();
	const keys = SECRET_ENCODINGS.map((encoding) => keyIn(secret, encoding)).filter(
		(key) => key !== undefined,
	);
	const algorithms = new Set(candidates.signatures.map(({ digest }) => digest.algorithm));
	let { hmacs, bytes } = MAXIMUM_SEARCH;
	for (const { content, time, id } of proposals(candidates, address)) {
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
					if (!isWithReach(time, signature) || !isWithReach(id, signature)) continue;
					const scheme = describeScheme(headers, signature, key, content, { time, id });
					if (scheme !== undefined) yield scheme;
				}
			}
		}
	}
}

/** A custom scheme reads parts of one header only, that of the signature. */
function isWithReach(part: Candidate | undefined, { header }: SignatureCandidate): boolean {
	return part?.place === undefined || part.header === header;
}
