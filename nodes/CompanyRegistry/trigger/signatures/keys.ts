/** How a secret becomes a key: its text, or the bytes that the text stands for. */
export const SECRET_ENCODINGS = ['utf8', 'base64', 'hex'] as const;
export type SecretEncoding = (typeof SECRET_ENCODINGS)[number];

/** What some senders put before a base64 secret. */
const BASE64_SECRET_PREFIX = /^[a-z_]{0,20}whsec_/;
const FORMS: Record<SecretEncoding, RegExp> = {
	utf8: /./,
	base64: /^[\w+/-]+={0,2}$/,
	hex: /^(?:[\da-f]{2})+$/i,
};

/**
 * The key in a secret; undefined when the secret is not of that encoding, or the key would be empty,
 * which would let anyone sign.
 */
export function keyIn(secret: string, encoding: SecretEncoding): Buffer | undefined {
	const text = encoding === 'base64' ? secret.replace(BASE64_SECRET_PREFIX, '') : secret;
	const key = Buffer.from(text, encoding);
	return FORMS[encoding].test(text) && key.length > 0 ? key : undefined;
}
