import type { CustomScheme } from '../customScheme';
import { isSameDigest } from '../digests';
import { headerParts, headerText, inTitleCase, type DeliveryHeaders } from '../headers';
import { keyIn, type SecretEncoding } from '../keys';
import { parseContent } from '../signedContent';
import { computeHmac, verifyDelivery } from '../verifyDelivery';
import { findCandidates, type Candidate, type Candidates } from './candidates';

/**
 * One search makes no more HMACs, and puts no more bytes of bodies through them. Both took some 40 ms of
 * a core of 2026 at most: the first for a body of 1 KB, the second for one of 100 KB.
 */
export const MAXIMUM_SEARCH = { hmacs: 10_000, bytes: 32 * 1024 * 1024 };

/** Between the parts of what is signed, the most usual first. */
const SEPARATORS = ['.', ':', '', '|', '\\n', '-', '_', ',', ';', ' ', '/', '&'];
/** What may have been signed, the likeliest first. */
const CONTENTS = [
	...['{body}', 'hmacsha256={body}', 'sha256={body}'],
	...inAnyOrder('{timestamp}', '{body}'),
	...['v0', 'v1', 'v2', 'v3'].map((version) => `${version}:{timestamp}:{body}`),
	...['v0', 'v1', 'v2', 'v3'].map((version) => `${version}.{timestamp}.{body}`),
	...['[{timestamp};{body}]', 'timestamp={timestamp}&body={body}'],
	...inAnyOrder('{id}', '{body}'),
	...inAnyOrder('{id}', '{timestamp}', '{body}'),
	...inAnyOrder('{url}', '{body}'),
	...['POST{url}{body}', '{url}POST{body}'],
	...inAnyOrder('{url}', '{timestamp}', '{body}'),
	...['POST{url}{body}{timestamp}', '{timestamp}POST{url}{body}'],
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
	const address = url?.();
	let { hmacs, bytes } = MAXIMUM_SEARCH;
	for (const candidates of findCandidates(headers, now)) {
		const algorithms = new Set(candidates.signatures.map(({ digest }) => digest.algorithm));
		for (const { content, time, id } of proposals(candidates)) {
			if ((needsTime && !time) || (content.includes('{url}') && !address)) continue;
			const signed = parseContent(content);
			const values = { '{timestamp}': time?.text, '{id}': id?.text, '{url}': address };
			for (const secretEncoding of ['utf8', 'base64', 'hex'] as const) {
				const key = keyIn(secret, secretEncoding);
				if (key === undefined) continue;
				for (const algorithm of algorithms) {
					hmacs -= 1;
					bytes -= rawBody.length;
					if (hmacs < 0 || bytes < 0) return;
					const expected = computeHmac(algorithm, key, signed, values, rawBody);
					const signature = candidates.signatures.find(({ digest }) =>
						isSameDigest(digest.bytes, expected),
					);
					if (signature === undefined) continue;
					yield describe(headers, { content, signature, time, id, secretEncoding });
				}
			}
		}
	}
}

/** A signed content, and what may stand for its parts. */
interface Proposal {
	content: string;
	time?: Candidate;
	id?: Candidate;
}

function* proposals({ times, ids }: Candidates): Generator<Proposal, void> {
	for (const content of CONTENTS) {
		for (const time of signsTime(content) ? times : [undefined]) {
			for (const id of content.includes('{id}') ? ids : [undefined]) yield { content, time, id };
		}
	}
}

/**
 * The settings of the scheme that has proven a delivery. They are to prove the sender's next delivery
 * too, and no value of a header may be shown: each is a placeholder.
 */
function describe(
	headers: DeliveryHeaders,
	{
		content,
		signature,
		time,
		id,
		secretEncoding,
	}: Proposal & { signature: Candidates['signatures'][number]; secretEncoding: SecretEncoding },
): CustomScheme {
	const { header, digest, part } = signature;
	const templates: string[] = headerParts(headerText(headers, header)).map(() => '-');
	const inHeader = { signature, timestamp: time, id };
	for (const [name, one] of Object.entries(inHeader)) {
		if (one?.part) templates[one.part.place] = `${one.part.before}{${name}}${one.part.after}`;
	}
	const counted = templates.filter((template) => template !== '-');
	const isPrefixed = counted.length === 1 && part?.after === '';
	// Parts are looked for by their labels, or where one has none, by their places.
	const isByPlace = counted.some((template) => template.startsWith('{'));
	return {
		header: inTitleCase(header),
		...(isPrefixed ? {} : { headerFormat: (isByPlace ? templates : counted).join(',') }),
		prefix: isPrefixed ? part.before : '',
		algorithm: digest.algorithm,
		encoding: digest.encoding,
		content,
		timestampHeader: time && !time.part ? inTitleCase(time.header) : '',
		idHeader: id && !id.part ? inTitleCase(id.header) : '',
		secretEncoding,
	};
}

function signsTime(content: string): boolean {
	return parseContent(content).includes('{timestamp}');
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
