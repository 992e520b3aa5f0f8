import { MAXIMUM_SIGNATURES, readDigest, type Algorithm, type Digest } from './digests';
import {
	headerParts,
	headerText,
	sharedLength,
	signatureHeaderNames,
	type DeliveryHeaders,
} from './headers';
import { decodedKey, keyIn, type HmacKey } from './keys';
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
	/** Ways to read a key out of the secret, the likeliest first. */
	keys: readonly KeyReader[];
	/** The likeliest first. */
	contents: readonly SignedContent[];
	/** With a time or an id only where all of the contents cover it. */
	values: SignedValues;
	signatures: Buffer[];
	/** False where the time, or the digest, is rather a proxy's than the sender's. */
	isLikely: boolean;
	/** Whether the format says that each delivery has an id of its own. */
	idNamesDelivery?: boolean;
}

export type KeyReader = (secret: string) => HmacKey | undefined;

/** A header contradicts itself, so the whole delivery is refused. */
export const CONTRADICTION = 'contradiction';

const TEXT: KeyReader = (secret) => keyIn(secret, 'utf8');
const BASE64: KeyReader = (secret) => keyIn(secret, 'base64');
const HEX: KeyReader = (secret) => keyIn(secret, 'hex');
const TEXT_FIRST = [TEXT, decodedKey];
const BASE64_FIRST = [BASE64, TEXT, HEX];

const ALGORITHMS = ['sha256', 'sha512'] as const;

const BODY = [parseContent('{body}')];
const WITH_ID = ['{id}.{timestamp}.{body}', '{id}{timestamp}{body}'].map(parseContent);
const TIME_IN_SAME_HEADER = ['{timestamp}.{body}', '{timestamp}:{body}', '{timestamp}{body}'].map(
	parseContent,
);
const timeInOwnHeader = (version: string) =>
	[
		'{timestamp}.{body}',
		'{timestamp}{body}',
		'{timestamp}:{body}',
		`${version}:{timestamp}:{body}`,
		'{body}{timestamp}',
		'[{timestamp};{body}]',
	].map(parseContent);
const TIME_IN_OWN_HEADER = timeInOwnHeader('v0');
const TIME_IN_OWN_HEADER_V1 = timeInOwnHeader('v1');

const LABELLED_TIME = /^"?(?:t|ts|time|timestamp)="?(.*?)"?$/i;
const VERSION = /^v\d\w?$/;
/** With a key's name and a slash before it, if need be. */
const SIGNATURE_LABEL =
	/^(?:[\w.-]{0,60}\/)?(?:v\d?\w?|[sh]\d?|sig\d?|sign|signature\d?|hmac|mac|hash|digest|hs\d{3}|(?:hmac[-_]?)?sha[-_]?\d{3})$/i;
/** In digits. A shorter number is not a Unix time. */
const SHORTEST_PLAIN_TIME = 9;
/** The most usual first. */
const TIME_HEADER_ENDINGS = ['timestamp', 'time', 'ts', 'sent-at'];
/** Each costs passes over the body. */
const MAXIMUM_TIMES = 3;
/** What stands in such a header may be a checksum, which is made without a secret. */
const CHECKSUM_NAME = /(?:^|[-_])(?:digest|hash)(?:$|[-_])/;
/** Other senders may put the id of the account or the webhook into a header that is named like these. */
const FAMILY_WITH_DELIVERY_ID = /(?:^|-)(?:webhook|svix|message)-$/;

/**
 * What these headers claim in the ways that are recognised, the strongest first: those that sign a
 * time before those that sign the body alone.
 */
export function findClaims(headers: DeliveryHeaders): SignatureClaim[] | typeof CONTRADICTION {
	const claims: SignatureClaim[] = [];
	const names: string[] = [];
	const plain: Digest[] = [];
	const signed = new Set<Algorithm>();
	for (const name of signatureHeaderNames(headers)) {
		const { digests, times } = readSignatureHeader(headerText(headers, name));
		if (digests.length === 0) continue;
		if (times.length > 1) return CONTRADICTION;
		if (times.length === 1) {
			const values = { '{timestamp}': times[0] };
			const contents = TIME_IN_SAME_HEADER;
			addClaims(claims, digests, { keys: TEXT_FIRST, contents, values, isLikely: true });
		} else {
			names.push(name);
			plain.push(...digests);
			if (!CHECKSUM_NAME.test(name)) for (const { algorithm } of digests) signed.add(algorithm);
		}
	}
	if (plain.length === 0) return claims;

	for (const name of names) addClaimsWithId(claims, headers, name, plain);
	const keys = TEXT_FIRST;
	const unlikely = signed.size === 1 ? ALGORITHMS.find((one) => !signed.has(one)) : undefined;
	const contents = isVersion1(plain) ? TIME_IN_OWN_HEADER_V1 : TIME_IN_OWN_HEADER;
	for (const [place, time] of timesBeside(names, headers).entries()) {
		const values = { '{timestamp}': time };
		addClaims(claims, plain, { keys, contents, values, isLikely: place === 0 }, unlikely);
	}
	addClaims(claims, plain, { keys, contents: BODY, values: {}, isLikely: true }, unlikely);
	return claims;
}

