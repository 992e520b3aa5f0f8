/** Request headers as Node gives them: names in lower case, repeated ones joined or listed. */
export type DeliveryHeaders = Record<string, string | string[] | undefined>;

export type Algorithm = 'sha256' | 'sha512';
export type Encoding = 'hex' | 'base64';

/** More signatures than any sender lists in one header are not looked at. */
const MAXIMUM_SIGNATURES = 16;

/** In bytes. */
const DIGEST_LENGTHS: Record<Algorithm, number> = { sha256: 32, sha512: 64 };

/** A header's value without surrounding space; empty when it is not there. */
export function headerText(headers: DeliveryHeaders, name: string): string {
	const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
	return (Array.isArray(value) ? value.join(', ') : (value ?? '')).trim();
}

/** The digests among some texts, decoded by the first encoding that fits; others are left out. */
export function decodeDigests(
	texts: string[],
	algorithm: Algorithm,
	encodings: Encoding[],
): Buffer[] {
	const digests: Buffer[] = [];
	for (const text of texts) {
		for (const encoding of encodings) {
			const digest = decodeDigest(text, DIGEST_LENGTHS[algorithm], encoding);
			if (digest === undefined) continue;
			digests.push(digest);
			break;
		}
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

/** Text, since Node makes an HMAC from text at a quarter of what one from bytes costs. */
export interface HmacKey {
	text: string;
	encoding: 'utf8' | 'base64';
}

/** The secret's text as a key; none when it is empty, as an empty key would let anyone sign. */
export function textKey(secret: string): HmacKey[] {
	return secret === '' ? [] : [{ text: secret, encoding: 'utf8' }];
}

/** The key in a secret that is base64, with or without `whsec_`; none when it is not base64. */
export function base64Key(secret: string): HmacKey[] {
	const text = secret.replace(/^whsec_/, '');
	const isKey = /^[\w+/-]+={0,2}$/.test(text) && Buffer.byteLength(text, 'base64') > 0;
	return isKey ? [{ text, encoding: 'base64' }] : [];
}

/**
 * Whether a signed id is free of JSON. The beginning of a signed body could otherwise be sent as the
 * id, and the rest of it would pass for a body that nobody signed.
 */
export function isPlainId(id: string): boolean {
	return /^[^\s"{}[\]]+$/.test(id);
}
