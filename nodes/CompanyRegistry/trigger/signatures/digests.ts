import { timingSafeEqual } from 'crypto';

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

/** More than any sender lists in one header; further ones are ignored. */
export const MAXIMUM_SIGNATURES = 16;

/** In bytes. */
const DIGEST_LENGTHS: Record<Algorithm, number> = { sha256: 32, sha512: 64, sha1: 20 };

interface Form {
	algorithm: Algorithm;
	encoding: Encoding;
	/** Of the text. */
	length: number;
	padding: string;
}

/** Every way to write a digest, the most usual first; no two have the same length. */
const FORMS: Form[] = [
	{ algorithm: 'sha256', encoding: 'hex', length: 64, padding: '' },
	{ algorithm: 'sha256', encoding: 'base64', length: 44, padding: '=' },
	{ algorithm: 'sha256', encoding: 'base64', length: 43, padding: '' },
	{ algorithm: 'sha512', encoding: 'hex', length: 128, padding: '' },
	{ algorithm: 'sha512', encoding: 'base64', length: 88, padding: '==' },
	{ algorithm: 'sha512', encoding: 'base64', length: 86, padding: '' },
	{ algorithm: 'sha1', encoding: 'hex', length: 40, padding: '' },
	{ algorithm: 'sha1', encoding: 'base64', length: 28, padding: '=' },
	{ algorithm: 'sha1', encoding: 'base64', length: 27, padding: '' },
];
/** Characters that end a label. A slash or full stop before base64 could belong to the value itself. */
const SIGNS: Record<Encoding, string> = { hex: '=:/.|', base64: '=:' };
const MAXIMUM_LABEL_LENGTH = 60;
const ALGORITHM_IN_LABEL = /sha-?(1|256|384|512)(?!\d)/i;

/** The digest in one part of a header; undefined when there is none, or the label contradicts it. */
export function readDigest(part: string): Digest | undefined {
	const bare = part.replaceAll('"', '');
	for (const form of FORMS) {
		const start = bare.length - form.length;
		if (start >= 0 && start <= MAXIMUM_LABEL_LENGTH) {
			const digest = readInForm(bare, start, form);
			if (digest !== undefined) return digest;
		}
	}
	return undefined;
}

/**
 * Buffer.from ignores invalid characters. Checking both the text's length and the number of bytes
 * rejects them.
 */
function readInForm(
	part: string,
	start: number,
	{ algorithm, encoding, padding }: Form,
): Digest | undefined {
	if (start > 0 && !SIGNS[encoding].includes(part[start - 1])) return undefined;
	if (!part.endsWith(padding)) return undefined;
	const text = part.slice(start);
	const bytes = Buffer.from(text, encoding);
	if (bytes.length !== DIGEST_LENGTHS[algorithm]) return undefined;
	const label = start > 0 ? part.slice(0, start - 1) : '';
	const named = label === '' || label === algorithm ? null : ALGORITHM_IN_LABEL.exec(label);
	if (named !== null && `sha${named[1]}` !== algorithm) return undefined;
	return { algorithm, encoding, text, bytes, label };
}

/** In constant time, so that nobody can find a digest out byte by byte. */
export function isSameDigest(one: Buffer, other: Buffer): boolean {
	return one.length === other.length && timingSafeEqual(one, other);
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

/** Checks text and bytes like readInForm. */
function decodeDigest(text: string, length: number, encoding: Encoding): Buffer | undefined {
	const unpadded = encoding === 'base64' ? Math.ceil((length * 4) / 3) : length * 2;
	const padded = encoding === 'base64' ? Math.ceil(length / 3) * 4 : unpadded;
	if (text.length !== unpadded && !(text.length === padded && text.endsWith('='))) return undefined;
	const digest = Buffer.from(text, encoding);
	return digest.length === length ? digest : undefined;
}
