/** Algorithms for an HMAC, the most common first, with the bytes of a digest. */
const DIGEST_BYTES = { sha256: 32, sha512: 64, sha1: 20 };
export type Algorithm = keyof typeof DIGEST_BYTES;
export const algorithms = Object.keys(DIGEST_BYTES) as Algorithm[];

/** Ways to write a digest. Hex comes first, because hex is also base64. */
const ENCODINGS = ['hex', 'base64'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** A digest in a header, such as `v1=` and 64 hex characters. */
export interface Digest {
	algorithm: Algorithm;
	text: string;
	bytes: Buffer;
	/** The text before it, without the sign such as `=` between them. */
	label: string;
}

/** Signs that end a label, and those of a digest. A slash or full stop before base64 may belong to the digest. */
const SIGNS: Record<Encoding, [string, string]> = {
	hex: ['[=:/.|]', '[\\da-f]'],
	base64: ['[=:]', '[\\w+/-]'],
};
/** Every way to write a digest after a label; base64 with or without padding. */
const FORMS = ENCODINGS.flatMap((encoding) =>
	algorithms.map((algorithm) => {
		const text = Buffer.alloc(DIGEST_BYTES[algorithm]).toString(encoding);
		const [bare] = text.split('=');
		const [sign, digit] = SIGNS[encoding];
		const digest = `${digit}{${bare.length}}(?:${text.slice(bare.length)})?`;
		return { algorithm, encoding, shape: new RegExp(`^(?:(.{0,59})${sign})?(${digest})$`, 'i') };
	}),
);
const ALGORITHM_IN_LABEL = /sha-?(1|\d{3})(?!\d)/i;

/** The digest in one part of a header; undefined where there is none, or its label names another algorithm. */
export function readDigest(part: string): Digest | undefined {
	for (const { algorithm, encoding, shape } of FORMS) {
		const [, label = '', text = ''] = shape.exec(part.replaceAll('"', '')) ?? [];
		const [, named] = ALGORITHM_IN_LABEL.exec(label) ?? [];
		if (text === '' || (named !== undefined && `sha${named}` !== algorithm)) continue;
		return { algorithm, text, bytes: Buffer.from(text, encoding), label };
	}
	return undefined;
}

/** Ways in which a secret becomes a key: its text, or the bytes that the text encodes. */
export const SECRET_ENCODINGS = ['utf8', 'base64', 'hex'] as const;
export type SecretEncoding = (typeof SECRET_ENCODINGS)[number];

/** Some senders put this before a base64 secret. */
const BASE64_SECRET_PREFIX = /^(?:v\d,)?[a-z_]{0,20}whsec_/;
const SECRET_FORMS: Record<SecretEncoding, RegExp> = {
	utf8: /./,
	base64: /^[\w+/-]+={0,2}$/,
	hex: /^(?:[\da-f]{2})+$/i,
};

/** The key in a secret; undefined if the secret has another encoding or is empty, because anyone could sign with that. */
export function keyIn(secret: string, encoding: SecretEncoding): Buffer | undefined {
	const text = encoding === 'base64' ? secret.replace(BASE64_SECRET_PREFIX, '') : secret;
	const key = Buffer.from(text, encoding);
	return SECRET_FORMS[encoding].test(text) && key.length > 0 ? key : undefined;
}
