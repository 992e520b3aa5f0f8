import { filter, map, sortBy } from 'lodash';

import {
	ALGORITHMS,
	algorithms,
	readDigest,
	type Algorithm,
	type Digest,
	type SecretEncoding,
} from './digests';
import {
	headerParts,
	headerText,
	sharedLength,
	signatureHeaderNames,
	TIME_HEADER,
	type DeliveryHeaders,
} from './headers';
import {
	isPlainId,
	parseContent,
	unixSeconds,
	type SignedContent,
	type SignedValues,
} from './signedContent';

/** What headers claim: that one of the signatures was made over one of the contents. */
export interface SignatureClaim {
	algorithm: Algorithm;
	/** What the secret may be, the likeliest first. */
	keys: readonly SecretEncoding[];
	/** The likeliest first. */
	contents: readonly SignedContent[];
	/** With a time or an id only where all of the contents cover it. */
	values: SignedValues;
	/** In which the time stands. */
	timeHeader?: string;
	signatures: Buffer[];
	/** Whether the format says that each delivery has an id of its own. */
	idNamesDelivery?: boolean;
}

type DigestClaim = Omit<SignatureClaim, 'algorithm' | 'signatures'> & { digests: Digest[] };

/** A header contradicts itself, so the whole delivery is refused. */
export const CONTRADICTION = 'contradiction';

/** Hex is also base64, but hardly ever meant as such. */
const TEXT_FIRST = ['utf8', 'hex', 'base64'] as const;
/** As Standard Webhooks has it: also a secret that could be hex. */
const BASE64_FIRST = ['base64', 'utf8', 'hex'] as const;

const BODY = [parseContent('{body}')];
const WITH_ID = [parseContent('{id}.{timestamp}.{body}')];

const VERSION = /^v\d\w?$/;
/** With a key's name and a slash before it, if need be. */
const SIGNATURE_LABEL =
	/^(?:[\w.-]{0,60}\/)?(?:v\d?\w?|[sh]\d?|sig\d?|sign|signature\d?|hmac|mac|hash|digest|hs\d{3}|(?:hmac[-_]?)?sha[-_]?\d{3})$/i;
const LABELLED_TIME = /^"?(?:t|ts|time|timestamp)=/i;
/** In digits. A shorter number is not a Unix time. */
const SHORTEST_PLAIN_TIME = 9;
/** Other senders may put the id of the account or the webhook into a header that is named like these. */
const FAMILY_WITH_DELIVERY_ID = /(?:^|-)(?:webhook|svix|message)-$/;

/**
 * What these headers claim in the ways that are recognised: for each algorithm the strongest first, those
 * that sign a time before those that sign the body alone.
 */
export function findClaims(headers: DeliveryHeaders): SignatureClaim[] | typeof CONTRADICTION {
	const claims: DigestClaim[] = [];
	const timeless: Array<{ name: string; digests: Digest[] }> = [];
	for (const name of signatureHeaderNames(headers)) {
		const { digests, times } = readSignatureHeader(headerText(headers, name));
		if (digests.length === 0) continue;
		if (times.length > 1) return CONTRADICTION;
		if (times.length === 0) timeless.push({ name, digests });
		else claims.push(timedClaim(digests, times[0], name));
	}
	for (const { name, digests } of timeless) claims.push(...claimsWithId(headers, name, digests));
	const digests = timeless.flatMap((one) => one.digests);
	const names = timeless.map(({ name }) => name);
	const timeHeader = findTimeHeader(names, headers);
	if (timeHeader) claims.push(timedClaim(digests, headerText(headers, timeHeader), timeHeader));
	claims.push({ digests, keys: TEXT_FIRST, contents: BODY, values: {} });
	return algorithms.flatMap((algorithm) => claims.flatMap((claim) => claimsOf(algorithm, claim)));
}

/** Digests of one algorithm, because each needs an HMAC of its own. */
function claimsOf(algorithm: Algorithm, { digests, ...claim }: DigestClaim): SignatureClaim[] {
	const signatures = map(filter(digests, { algorithm }), 'bytes');
	return signatures.length > 0 ? [{ ...claim, algorithm, signatures }] : [];
}

function timedClaim(digests: Digest[], time: string, timeHeader: string): DigestClaim {
	const version = digests.find(({ label }) => VERSION.test(label))?.label ?? 'v0';
	const contents = [
		'{timestamp}.{body}',
		'{timestamp}{body}',
		'{timestamp}:{body}',
		`${version}:{timestamp}:{body}`,
	].map(parseContent);
	return { digests, keys: TEXT_FIRST, contents, values: { '{timestamp}': time }, timeHeader };
}

/** https://www.standardwebhooks.com and its kin: id, time and signature in headers of one family. */
function claimsWithId(headers: DeliveryHeaders, name: string, digests: Digest[]): DigestClaim[] {
	if (!name.endsWith('signature')) return [];
	const family = name.slice(0, -'signature'.length);
	const id = headerText(headers, `${family}id`);
	const timeHeader = `${family}timestamp`;
	const timestamp = headerText(headers, timeHeader);
	if (timestamp === '' || !isPlainId(id)) return [];
	const values = { '{timestamp}': timestamp, '{id}': id };
	const idNamesDelivery = FAMILY_WITH_DELIVERY_ID.test(family);
	return [{ digests, keys: BASE64_FIRST, contents: WITH_ID, values, timeHeader, idNamesDelivery }];
}

/** The digests in a signature's header, and the different times that stand beside them. */
function readSignatureHeader(value: string): { digests: Digest[]; times: string[] } {
	const digests: Digest[] = [];
	const times = new Set<string>();
	let before = '';
	for (const part of headerParts(value)) {
		const digest = readDigest(part);
		const time = digest ? undefined : timeIn(part);
		if (digest) {
			// `v1,` in front of a signature, as Standard Webhooks has it.
			const label = digest.label || before;
			if (isCounted({ ...digest, label })) digests.push({ ...digest, label });
		} else if (time !== undefined) times.add(time);
		before = digest || time !== undefined ? '' : part;
	}
	return { digests, times: [...times] };
}

/** Any other text than a known one before a digest may say that it is of something else. */
function isCounted({ algorithm, label }: Digest): boolean {
	return ALGORITHMS[algorithm].isRecognised && (label === '' || SIGNATURE_LABEL.test(label));
}

/** The time in a part of a signature's header; undefined when it is about something else. */
function timeIn(part: string): string | undefined {
	if (LABELLED_TIME.test(part)) return part.slice(part.indexOf('=') + 1).replaceAll('"', '');
	const isTime = part.length >= SHORTEST_PLAIN_TIME && !Number.isNaN(unixSeconds(part));
	return isTime ? part : undefined;
}

/** That whose name is most like a signature's, else the most usual and shortest: proxies add longer ones. */
function findTimeHeader(names: string[], headers: DeliveryHeaders): string | undefined {
	const likeness = (one: string) => Math.max(0, ...names.map((name) => sharedLength(one, name)));
	const found = Object.keys(headers)
		.filter((name) => TIME_HEADER.test(name))
		.filter((name) => !Number.isNaN(unixSeconds(headerText(headers, name))));
	const isUnusual = (name: string) => !name.endsWith('timestamp');
	return sortBy(found, [(name) => -likeness(name), isUnusual, 'length'])[0];
}
