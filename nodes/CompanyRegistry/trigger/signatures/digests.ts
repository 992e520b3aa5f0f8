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

/** In bytes. */
const DIGEST_LENGTHS: Record<Algorithm, number> = { sha256: 32, sha512: 64, sha1: 20 };
/** Every way to write a digest, by the length of its text, which no two share. */
const FORMS: Array<[Algorithm, Encoding, length: number, padding: string]> = [
	['sha256', 'hex', 64, ''],
	['sha256', 'base64', 44, '='],
	['sha256', 'base64', 43, ''],
	['sha512', 'hex', 128, ''],
	['sha512', 'base64', 88, '=='],
	['sha512', 'base64', 86, ''],
	['sha1', 'hex', 40, ''],
	['sha1', 'base64', 28, '='],
	['sha1', 'base64', 27, ''],
];
/** Characters that end a label. A slash or full stop before base64 could belong to the value itself. */
const SIGNS: Record<Encoding, string> = { hex: '=:/.|', base64: '=:' };
const MAXIMUM_LABEL_LENGTH = 60;
const ALGORITHM_IN_LABEL = /sha-?(1|256|384|512)(?!\d)/i;

/** The digest in one part of a header; undefined when there is none, or the label contradicts it. */
export function readDigest(part: string): Digest | undefined {
	const bare = part.replaceAll('"', '');
	for (const [algorithm, encoding, length, padding] of FORMS) {
		const start = bare.length - length;
		if (start < 0 || start > MAXIMUM_LABEL_LENGTH || !bare.endsWith(padding)) continue;
		if (start > 0 && !SIGNS[encoding].includes(bare[start - 1])) continue;
		const text = bare.slice(start);
		const bytes = Buffer.from(text, encoding);
		// Buffer.from passes over invalid characters, which makes it shorter.
		if (bytes.length !== DIGEST_LENGTHS[algorithm]) continue;
		const label = bare.slice(0, Math.max(0, start - 1));
		const [, named] = ALGORITHM_IN_LABEL.exec(label) ?? [];
		if (named === undefined || `sha${named}` === algorithm) {
			return { algorithm, encoding, text, bytes, label };
		}
	}
	return undefined;
}

/** In constant time, so that nobody can find a digest out byte by byte. */
export function isSameDigest(one: Buffer, other: Buffer): boolean {
	return one.length === other.length && timingSafeEqual(one, other);
}
