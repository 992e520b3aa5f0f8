/** How a secret becomes a key: its text, or the bytes that the text stands for. */
export type SecretEncoding = 'utf8' | 'base64' | 'hex';

/** Kept as text: Node takes four times as long to make an HMAC key from bytes. */
export interface HmacKey {
	text: string;
	encoding: SecretEncoding;
}

/** What some senders put before a base64 secret. */
const BASE64_SECRET_PREFIX = /^[a-z_]{0,20}whsec_/;
const BASE64 = /^[\w+/-]+={0,2}$/;
const HEX = /^(?:[\da-f]{2})+$/i;

/**
 * The key in a secret; undefined when the secret is not of that encoding, or the key would be empty,
 * which would let anyone sign.
 */
export function keyIn(secret: string, encoding: SecretEncoding): HmacKey | undefined {
	if (encoding === 'base64') {
		const text = secret.replace(BASE64_SECRET_PREFIX, '');
		const isKey = BASE64.test(text) && Buffer.byteLength(text, 'base64') > 0;
		return isKey ? { text, encoding } : undefined;
	}
	const isKey = encoding === 'hex' ? HEX.test(secret) : secret !== '';
	return isKey ? { text: secret, encoding } : undefined;
}

/** The bytes that a secret stands for: hex is also base64, but hardly ever meant as such. */
export function decodedKey(secret: string): HmacKey | undefined {
	return keyIn(secret, 'hex') ?? keyIn(secret, 'base64');
}
