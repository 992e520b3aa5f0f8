import { sortBy } from 'lodash';

import type { CustomScheme } from './customScheme';
import { readDigest, SECRET_ENCODINGS, type Digest } from './digests';
import {
	headerParts,
	headerText,
	inTitleCase,
	sharedLength,
	TIME_HEADER,
	type DeliveryHeaders,
} from './headers';
import { isPlainId, parseContent, unixSeconds } from './signedContent';
import {
	verifyDelivery,
	type Doubt,
	type Verdict,
	type VerificationSettings,
} from './verifyDelivery';

/** Of one search, for which deliveries of every workflow wait: some tens of milliseconds. */
export const MAXIMUM_SEARCH = { schemes: 4000, bytes: 16 * 1024 * 1024 };
/** Of a signature's header, in characters: each scheme reads it anew. */
const MAXIMUM_LENGTH = 512;
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
}

/** What was found out about a delivery that is genuine: only the sender has the secret. */
export type Finding =
	/** These settings prove this very delivery. */
	| { kind: 'custom'; scheme: CustomScheme }
	/** The delivery is recognised by itself: the custom scheme that is set does not fit. */
	| { kind: 'recognised' }
	/** Its signed time lies so many seconds before now, as with {@link Doubt}. */
	| { kind: 'stale'; age: number; timeHeader: string };

/**
 * Looks for the settings of a custom scheme that would have proven a refused delivery; undefined when
 * nothing within reach does. Never throws; nothing is accepted because of what it finds.
 *
 * Somebody who has captured a delivery can send it again with only its weakest signature. So nothing is found that
 * signs no time where the scheme that is set signs one, or where the webhook has verified others; and after that,
 * no scheme is found needless.
 */
export function findScheme(delivery: RefusedDelivery): Finding | undefined {
	const { doubt, scheme, hasVerified, rawBody } = delivery;
	// Without a scheme it has just been refused as what is recognised.
	const recognised = scheme ? verify(delivery, undefined) : doubt;
	const needsTime = hasVerified || (scheme !== undefined && covers(scheme.content, '{timestamp}'));
	const stale = staleIn(doubt) ?? staleIn(recognised);
	if (stale) return stale;
	if (recognised.accepted) {
		if (hasVerified) return undefined;
		if (recognised.isTimed || !needsTime) return { kind: 'recognised' };
	}
	let { schemes, bytes } = MAXIMUM_SEARCH;
	for (const candidate of candidates(delivery, needsTime)) {
		schemes -= 1;
		bytes -= rawBody.length;
		if (schemes < 0 || bytes < 0) return undefined;
		const verdict = verify(delivery, candidate);
		if (verdict.accepted) return { kind: 'custom', scheme: candidate };
		const found = staleIn(verdict);
		if (found) return found;
	}
	return undefined;
}

function verify(
	{ rawBody, headers, secret, now, tolerance, url }: RefusedDelivery,
	scheme: CustomScheme | undefined,
): Verdict {
	return verifyDelivery(rawBody, headers, secret, now, { tolerance, scheme, url });
}

function staleIn(verdict: Verdict): Finding | undefined {
	if (verdict.accepted || verdict.reason !== 'stale') return undefined;
	const { age, timeHeader } = verdict;
	return { kind: 'stale', age, timeHeader };
}

/** A text in the headers. */
interface Value {
	text: string;
	header: string;
	/** What stands before it where it is a part of a header; undefined where it is the whole. */
	label?: string;
}

/** Schemes of which one may have signed a delivery with these headers: none holds a value of it. */
function* candidates(
	{ headers, now, url }: RefusedDelivery,
	needsTime: boolean,
): Generator<CustomScheme, void> {
	for (const header of Object.keys(headers)) {
		if (headerText(headers, header).length > MAXIMUM_LENGTH) continue;
		const parts = partsOf(headers, header);
		const signatures = parts.flatMap((part) => {
			const digest = readDigest(part.text);
			return digest?.text === part.text ? [{ ...part, digest }] : [];
		});
		if (signatures.length === 0) continue;
		const others = Object.keys(headers).filter((name) => name !== header);
		const nearestFirst = sortBy(others, (name) => -sharedLength(name, header));
		const beside = nearestFirst.map((name) => ({ text: headerText(headers, name), header: name }));
		const values: Value[] = [...parts.filter(({ label }) => label !== ''), ...beside];
		const times = values.filter((value) => isTime(value, now)).slice(0, MAXIMUM_TIMES);
		const ids = values.filter(isId).slice(0, MAXIMUM_IDS);
		for (const content of CONTENTS) {
			const isTimed = covers(content, '{timestamp}');
			if ((needsTime && !isTimed) || (content.includes('{url}') && !url)) continue;
			for (const time of isTimed ? times : [undefined]) {
				for (const id of covers(content, '{id}') ? ids : [undefined]) {
					for (const signature of signatures) yield* describe(signature, content, time, id);
				}
			}
		}
	}
}

function covers(content: string, placeholder: string): boolean {
	return parseContent(content).includes(placeholder);
}

/** Also one that cannot be read, where its header's name says that it is one. */
function isTime({ text, header, label }: Value, now: number): boolean {
	const seconds = unixSeconds(text);
	if (Number.isNaN(seconds)) return label === undefined && text !== '' && TIME_HEADER.test(header);
	return Math.abs(now - seconds) < TWENTY_YEARS;
}

function isId({ text, header, label }: Value): boolean {
	if (label === undefined && !ID_HEADER.test(header)) return false;
	return isPlainId(text) && !readDigest(text) && !TIME.test(text.replace(UUID, ''));
}

/** The values in a header's parts, each behind a label or alone. */
function partsOf(headers: DeliveryHeaders, header: string): Value[] {
	return headerParts(headerText(headers, header)).map((part) => {
		const [, label, text] = LABELLED.exec(part) ?? [part, '', part];
		return { text, header, label };
	});
}

/** The settings by which such a signature is made over this content, for each key. */
function* describe(
	{ header, label = '', digest }: Value & { digest: Digest },
	content: string,
	time: Value | undefined,
	id: Value | undefined,
): Generator<CustomScheme, void> {
	const format = [
		...(id?.label ? [`${id.label}{id}`] : []),
		...(time?.label ? [`${time.label}{timestamp}`] : []),
		`${label}{signature}`,
	];
	const isPrefixed = format.length === 1;
	for (const secretEncoding of SECRET_ENCODINGS) {
		yield {
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
}
