import { sortBy } from 'lodash';

import type { CustomScheme } from './customScheme';
import {
	isSameDigest,
	readDigest,
	type Digest,
	keyIn,
	SECRET_ENCODINGS,
	type SecretEncoding,
} from './digests';
import {
	headerParts,
	headerText,
	inTitleCase,
	sharedLength,
	type DeliveryHeaders,
} from './headers';
import { isPlainId, parseContent, unixSeconds } from './signedContent';
import {
	computeHmac,
	verifyDelivery,
	type Doubt,
	type Verdict,
	type VerificationSettings,
} from './verifyDelivery';

/**
 * Of one search, for which deliveries of every workflow wait. One whose finding is shown, which is rare, may take
 * longer: the first in a process is slow.
 */
export const MAXIMUM_SEARCH = { ms: 20, msIfShown: 250, hmacs: 10_000, bytes: 16 * 1024 * 1024 };
const MAXIMUM_TIMES = 4;
const MAXIMUM_IDS = 6;

/** Between the parts of what is signed, the most usual first. */
const SEPARATORS = ['.', ':', '', '|', '\\n', '-', ',', ';', ' '];
/** What may have been signed, the likeliest first, with ~ for a separator. */
const CONTENTS = [
	...['{body}', 'hmacsha256={body}', 'sha256={body}'],
	...['{timestamp}~{body}', '{body}~{timestamp}', '[{timestamp}~{body}]'],
	...['v0', 'v1', 'v2', 'v3'].map((version) => `${version}~{timestamp}~{body}`),
	...['{id}~{body}', '{body}~{id}'],
	...['{id}~{timestamp}~{body}', '{timestamp}~{id}~{body}'],
	...['{body}~{id}~{timestamp}', '{body}~{timestamp}~{id}'],
	...['{url}~{body}', '{body}~{url}', 'POST{url}{body}', '{url}POST{body}'],
	...['{url}~{timestamp}~{body}', '{timestamp}~{url}~{body}', 'POST{url}{body}{timestamp}'],
].flatMap((content) =>
	content.includes('~')
		? SEPARATORS.map((separator) => content.replaceAll('~', separator))
		: [content],
);

/** Behind what senders write before it. Any longer text there may be a value, which must not be shown. */
const LABELLED =
	/^((?:[a-z]\w{0,4}|(?:hmac[-_]?)?sha[-_]?\d{1,3}(?:hash)?|signature|timestamp)[=:])(.+)$/i;
const ID_HEADER = /(?:^|[-_])(?:id|uuid|nonce|delivery|event|request|message|call|key)$/;
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
/** A time is no id: entered as one, it would not be compared with the clock, and old deliveries would pass. */
const TIME = /(?<![\da-z])(?:\d{10,}|20\d\d-?[01]\d-?[0-3]\d(?:t\d+z?)?)(?![\da-z])/i;
/** In seconds. A number that would be a time further away than this is none. */
const TWENTY_YEARS = 20 * 365 * 86_400;

