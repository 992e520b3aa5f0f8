export type Algorithm = 'sha256' | 'sha512' | 'sha1';
export type Encoding = 'hex' | 'base64';

/** A digest as it stands in a header, such as `v1=` and 64 hex characters. */
export interface Digest {
	algorithm: Algorithm;
	encoding: Encoding;
	text: string;
	bytes: Buffer;
	/** What stands before it, up to a sign such as `=`, which is not part of it. */
	label: string;
}

/** More signatures than any sender lists in one header are not looked at. */
export const MAXIMUM_SIGNATURES = 16;

/** In bytes. */
const DIGEST_LENGTHS: Record<Algorithm, number> = { sha256: 32, sha512: 64, sha1: 20 };

/** A digest at the end of a text, by the number of characters that an algorithm's digest has. */
const HEX_DIGEST = /^(?:(.{0,60})[=:/.|])?"?([\da-f]{64}|[\da-f]{128}|[\da-f]{40})"?$/i;
const BASE64_DIGEST = /^(?:(.{0,60})[=:])?"?([\w+/-]{43}=?|[\w+/-]{86}(?:==)?|[\w+/-]{27}=?)"?$/;
const ALGORITHM_IN_LABEL = /sha-?(1|256|384|512)(?!\d)/i;

/** The algorithms whose digests have so many bytes. */
const BY_LENGTH = new Map<number, Algorithm>([
	[32, 'sha256'],
	[64, 'sha512'],
	[20, 'sha1'],
]);

/** The digest in one part of a header; undefined when there is none, or the label contradicts it. */
export function readDigest(part: string): Digest | undefined {
	let encoding: Encoding = 'hex';
	let match = HEX_DIGEST.exec(part);
	if (match === null) {
		encoding = 'base64';
		match = BASE64_DIGEST.exec(part);
		if (match === null) return undefined;
	}
	const [, label = '', text] = match;
	const bytes = Buffer.from(text, encoding);
	const algorithm = BY_LENGTH.get(bytes.length);
	if (algorithm === undefined) return undefined;
	if (label !== '') {
		const named = ALGORITHM_IN_LABEL.exec(label);
		if (named !== null && `sha${named[1]}` !== algorithm) return undefined;
	}
	return { algorithm, encoding, text, bytes, label };
}

/** The digests among some texts, each nothing else than that; others are left out. */
export function decodeDigests(texts: string[], algorithm: Algorithm, encoding: Encoding): Buffer[] {
	const digests: Buffer[] = [];
	for (const text of texts) {
		const digest = decodeDigest(text, DIGEST_LENGTHS[algorithm], encoding);
		if (digest !== undefined) digests.push(digest);
		if (digests.length === MAXIMUM_SIGNATURES) break;
	}
	return digests;
}

/**
 * Node decodes leniently and drops what does not fit: text that is just as long as a digest's own
 * and yields all of its bytes holds nothing else.
 */
function decodeDigest(text: string, length: number, encoding: Encoding): Buffer | undefined {
	const unpadded = encoding === 'base64' ? Math.ceil((length * 4) / 3) : length * 2;
	const padded = encoding === 'base64' ? Math.ceil(length / 3) * 4 : unpadded;
	if (text.length !== unpadded && !(text.length === padded && text.endsWith('='))) return undefined;
	const digest = Buffer.from(text, encoding);
	return digest.length === length ? digest : undefined;
}