/** Many headers have `v1=` for a signature of any kind; `v0=` only those that sign it. */
function isVersion1(digests: Digest[]): boolean {
	let isV1 = false;
	for (const { label } of digests) {
		if (label === 'v0') return false;
		if (label === 'v1') isV1 = true;
	}
	return isV1;
}

/** https://www.standardwebhooks.com and its kin: id, time and signature in headers of one family. */
function addClaimsWithId(
	claims: SignatureClaim[],
	headers: DeliveryHeaders,
	name: string,
	digests: Digest[],
): void {
	if (!name.endsWith('signature')) return;
	const family = name.slice(0, -'signature'.length);
	const id = headerText(headers, `${family}id`);
	const timestamp = headerText(headers, `${family}timestamp`);
	if (timestamp === '' || !isPlainId(id)) return;
	const values = { '{timestamp}': timestamp, '{id}': id };
	const idNamesDelivery = FAMILY_WITH_DELIVERY_ID.test(family);
	const claim = { keys: BASE64_FIRST, contents: WITH_ID, values, isLikely: true, idNamesDelivery };
	addClaims(claims, digests, claim);
}

/**
 * Digests of different algorithms need an HMAC each.
 *
 * @param unlikely the algorithm of what may be a checksum
 */
function addClaims(
	claims: SignatureClaim[],
	digests: Digest[],
	claim: Omit<SignatureClaim, 'algorithm' | 'signatures'>,
	unlikely?: Algorithm,
): void {
	for (const algorithm of ALGORITHMS) {
		const signatures: Buffer[] = [];
		for (const digest of digests) {
			if (digest.algorithm === algorithm) signatures.push(digest.bytes);
		}
		// A literal with each property costs less than a spread: every delivery comes through here.
		const { keys, contents, values, idNamesDelivery } = claim;
		const isLikely = claim.isLikely && algorithm !== unlikely;
		if (signatures.length === 0) continue;
		claims.push({ keys, contents, values, algorithm, signatures, isLikely, idNamesDelivery });
	}
}

/** The digests in a signature's header, and the different times that stand beside them. */
function readSignatureHeader(value: string): { digests: Digest[]; times: string[] } {
	const digests: Digest[] = [];
	const times: string[] = [];
	let before = '';
	for (const part of headerParts(value)) {
		const digest = readDigest(part);
		if (digest === undefined) {
			const time = timeIn(part);
			if (time !== undefined && !times.includes(time)) times.push(time);
			before = time === undefined ? part : '';
		} else {
			// `v1,` in front of a signature, as Standard Webhooks has it.
			if (digest.label === '') digest.label = before;
			if (isCounted(digest)) digests.push(digest);
			before = '';
		}
	}
	return { digests: countedDigests(digests), times };
}

/** If a header has several versions of a signature, v1 is the one meant for everybody. */
function countedDigests(digests: Digest[]): Digest[] {
	const isVersioned = digests.some(({ label }) => label === 'v1');
	const counted = isVersioned
		? digests.filter(({ label }) => label === 'v1' || !VERSION.test(label))
		: digests;
	return counted.slice(0, MAXIMUM_SIGNATURES);
}

/**
 * A digest counts if what stands before it is known to say "signature": any other text may say that it is
 * of something else. SHA-1 counts only where the user has chosen it.
 */
function isCounted({ algorithm, label }: Digest): boolean {
	if (algorithm === 'sha1') return false;
	// The usual ones first, which saves the pattern.
	return label === '' || label === 'v1' || SIGNATURE_LABEL.test(label);
}

/** The time in a part of a signature's header; undefined when it is about something else. */
function timeIn(part: string): string | undefined {
	if (part.includes('=')) return LABELLED_TIME.exec(part)?.[1];
	const isTime = part.length >= SHORTEST_PLAIN_TIME && !Number.isNaN(unixSeconds(part));
	return isTime ? part : undefined;
}

/**
 * Different times in headers of their own, those first whose names are most like a signature's, then
 * those with the most usual and the shortest names: proxies add longer ones.
 */
function timesBeside(names: string[], headers: DeliveryHeaders): string[] {
	const found: string[] = [];
	for (const name of Object.keys(headers)) {
		if (timeEnding(name) === -1) continue;
		if (!Number.isNaN(unixSeconds(headerText(headers, name)))) found.push(name);
	}
	if (found.length === 0) return found;
	const likeness = (one: string) => Math.max(...names.map((name) => sharedLength(one, name)));
	found.sort(
		(one, other) =>
			likeness(other) - likeness(one) ||
			timeEnding(one) - timeEnding(other) ||
			one.length - other.length,
	);
	return [...new Set(found.map((name) => headerText(headers, name)))].slice(0, MAXIMUM_TIMES);
}

/** Which of the endings a header's name has, as a part of its own; -1 when none. */
function timeEnding(name: string): number {
	return TIME_HEADER_ENDINGS.findIndex((ending) => {
		if (!name.endsWith(ending)) return false;
		const before = name[name.length - ending.length - 1];
		return before === undefined || before === '-' || before === '_';
	});
}
