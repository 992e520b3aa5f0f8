import { readDigest, type Algorithm, type Digest } from './digests';
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
	/** Whether the format says that each delivery has an id of its own. */
	idNamesDelivery?: boolean;
}

export type KeyReader = (secret: string) => HmacKey | undefined;

/** A header contradicts itself, so the whole delivery is refused. */
export const CONTRADICTION = 'contradiction';

const TEXT: KeyReader = (secret) => keyIn(secret, 'utf8');
const TEXT_FIRST = [TEXT, decodedKey];
/** As Standard Webhooks has it: also a secret that could be hex. */
const BASE64_FIRST: KeyReader[] = [(secret) => keyIn(secret, 'base64'), TEXT, decodedKey];

const BODY = [parseContent('{body}')];
const WITH_ID = [parseContent('{id}.{timestamp}.{body}')];

/** More than any sender lists in one header; further ones are ignored. */
const MAXIMUM_SIGNATURES = 16;
const VERSION = /^v\d\w?$/;
/** With a key's name and a slash before it, if need be. */
const SIGNATURE_LABEL =
	/^(?:[\w.-]{0,60}\/)?(?:v\d?\w?|[sh]\d?|sig\d?|sign|signature\d?|hmac|mac|hash|digest|hs\d{3}|(?:hmac[-_]?)?sha[-_]?\d{3})$/i;
const LABELLED_TIME = /^"?(?:t|ts|time|timestamp)=/i;
/** In digits. A shorter number is not a Unix time. */
const SHORTEST_PLAIN_TIME = 9;
/** The most usual first. */
const TIME_HEADER_ENDINGS = ['timestamp', 'time', 'ts', 'sent-at'];
/** In a header that is only called hash or digest may be a checksum, which proxies make without a secret. */
const SIGNATURE_NAME = /sig|mac/;
/** Other senders may put the id of the account or the webhook into a header that is named like these. */
const FAMILY_WITH_DELIVERY_ID = /(?:^|-)(?:webhook|svix|message)-$/;

/**
 * What these headers claim in the ways that are recognised, the strongest first: those that sign a
 * time before those that sign the body alone. An algorithm that only a checksum may be of comes last.
 */
export function findClaims(headers: DeliveryHeaders): SignatureClaim[] | typeof CONTRADICTION {
	const claims: SignatureClaim[] = [];
	const timeless: Array<{ name: string; digests: Digest[] }> = [];
	for (const name of signatureHeaderNames(headers)) {
		const { digests, times } = readSignatureHeader(headerText(headers, name));
		if (digests.length === 0) continue;
		if (times.length > 1) return CONTRADICTION;
		if (times.length === 0) timeless.push({ name, digests });
		else claims.push(...timedClaims(digests, times[0]));
	}
	const digests = timeless.flatMap((one) => one.digests);
	const certain = timeless.filter(({ name }) => SIGNATURE_NAME.test(name));
	const time = timeBeside(
		timeless.map(({ name }) => name),
		headers,
	);
	const ordered = [...certain.flatMap((one) => one.digests), ...digests];
	for (const algorithm of new Set(ordered.map((digest) => digest.algorithm))) {
		const ofAlgorithm = (all: Digest[]) => all.filter((digest) => digest.algorithm === algorithm);
		for (const one of timeless) {
			claims.push(...claimsWithId(headers, one.name, ofAlgorithm(one.digests)));
		}
		if (time !== undefined) claims.push(...timedClaims(ofAlgorithm(digests), time));
		claims.push(
			...claimsOf(ofAlgorithm(digests), { keys: TEXT_FIRST, contents: BODY, values: {} }),
		);
	}
	return claims;
}

function timedClaims(digests: Digest[], time: string): SignatureClaim[] {
	const version = digests.find(({ label }) => VERSION.test(label))?.label ?? 'v0';
	const contents = [
		'{timestamp}.{body}',
		'{timestamp}{body}',
		'{timestamp}:{body}',
		`${version}:{timestamp}:{body}`,
	].map(parseContent);
	return claimsOf(digests, { keys: TEXT_FIRST, contents, values: { '{timestamp}': time } });
}

/** https://www.standardwebhooks.com and its kin: id, time and signature in headers of one family. */
function claimsWithId(headers: DeliveryHeaders, name: string, digests: Digest[]): SignatureClaim[] {
	if (!name.endsWith('signature')) return [];
	const family = name.slice(0, -'signature'.length);
	const id = headerText(headers, `${family}id`);
	const timestamp = headerText(headers, `${family}timestamp`);
	if (timestamp === '' || !isPlainId(id)) return [];
	const values = { '{timestamp}': timestamp, '{id}': id };
	const idNamesDelivery = FAMILY_WITH_DELIVERY_ID.test(family);
	return claimsOf(digests, { keys: BASE64_FIRST, contents: WITH_ID, values, idNamesDelivery });
}

/** One claim for each algorithm, because each needs an HMAC of its own. */
function claimsOf(
	digests: Digest[],
	claim: Omit<SignatureClaim, 'algorithm' | 'signatures'>,
): SignatureClaim[] {
	return (['sha256', 'sha512'] as const).flatMap((algorithm) => {
		const signatures = digests
			.filter((digest) => digest.algorithm === algorithm)
			.map(({ bytes }) => bytes);
		return signatures.length > 0 ? [{ ...claim, algorithm, signatures }] : [];
	});
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
	return { digests: ofVersion1(digests).slice(0, MAXIMUM_SIGNATURES), times: [...times] };
}

/** If a header has several versions of a signature, v1 is the one meant for everybody. */
function ofVersion1(digests: Digest[]): Digest[] {
	const isVersioned = digests.some(({ label }) => label === 'v1');
	if (!isVersioned) return digests;
	return digests.filter(({ label }) => label === 'v1' || !VERSION.test(label));
}

/**
 * A digest counts if what stands before it is known to say "signature": any other text may say that it is
 * of something else. SHA-1 counts only where the user has chosen it.
 */
function isCounted({ algorithm, label }: Digest): boolean {
	return algorithm !== 'sha1' && (label === '' || SIGNATURE_LABEL.test(label));
}

/** The time in a part of a signature's header; undefined when it is about something else. */
function timeIn(part: string): string | undefined {
	if (LABELLED_TIME.test(part)) return part.slice(part.indexOf('=') + 1).replaceAll('"', '');
	const isTime = part.length >= SHORTEST_PLAIN_TIME && !Number.isNaN(unixSeconds(part));
	return isTime ? part : undefined;
}

/**
 * The time in a header of its own: the one whose name is most like a signature's, else the one with the
 * most usual and the shortest name, because proxies add longer ones.
 */
function timeBeside(names: string[], headers: DeliveryHeaders): string | undefined {
	const likeness = (one: string) => Math.max(0, ...names.map((name) => sharedLength(one, name)));
	const [nearest] = Object.keys(headers)
		.filter((name) => timeEnding(name) !== -1)
		.filter((name) => !Number.isNaN(unixSeconds(headerText(headers, name))))
		.sort(
			(one, other) =>
				likeness(other) - likeness(one) ||
				timeEnding(one) - timeEnding(other) ||
				one.length - other.length,
		);
	return nearest === undefined ? undefined : headerText(headers, nearest);
}

/** Which of the endings a header's name has, as a part of its own; -1 when none. */
function timeEnding(name: string): number {
	return TIME_HEADER_ENDINGS.findIndex(
		(ending) => name === ending || name.endsWith(`-${ending}`) || name.endsWith(`_${ending}`),
	);
}
