/** Request headers as Node gives them: names in lower case, repeated ones joined or listed. */
export type DeliveryHeaders = Record<string, string | string[] | undefined>;

export type Algorithm = 'sha256' | 'sha512';
export type Encoding = 'hex' | 'base64';

/** More signatures than any sender lists in one header are not looked at. */
const MAXIMUM_SIGNATURES = 16;

/** Node decodes leniently and drops what does not fit: only text of a digest's exact length counts. */
const DIGEST_SHAPES: Record<Algorithm, Record<Encoding, RegExp>> = {
	sha256: { hex: /^[0-9a-f]{64}$/i, base64: /^[\w+/-]{43}=?$/ },
	sha512: { hex: /^[0-9a-f]{128}$/i, base64: /^[\w+/-]{86}(?:==)?$/ },
};

/** A header's value without surrounding space; empty when it is not there. */
export function headerText(headers: DeliveryHeaders, name: string): string {
	const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
	return (Array.isArray(value) ? value.join(', ') : (value ?? '')).trim();
}

/** The digests among some texts, decoded by the first encoding that fits; others are left out. */
export function decodeDigests(texts: string[], algorithm: Algorithm, encodings: Encoding[]): Buffer[] {
	const digests = texts.flatMap((text) => {
		const encoding = encodings.find((candidate) => DIGEST_SHAPES[algorithm][candidate].test(text));
		return encoding === undefined ? [] : [Buffer.from(text, encoding)];
	});
	return digests.slice(0, MAXIMUM_SIGNATURES);
}

/** Text, since Node makes an HMAC from text at a quarter of what one from bytes costs. */
export interface HmacKey {
	text: string;
	encoding: 'utf8' | 'base64';
}

/** The secret's text as a key. */
export function textKey(secret: string): HmacKey[] {
	return usable({ text: secret, encoding: 'utf8' });
}

/** The key in a secret that is base64, with or without `whsec_`; none when it is not base64. */
export function base64Key(secret: string): HmacKey[] {
	const text = secret.replace(/^whsec_/, '');
	return usable({ text: /^[\w+/-]+={0,2}$/.test(text) ? text : '', encoding: 'base64' });
}

/** An empty key would let anyone sign. */
function usable(key: HmacKey): HmacKey[] {
	return Buffer.from(key.text, key.encoding).length > 0 ? [key] : [];
}

/**
 * Whether a signed id is free of JSON. The beginning of a signed body could otherwise be sent as the
 * id, and the rest of it would pass for a body that nobody signed.
 */
export function isPlainId(id: string): boolean {
	return /^[^\s"{}[\]]+$/.test(id);
}
