/** Each an HMAC, the more usual first. All that is offered, read, recognised and looked for is made of this. */
export const ALGORITHMS = {
	sha256: { bytes: 32, isRecognised: true },
	sha512: { bytes: 64, isRecognised: true },
	// Counts only where the user has chosen it.
	sha1: { bytes: 20, isRecognised: false },
};
export type Algorithm = keyof typeof ALGORITHMS;
export const algorithms = Object.keys(ALGORITHMS) as Algorithm[];

/** How a digest is written. Hex comes first, because hex is also base64. */
const ENCODINGS = ['hex', 'base64'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A digest as it stands in a header, such as `v1=` and 64 hex characters. */
export interface Digest {
	algorithm: Algorithm;
	encoding: Encoding;
	text: string;
	bytes: Buffer;
	/** What stands before it, up to a sign such as `=`, which is not part of it. */
	label: string;
}

/** Signs that end a label, and those of a digest: a slash or full stop before base64 could belong to the digest. */
const SIGNS: Record<Encoding, [string, string]> = {
	hex: ['[=:/.|]', '[\\da-f]'],
	base64: ['[=:]', '[\\w+/-]'],
};
/** Every way to write a digest behind a label: in base64 with the signs that fill it up and without them. */
const FORMS = ENCODINGS.flatMap((encoding) =>
	algorithms.map((algorithm) => {
		const text = Buffer.alloc(ALGORITHMS[algorithm].bytes).toString(encoding);
		const [bare] = text.split('=');
		const [sign, digit] = SIGNS[encoding];
		const digest = `${digit}{${bare.length}}(?:${text.slice(bare.length)})?`;
		return { algorithm, encoding, shape: new RegExp(`^(?:(.{0,59})${sign})?(${digest})$`, 'i') };
	}),
);
const ALGORITHM_IN_LABEL = /sha-?(1|\d{3})(?!\d)/i;

/** The digest in one part of a header; undefined when there is none, or the label contradicts it. */
export function readDigest(part: string): Digest | undefined {
	for (const { algorithm, encoding, shape } of FORMS) {
		const [, label = '', text = ''] = shape.exec(part.replaceAll('"', '')) ?? [];
		const [, named] = ALGORITHM_IN_LABEL.exec(label) ?? [];
		if (text === '' || (named !== undefined && `sha${named}` !== algorithm)) continue;
		return { algorithm, encoding, text, bytes: Buffer.from(text, encoding), label };
	}
	return undefined;
}

/** How a secret becomes a key: its text, or the bytes that the text stands for. */
export const SECRET_ENCODINGS = ['utf8', 'base64', 'hex'] as const;
export type SecretEncoding = (typeof SECRET_ENCODINGS)[number];

/** What some senders put before a base64 secret. */
const BASE64_SECRET_PREFIX = /^[a-z_]{0,20}whsec_/;
const SECRET_FORMS: Record<SecretEncoding, RegExp> = {
	utf8: /./,
	base64: /^[\w+/-]+={0,2}$/,
	hex: /^(?:[\da-f]{2})+$/i,
};

/** The key in a secret; undefined where it is not of that encoding, or empty, which would let anyone sign. */
export function keyIn(secret: string, encoding: SecretEncoding): Buffer | undefined {
	const text = encoding === 'base64' ? secret.replace(BASE64_SECRET_PREFIX, '') : secret;
	const key = Buffer.from(text, encoding);
	return SECRET_FORMS[encoding].test(text) && key.length > 0 ? key : undefined;
}
