import { map, sortBy, uniq } from 'lodash';

import { claimsIn, type Claim, type Found } from './claims';
import { algorithms, readDigest, type Digest } from './digests';
import {
	headerParts,
	headerText,
	sharedLength,
	signatureHeaderNames,
	TIME_HEADER,
	type DeliveryHeaders,
} from './headers';
import { parseContent, unixSeconds } from './signedContent';

/** Hex is also base64, but hardly ever meant as such. */
const TEXT_FIRST = ['utf8', 'hex', 'base64'] as const;
/** In Standard Webhooks a secret that looks like hex is base64, too. */
const BASE64_FIRST = ['base64', 'utf8', 'hex'] as const;

const BODY = [parseContent('{body}')];
const WITH_ID = [parseContent('{id}.{timestamp}.{body}')];

const VERSION = /^v\d\w?$/;
/** A key's name and a slash may come before it. */
const SIGNATURE_LABEL =
	/^(?:[\w.-]{0,60}\/)?(?:v\d?\w?|[sh]\d?|sig\d?|sign|signature\d?|hmac|mac|hash|digest|hs\d{3}|(?:hmac[-_]?)?sha[-_]?\d{3})$/i;
const LABELLED_TIME = /^"?(?:t|ts|time|timestamp)=/i;
/** In digits. A shorter number is not a Unix time. */
const SHORTEST_PLAIN_TIME = 9;

type Signatures = Found['signatures'];

/**
 * The claims of these headers in the recognised formats, with the likeliest keys first. For each algorithm a claim
 * with a time comes before one over the body alone.
 */
export function findClaims(headers: DeliveryHeaders): Claim[] {
	const found: Found[] = [];
	const timeless: Signatures = [];

	for (const header of signatureHeaderNames(headers)) {
		const { signatures, times } = readSignatureHeader(headers, header);
		if (times.length > 0) found.push(timed(signatures, times, header));
		else found.push(withId(signatures, header, headers));
		if (times.length === 0) timeless.push(...signatures);
	}
	const timeHeader = findTimeHeader(map(timeless, 'header'), headers);
	if (timeHeader) found.push(timed(timeless, [headerText(headers, timeHeader)], timeHeader));
	found.push({ signatures: timeless, contents: BODY, secretEncodings: TEXT_FIRST });
	const claims = found.flatMap((one) => [...claimsIn(one)]);

	return sortBy(claims, 'rank', ({ signatures: [{ algorithm }] }) => algorithms.indexOf(algorithm));
}

function timed(signatures: Signatures, texts: string[], header: string): Found {
	const version = signatures.find(({ label }) => VERSION.test(label))?.label ?? 'v0';
	const contents = [
		'{timestamp}.{body}',
		'{timestamp}{body}',
		'{timestamp}:{body}',
		`${version}:{timestamp}:{body}`,
	].map(parseContent);
	const times = texts.map((text) => ({ text, header }));
	return { signatures, contents, secretEncodings: TEXT_FIRST, times };
}

/** Like https://www.standardwebhooks.com: id, time and signature in headers of one family. */
function withId(signatures: Signatures, signatureHeader: string, headers: DeliveryHeaders): Found {
	const family = signatureHeader.replace(/signature$/, '');
	const [times, ids] = [`${family}timestamp`, `${family}id`].map((header) => [
		{ text: headerText(headers, header), header },
	]);
	return { signatures, contents: WITH_ID, secretEncodings: BASE64_FIRST, times, ids };
}

/** The signatures in a header, and the times beside them. */
function readSignatureHeader(headers: DeliveryHeaders, header: string) {
	const parts = headerParts(headerText(headers, header)).map((part) => {
		const digest = readDigest(part);
		const time = digest ? undefined : timeIn(part);
		return { digest, time, label: digest || time !== undefined ? '' : part };
	});
	const signatures = parts.flatMap(({ digest }, at) => {
		// Standard Webhooks writes `v1,` before a signature.
		const label = digest?.label || parts[at - 1]?.label || '';
		return digest && isCounted({ ...digest, label }) ? [{ ...digest, label, header }] : [];
	});
	return { signatures, times: uniq(parts.flatMap(({ time }) => time ?? [])) };
}

/** An unknown label may say that the digest is of something else. */
function isCounted({ algorithm, label }: Digest): boolean {
	// SHA-1 is too weak: the user has to choose it.
	return algorithm !== 'sha1' && (label === '' || SIGNATURE_LABEL.test(label));
}

/** The time in a part of a signature's header; undefined where there is none. */
function timeIn(part: string): string | undefined {
	if (LABELLED_TIME.test(part)) return part.slice(part.indexOf('=') + 1).replaceAll('"', '');
	const isTime = part.length >= SHORTEST_PLAIN_TIME && !Number.isNaN(unixSeconds(part));
	return isTime ? part : undefined;
}

/** The header whose name is most like a signature's, then the most common and shortest: proxies add longer ones. */
function findTimeHeader(names: string[], headers: DeliveryHeaders): string | undefined {
	const likeness = (one: string) => Math.max(0, ...names.map((name) => sharedLength(one, name)));
	const found = Object.keys(headers)
		.filter((name) => TIME_HEADER.test(name))
		.filter((name) => !Number.isNaN(unixSeconds(headerText(headers, name))));
	const isUnusual = (name: string) => !name.endsWith('timestamp');
	return sortBy(found, [(name) => -likeness(name), isUnusual, 'length'])[0];
}
