import type { CustomScheme } from './customScheme';
import { isSameDigest } from './digests';
import type { DeliveryHeaders } from './headers';
import { keyIn, type SecretEncoding } from './keys';
import {
	describeScheme,
	findCandidates,
	type Candidate,
	type Candidates,
} from './schemeCandidates';
import { parseContent } from './signedContent';
import { computeHmac, verifyDelivery } from './verifyDelivery';

/**
 * One search makes no more HMACs, and puts no more bytes through them. Both took some 40 ms of a core
 * of 2026 at most: the first for a body of 1 KB, the second for one of 100 KB.
 */
export const MAXIMUM_SEARCH = { hmacs: 10_000, bytes: 32 * 1024 * 1024 };

const SECRET_ENCODINGS: SecretEncoding[] = ['utf8', 'base64', 'hex'];
/** Between the parts of what is signed, the most usual first. */
const SEPARATORS = ['.', ':', '', '|', '\\n', '-', '_', ',', ';', ' ', '/', '&'];
const OTHERS_WITH_TIME = [
	...['v0', 'v1', 'v2', 'v3'].flatMap((version) =>
		['.', ':'].map((between) => [version, '{timestamp}', '{body}'].join(between)),
	),
	'[{timestamp};{body}]',
	'[{timestamp},{body}]',
	'timestamp={timestamp}&body={body}',
];
const WITH_TIME = [...inAnyOrder('{timestamp}', '{body}'), ...OTHERS_WITH_TIME];
const WITH_ID = inAnyOrder('{id}', '{body}');
const WITH_BOTH = inAnyOrder('{id}', '{timestamp}', '{body}');
const WITHOUT_TIME = ['{body}', 'hmacsha256={body}', 'sha256={body}'];
const WITH_URL = [...inAnyOrder('{url}', '{body}'), 'POST{url}{body}', '{url}POST{body}'];
const WITH_URL_AND_TIME = [
	...inAnyOrder('{url}', '{timestamp}', '{body}'),
	'POST{url}{body}{timestamp}',
	'{timestamp}POST{url}{body}',
];

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

interface Proposal {
	content: string;
	time?: Candidate;
	id?: Candidate;
}

/**
 * Looks for the settings of a custom scheme that would have proven a refused delivery; undefined when
 * nothing within reach does. Never throws; nothing is accepted because of what it finds.
 */
export function findScheme(delivery: RefusedDelivery): Finding | undefined {
	const { rawBody, headers, secret, now, tolerance, url } = delivery;
	const verdict = verifyDelivery(rawBody, headers, secret, now, { tolerance });
	if (verdict.accepted) return { kind: 'recognised' };
	if (verdict.reason === 'stale') return { kind: 'stale', age: verdict.age };
	const candidates = findCandidates(headers, now);
	if (candidates.signatures.length === 0) return undefined;

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
				if (hmacs < 0 || bytes < 0) return undefined;
				const expected = computeHmac(algorithm, key, signed, values, rawBody);
				const signature = candidates.signatures.find(({ digest }) =>
					isSameDigest(digest.bytes, expected),
				);
				if (signature === undefined) continue;
				const scheme = describeScheme(headers, signature, key, content, { time, id });
				const check = verifyDelivery(rawBody, headers, secret, now, { tolerance, scheme, url });
				if (check.accepted) return { kind: 'custom', scheme };
				if (check.reason === 'stale') return { kind: 'stale', age: check.age };
			}
		}
	}
	return undefined;
}

/** What may have been signed, the likeliest first. */
function* proposals(
	{ times, ids }: Candidates,
	address: string | undefined,
): Generator<Proposal, void> {
	for (const content of WITHOUT_TIME) yield { content };
	for (const time of times) for (const content of WITH_TIME) yield { content, time };
	if (address) {
		for (const content of WITH_URL) yield { content };
		for (const time of times) for (const content of WITH_URL_AND_TIME) yield { content, time };
	}
	for (const id of ids) for (const content of WITH_ID) yield { content, id };
	for (const id of ids) {
		for (const time of times) {
			if (id.text === time.text) continue;
			for (const content of WITH_BOTH) yield { content, time, id };
		}
	}
}

/** Every order of the parts with each separator between them. */
function inAnyOrder(...parts: string[]): string[] {
	return SEPARATORS.flatMap((between) => orders(parts).map((order) => order.join(between)));
}

function orders(parts: string[]): string[][] {
	if (parts.length === 0) return [[]];
	return parts.flatMap((part) =>
		orders(parts.filter((other) => other !== part)).map((rest) => [part, ...rest]),
	);
}