/** A delivery that was refused although its webhook is known. */
export interface RefusedDelivery extends VerificationSettings {
	rawBody: Buffer;
	headers: DeliveryHeaders;
	secret: string;
	/** Unix time in seconds. */
	now: number;
	/** Why it was refused. */
	doubt: Doubt;
	/** Whether its webhook has verified others: then what is set is right. */
	hasVerified: boolean;
	/** Whether the user is shown what is found. */
	isShown?: boolean;
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
 * Somebody who has captured a delivery can send it again with only its weakest signature. So nothing is found that
 * signs no time where the scheme that is set signs one, or where the webhook has verified others; and after that,
 * no scheme is found needless.
 */
export function findScheme(delivery: RefusedDelivery): Finding | undefined {
	const { doubt, scheme, hasVerified } = delivery;
	// Without a scheme it has just been refused as what is recognised.
	const recognised = scheme ? verify(delivery, undefined) : doubt;
	const needsTime = hasVerified || (scheme !== undefined && signsTime(scheme.content));
	for (const verdict of [doubt, recognised]) {
		if (!verdict.accepted && verdict.reason === 'stale') return { kind: 'stale', age: verdict.age };
	}
	if (recognised.accepted) {
		if (hasVerified) return undefined;
		if (recognised.isTimed || !needsTime) return { kind: 'recognised' };
	}
	for (const found of matches(delivery, needsTime)) {
		// The header may be read in another way by then.
		const verdict = verify(delivery, found);
		if (verdict.accepted) return { kind: 'custom', scheme: found };
		if (verdict.reason === 'stale') return { kind: 'stale', age: verdict.age };
	}
	return undefined;
}

function verify(
	{ rawBody, headers, secret, now, tolerance, url }: RefusedDelivery,
	scheme: CustomScheme | undefined,
): Verdict {
	return verifyDelivery(rawBody, headers, secret, now, { tolerance, scheme, url });
}

/** A text in the headers, and where a custom scheme would be told to look for it. */
interface Candidate {
	text: string;
	header: string;
	/** What stands before it where it is a part of a header; empty where nothing does. */
	label?: string;
}

/** What may have been signed, and by which of the digests in one header. */
interface Proposal {
	signatures: Array<Candidate & { digest: Digest }>;
	content: string;
	time?: Candidate;
	id?: Candidate;
}

/** Schemes by which one of the delivery's digests is right. */
function* matches(
	{ rawBody, headers, secret, now, url, isShown }: RefusedDelivery,
	needsTime: boolean,
): Generator<CustomScheme, void> {
	const end = Date.now() + (isShown ? MAXIMUM_SEARCH.msIfShown : MAXIMUM_SEARCH.ms);
	let { hmacs, bytes } = MAXIMUM_SEARCH;
	for (const proposal of proposals(headers, now)) {
		if (Date.now() > end) return;
		const { signatures, content, time, id } = proposal;
		if ((needsTime && !time) || (content.includes('{url}') && !url)) continue;
		const signed = parseContent(content);
		const values = { '{timestamp}': time?.text, '{id}': id?.text, '{url}': url };
		for (const secretEncoding of SECRET_ENCODINGS) {
			const key = keyIn(secret, secretEncoding);
			if (key === undefined) continue;
			for (const algorithm of new Set(signatures.map(({ digest }) => digest.algorithm))) {
				hmacs -= 1;
				bytes -= rawBody.length;
				if (hmacs < 0 || bytes < 0) return;
				const expected = computeHmac(algorithm, key, signed, values, rawBody);
				const signature = signatures.find(({ digest }) => isSameDigest(digest.bytes, expected));
				if (signature) yield describe(proposal, signature, secretEncoding);
			}
		}
	}
}

/** For each header with something like a signature: each content with the times and ids that it may cover. */
function* proposals(headers: DeliveryHeaders, now: number): Generator<Proposal, void> {
	for (const header of Object.keys(headers)) {
		const parts = partsOf(headers, header);
		const signatures = parts.flatMap((part) => {
			const digest = readDigest(part.text);
			return digest?.text === part.text ? [{ ...part, digest }] : [];
		});
		if (signatures.length === 0) continue;
		const others = Object.keys(headers).filter((name) => name !== header);
		const nearestFirst = sortBy(others, (name) => -sharedLength(name, header));
		const beside = nearestFirst.map((name) => ({ text: headerText(headers, name), header: name }));
		const values: Candidate[] = [...parts.filter(({ label }) => label !== ''), ...beside];
		const times = values.filter(({ text }) => Math.abs(now - unixSeconds(text)) < TWENTY_YEARS);
		const ids = values
			.filter(({ label, header: name }) => label ?? ID_HEADER.test(name))
			.filter(({ text }) => isPlainId(text) && !readDigest(text))
			.filter(({ text }) => !TIME.test(text.replace(UUID, '')));
		for (const content of CONTENTS) {
			for (const time of signsTime(content) ? times.slice(0, MAXIMUM_TIMES) : [undefined]) {
				for (const id of content.includes('{id}') ? ids.slice(0, MAXIMUM_IDS) : [undefined]) {
					yield { signatures, content, time, id };
				}
			}
		}
	}
}

/** The values in a header's parts, each behind a label or alone. */
function partsOf(headers: DeliveryHeaders, header: string): Candidate[] {
	return headerParts(headerText(headers, header)).map((part) => {
		const [, label, text] = LABELLED.exec(part) ?? [part, '', part];
		return { text, header, label };
	});
}

/** The settings of the scheme that has proven a delivery, without a value of it: they are to prove the next, too. */
function describe(
	{ content, time, id }: Proposal,
	{ header, label = '', digest }: Proposal['signatures'][number],
	secretEncoding: SecretEncoding,
): CustomScheme {
	const format = [
		...(id?.label ? [`${id.label}{id}`] : []),
		...(time?.label ? [`${time.label}{timestamp}`] : []),
		`${label}{signature}`,
	];
	const isPrefixed = format.length === 1;
	return {
		header: inTitleCase(header),
		...(isPrefixed ? {} : { headerFormat: format.join(',') }),
		prefix: isPrefixed ? label : '',
		algorithm: digest.algorithm,
		encoding: digest.encoding,
		content,
		timestampHeader: time && !time.label ? inTitleCase(time.header) : '',
		idHeader: id && !id.label ? inTitleCase(id.header) : '',
		secretEncoding,
	};
}

function signsTime(content: string): boolean {
	return parseContent(content).includes('{timestamp}');
}
