import { sortBy, uniq, without } from 'lodash';

import { claimsIn, type Claim, type Value } from './claims';
import type { CustomScheme } from './customScheme';
import { keyIn, readDigest, SECRET_ENCODINGS } from './digests';
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
	signatureOf,
	verifyDelivery,
	type Doubt,
	type SentDelivery,
	type Stale,
	type Verdict,
} from './verifyDelivery';

/** Of one search, for which deliveries of every workflow wait: some tens of milliseconds. */
export const MAXIMUM_SEARCH = { hmacs: 4000, bytes: 16 * 1024 * 1024 };
/** Of one header. */
const MAXIMUM_SIGNATURES = 8;
const MAXIMUM_TIMES = 4;
const MAXIMUM_IDS = 6;

/** Between the parts of what is signed, the most usual first. */
const SEPARATORS = ['.', ':', '', '|', '\\n', '-', ',', ';', ' '];
/** What may have been signed, the likeliest first, with ~ for a separator. */
const TEMPLATES = [
	...['{body}', 'hmacsha256={body}', 'sha256={body}'],
	...['{timestamp}~{body}', '{body}~{timestamp}', '[{timestamp}~{body}]'],
	...['v0', 'v1', 'v2', 'v3'].map((version) => `${version}~{timestamp}~{body}`),
	...['{id}~{body}', '{body}~{id}'],
	...['{id}~{timestamp}~{body}', '{timestamp}~{id}~{body}'],
	...['{body}~{id}~{timestamp}', '{body}~{timestamp}~{id}'],
	...['{url}~{body}', '{body}~{url}', 'POST{url}{body}', '{url}POST{body}'],
	...['{url}~{timestamp}~{body}', '{timestamp}~{url}~{body}', 'POST{url}{body}{timestamp}'],
].flatMap((template) => SEPARATORS.map((separator) => template.replaceAll('~', separator)));
const CONTENTS = uniq(TEMPLATES).map(parseContent);

/** Behind what senders write before it. Any longer text there may be a value, which must not be shown. */
const LABELLED =
	/^((?:[a-z]\w{0,4}|(?:hmac[-_]?)?sha[-_]?\d{1,3}(?:hash)?|signature|timestamp)[=:])(.+)$/i;
const ID_HEADER = /(?:^|[-_])(?:id|uuid|nonce|delivery|event|request|message|call|key)$/;
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
/** A time is no id: entered as one, it would not be compared with the clock, and old deliveries would pass. */
const TIME = /(?<![\da-z])(?:\d{10,}|20\d\d-?[01]\d-?[0-3]\d(?:t\d+z?)?)(?![\da-z])/i;
/** In seconds. A number that would be a time further away than this is none. */
const TWENTY_YEARS = 20 * 365 * 86_400;

/** What was found out about a refused delivery that is genuine: only the sender has the secret. */
export type Finding =
	/** These settings prove this very delivery. */
	| { reason: 'custom'; scheme: CustomScheme }
	/** It is recognised by itself: the custom scheme that is set does not fit. */
	| { reason: 'recognised' }
	| Stale;

/**
 * Why a delivery was refused that is genuine all the same; undefined when nothing within reach shows that it is.
 * Never throws; nothing is accepted because of what it finds. Where what is set signs a time, nothing weaker is found.
 * @param usual the scheme that counts if the user describes none; unset: any that is recognised does
 */
export function findReason(
	delivery: SentDelivery,
	doubt: Doubt,
	usual?: CustomScheme,
): Finding | undefined {
	const { scheme } = delivery;
	const needsTime = scheme !== undefined && parseContent(scheme.content).includes('{timestamp}');
	// Unless what counts by itself has just refused it.
	const verdict = scheme === usual ? doubt : verifyDelivery({ ...delivery, scheme: usual });
	const stale = [doubt, verdict].find(isStale);
	if (stale) return stale;
	const isRecognised = verdict.accepted && (!needsTime || verdict.claim.time !== undefined);
	return isRecognised ? { reason: 'recognised' } : findScheme(delivery, needsTime);
}

/** Looks for the settings of a custom scheme that would have proven a delivery. @param needsTime whether it signs one */
export function findScheme(
	delivery: SentDelivery,
	needsTime: boolean,
): Exclude<Finding, { reason: 'recognised' }> | undefined {
	const { rawBody, secret } = delivery;
	let { hmacs, bytes } = MAXIMUM_SEARCH;
	for (const claim of possibleClaims(delivery, needsTime)) {
		const key = keyIn(secret, claim.secretEncoding);
		if (key === undefined) continue;
		hmacs -= 1;
		bytes -= rawBody.length;
		if (hmacs < 0 || bytes < 0) return undefined;
		const signature = signatureOf(claim, key, rawBody);
		if (signature === undefined) continue;
		const scheme = describe(claim, signature);
		const verdict = verifyDelivery({ ...delivery, scheme });
		if (verdict.accepted) return { reason: 'custom', scheme };
		if (isStale(verdict)) return verdict;
	}
	return undefined;
}

function isStale(verdict: Verdict): verdict is Stale {
	return !verdict.accepted && verdict.reason === 'stale';
}

/** All that these headers could claim. */
function* possibleClaims(
	{ headers, now, url }: SentDelivery,
	needsTime: boolean,
): Generator<Claim> {
	const names = Object.keys(headers);
	const contents = CONTENTS.filter((one) => !needsTime || one.includes('{timestamp}'));
	for (const header of names) {
		const parts = partsOf(headers, header);
		const signatures = parts.flatMap(({ text, label }) => {
			const digest = readDigest(text);
			return digest?.label === '' ? [{ ...digest, label, header }] : [];
		});
		if (signatures.length === 0) continue;
		const nearestFirst = sortBy(without(names, header), (name) => -sharedLength(name, header));
		const beside = nearestFirst.map((name) => ({ text: headerText(headers, name), header: name }));
		const values: Value[] = [...parts.filter(({ label }) => label !== ''), ...beside];
		yield* claimsIn({
			signatures: signatures.slice(0, MAXIMUM_SIGNATURES),
			contents,
			secretEncodings: SECRET_ENCODINGS,
			times: values.filter((value) => isTime(value, now)).slice(0, MAXIMUM_TIMES),
			ids: values.filter(isId).slice(0, MAXIMUM_IDS),
			url,
		});
	}
}

/** The values in a header's parts, each behind a label or alone. */
function partsOf(headers: DeliveryHeaders, header: string): Array<Required<Value>> {
	return headerParts(headerText(headers, header)).map((part) => {
		const [, label, text] = LABELLED.exec(part) ?? [part, '', part];
		return { text, header, label };
	});
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

/** The settings by which a signature is read that has proven a claim. They hold no value of the delivery. */
function describe(
	{ content, time, id, secretEncoding }: Claim,
	{ header, label, algorithm, encoding }: Claim['signatures'][number],
): CustomScheme {
	const format = [
		...(id?.label ? [`${id.label}{id}`] : []),
		...(time?.label ? [`${time.label}{timestamp}`] : []),
		`${label}{signature}`,
	];
	const beside = (value?: Value) => (value && !value.label ? inTitleCase(value.header) : '');
	return {
		header: inTitleCase(header),
		...(format.length > 1 ? { headerFormat: format.join(','), prefix: '' } : { prefix: label }),
		algorithm,
		encoding,
		content: content.join('').replaceAll('\n', '\\n'),
		timestampHeader: beside(time),
		idHeader: beside(id),
		secretEncoding,
	};
}
