import { compact, filter, uniq, without } from 'lodash';

import { claimsIn, type Claim, type Value } from './claims';
import type { CustomScheme } from './customScheme';
import { keyIn, readDigest, SECRET_ENCODINGS } from './digests';
import { headerParts, headerText, inTitleCase, type DeliveryHeaders } from './headers';
import { parseContent, unixSeconds } from './signedContent';
import {
	signatureOf,
	verifyDelivery,
	type Rejection,
	type SentDelivery,
	type Stale,
} from './verifyDelivery';

/** Bytes that one search signs, in some tens of milliseconds: all deliveries of n8n wait for it. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;
/** A shorter body takes as long. */
const SHORTEST_BODY = 4096;

/** Separators in a signed content, the most common first. */
const SEPARATORS = ['.', ':', '', '|', '\\n', '-', ',', ';', ' '];
/** Signed contents, the likeliest first, with ~ for a separator. */
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

/** A value after its label. A longer label may itself be a value, which must not be shown. */
const LABELLED =
	/^((?:[a-z]\w{0,4}|(?:hmac[-_]?)?sha[-_]?\d{1,3}(?:hash)?|signature|timestamp)[=:])(.+)$/i;
const ID_HEADER = /(?:^|[-_])(?:id|uuid|nonce|delivery|event|request|message|call|key)$/;
/** A time in the place of an id would not be compared with the clock, and old deliveries would pass. */
const TIME = /(?<![\da-z])(?:\d{10,}|20\d\d-?[01]\d-?[0-3]\d(?:t\d+z?)?)(?![\da-z])/i;
/** In seconds. A number further away from now is no time. */
const TWENTY_YEARS = 20 * 365 * 86_400;

/** Why a genuine delivery was refused. It is genuine, because only the sender has the secret. */
export type Diagnosis =
	/** These settings prove this very delivery. */
	{ reason: 'custom'; scheme: CustomScheme } | Stale;

/**
 * Finds out why a genuine delivery was refused; undefined where nothing shows that it is genuine.
 * Nothing is accepted because of the result. Where the present scheme signs a time, no weaker one is found.
 */
export function diagnose(delivery: SentDelivery, rejection: Rejection): Diagnosis | undefined {
	if (rejection.reason === 'stale') return rejection;
	const { scheme } = delivery;
	const needsTime = scheme !== undefined && parseContent(scheme.content).includes('{timestamp}');
	return findScheme(delivery, needsTime);
}

/** Finds settings of a custom scheme that prove a delivery. @param needsTime whether they have to sign a time */
export function findScheme(delivery: SentDelivery, needsTime: boolean): Diagnosis | undefined {
	const { rawBody, secret } = delivery;
	let bytesLeft = MAXIMUM_BYTES;

	for (const claim of possibleClaims(delivery, needsTime)) {
		const key = keyIn(secret, claim.secretEncoding);
		if (key === undefined) continue;
		bytesLeft -= Math.max(rawBody.length, SHORTEST_BODY);
		if (bytesLeft < 0) return undefined;
		const signature = signatureOf(claim, key, rawBody);
		if (signature === undefined) continue;
		const scheme = settingsFor(claim, signature);
		const verification = verifyDelivery({ ...delivery, scheme });
		if (verification.accepted) return { reason: 'custom', scheme };
		if (verification.reason === 'stale') return verification;
	}

	return undefined;
}

/** Every claim that these headers could make. */
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
		const others = without(names, header);
		const beside = others.map((name) => ({ text: headerText(headers, name), header: name }));
		const values: Value[] = [...filter(parts, 'label'), ...beside];
		yield* claimsIn({
			signatures,
			contents,
			secretEncodings: SECRET_ENCODINGS,
			times: values.filter((value) => isTime(value, now)),
			ids: values.filter(isId),
			url,
		});
	}
}

/** The values in the parts of a header, each after a label or alone. */
function partsOf(headers: DeliveryHeaders, header: string): Array<Required<Value>> {
	return headerParts(headerText(headers, header)).map((part) => {
		const [, label, text] = LABELLED.exec(part) ?? [part, '', part];
		return { text, header, label };
	});
}

function isTime({ text }: Value, now: number): boolean {
	return Math.abs(now - unixSeconds(text)) < TWENTY_YEARS;
}

function isId({ text, header, label }: Value): boolean {
	const isNamedSo = label !== undefined || ID_HEADER.test(header);
	// A digest is the signature itself.
	return isNamedSo && !readDigest(text) && !TIME.test(text);
}

/** The settings that prove a delivery. They have no value of the delivery itself. */
function settingsFor(
	{ content, time, id, secretEncoding }: Claim,
	{ header, label, algorithm }: Claim['signatures'][number],
): CustomScheme {
	const format = compact([
		id?.label && `${id.label}{id}`,
		time?.label && `${time.label}{timestamp}`,
		`${label}{signature}`,
	]).join(',');
	const beside = (value?: Value) => (value && !value.label ? inTitleCase(value.header) : '');

	return {
		header: inTitleCase(header),
		headerFormat: format === '{signature}' ? '' : format,
		algorithm,
		content: content.join('').replaceAll('\n', '\\n'),
		timestampHeader: beside(time),
		idHeader: beside(id),
		secretEncoding,
	};
}
