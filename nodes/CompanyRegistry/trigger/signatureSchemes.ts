/** Request headers as Node gives them: names in lower case, repeated ones joined or listed. */
export type DeliveryHeaders = Record<string, string | string[] | undefined>;

/** A scheme that the user describes because `auto` does not know it. */
export interface CustomScheme {
	/** Header that carries the signature. */
	header: string;
	algorithm: 'sha256' | 'sha512';
	encoding: 'hex' | 'base64';
	/** Text before the signature in its header, such as `sha256=`. */
	prefix: string;
	/** What is signed: a template of `{body}`, `{timestamp}` and `{id}`, in any case. */
	content: string;
	timestampHeader: string;
	idHeader: string;
	secretEncoding: 'utf8' | 'base64';
}

/** What one set of headers claims: that a signature over `content` was made with one of `keys`. */
export interface SignatureClaim {
	algorithm: 'sha256' | 'sha512';
	keys: Buffer[];
	/** Pieces that are signed, in order; `null` stands for the raw body. */
	content: Array<string | null>;
	signatures: Buffer[];
	/** As received; present when the scheme signs a time. */
	timestamp?: string;
	/** Delivery id, present when the scheme signs one. */
	id?: string;
}

/** More signatures than any sender lists in one header are not looked at. */
const MAXIMUM_SIGNATURES = 16;
const SIGNATURE_HEADER = /(?:-signature|-signature-256|-hmac-sha256)$/;
const DIGEST_LENGTH = { sha256: 32, sha512: 64 };

/** Names of the headers that look like carrying a signature; for logs, so bounded. */
export function signatureHeaderNames(headers: DeliveryHeaders): string[] {
	return Object.keys(headers)
		.filter((name) => SIGNATURE_HEADER.test(name))
		.slice(0, MAXIMUM_SIGNATURES)
		.map((name) => name.slice(0, 80));
}

/** Every known scheme that these headers have the shape of. */
export function findClaims(headers: DeliveryHeaders, secret: string): SignatureClaim[] {
	const claims: SignatureClaim[] = [];
	for (const name of signatureHeaderNames(headers)) {
		const value = headerText(headers, name);
		const claim =
			standardWebhooks(headers, name, value, secret) ??
			timestampedList(value, secret) ??
			bodyOnly(value, secret);
		if (claim.signatures.length > 0) claims.push(claim);
	}
	return claims;
}

/** The one claim that a custom scheme can find in these headers. */
export function findCustomClaim(
	headers: DeliveryHeaders,
	secret: string,
	scheme: CustomScheme,
): SignatureClaim | undefined {
	const value = headerText(headers, scheme.header.toLowerCase());
	const timestamp = headerText(headers, scheme.timestampHeader.toLowerCase());
	const id = headerText(headers, scheme.idHeader.toLowerCase());
	if (customSchemeProblem(scheme) !== undefined || value === '') return undefined;
	if ((scheme.timestampHeader && !timestamp) || (scheme.idHeader && !id)) return undefined;

	const values: Record<string, string | null> = { '{body}': null, '{timestamp}': timestamp, '{id}': id };
	return {
		algorithm: scheme.algorithm,
		keys: [scheme.secretEncoding === 'base64' ? base64Key(secret) : Buffer.from(secret)].filter(isKey),
		content: scheme.content
			.split(/(\{body\}|\{timestamp\}|\{id\})/i)
			.map((piece) => {
				const name = piece.toLowerCase();
				return Object.hasOwn(values, name) ? values[name] : piece;
			}),
		// The whole value first: a prefix may hold a space.
		signatures: [value, ...value.split(/[\s,]+/)]
			.filter((part) => part.startsWith(scheme.prefix))
			.slice(0, MAXIMUM_SIGNATURES)
			.map((part) => decode(part.slice(scheme.prefix.length), scheme.encoding, scheme.algorithm))
			.filter((signature) => signature !== undefined),
		...(scheme.timestampHeader ? { timestamp } : {}),
		...(signs(scheme, '{id}') ? { id } : {}),
	};
}

/** Why a custom scheme would protect nothing, or undefined when it is sound. */
export function customSchemeProblem(scheme: CustomScheme): string | undefined {
	if (scheme.header.trim() === '') return "'Header' is empty";
	if (!signs(scheme, '{body}')) return "'Signed Content' does not contain {body}";
	if (signs(scheme, '{timestamp}') && !scheme.timestampHeader) {
		return "'Signed Content' contains {timestamp} but 'Timestamp Header' is empty";
	}
	if (scheme.timestampHeader && !signs(scheme, '{timestamp}')) {
		return "'Timestamp Header' is set but 'Signed Content' does not contain {timestamp}";
	}
	if (signs(scheme, '{id}') && !scheme.idHeader) {
		return "'Signed Content' contains {ID} but 'ID Header' is empty";
	}
	return undefined;
}

function signs({ content }: CustomScheme, part: string): boolean {
	return content.toLowerCase().includes(part);
}

/** https://www.standardwebhooks.com and its forerunner Svix: three headers of one family. */
function standardWebhooks(
	headers: DeliveryHeaders,
	name: string,
	value: string,
	secret: string,
): SignatureClaim | undefined {
	if (name !== 'webhook-signature' && name !== 'svix-signature') return undefined;
	const family = name.slice(0, -'-signature'.length);
	const id = headerText(headers, `${family}-id`);
	const timestamp = headerText(headers, `${family}-timestamp`);
	if (id === '' || timestamp === '') return undefined;
	return {
		algorithm: 'sha256',
		keys: secret.startsWith('whsec_')
			? [base64Key(secret)].filter(isKey)
			: [base64Key(secret), Buffer.from(secret)].filter(isKey),
		content: [id, '.', timestamp, '.', null],
		// Repeated headers arrive joined by a comma and a space, listed signatures by a space.
		signatures: decodeAll(value.split(/,?\s+/), /^v1,(.*)$/),
		timestamp,
		id,
	};
}

/** `t=<seconds>,v1=<hex>[,v1=<hex>…]`, as Stripe and others send it. */
function timestampedList(value: string, secret: string): SignatureClaim | undefined {
	const parts = value.split(/\s*,\s*/);
	const timestamp = parts.find((part) => part.startsWith('t='))?.slice(2);
	if (timestamp === undefined) return undefined;
	return {
		algorithm: 'sha256',
		keys: [Buffer.from(secret)].filter(isKey),
		content: [timestamp, '.', null],
		signatures: decodeAll(parts, /^v1=(.*)$/),
		timestamp,
	};
}

/** A digest of the body alone, as GitHub, Shopify, Linear and others send it. */
function bodyOnly(value: string, secret: string): SignatureClaim {
	return {
		algorithm: 'sha256',
		keys: [Buffer.from(secret)].filter(isKey),
		content: [null],
		signatures: decodeAll(value.split(/[\s,]+/), /^(?:sha256=|v1=)?(.*)$/),
	};
}

function decodeAll(parts: string[], shape: RegExp): Buffer[] {
	return parts
		.slice(0, MAXIMUM_SIGNATURES)
		.map((part) => shape.exec(part)?.[1] ?? '')
		.map((text) => decode(text, 'hex', 'sha256') ?? decode(text, 'base64', 'sha256'))
		.filter((signature) => signature !== undefined);
}

function decode(
	text: string,
	encoding: 'hex' | 'base64',
	algorithm: 'sha256' | 'sha512',
): Buffer | undefined {
	// Node decodes leniently; only text that is wholly of the encoding counts.
	const shape = encoding === 'hex' ? /^[0-9a-f]+$/i : /^[0-9a-z+/]+={0,2}$/i;
	if (!shape.test(text)) return undefined;
	const signature = Buffer.from(text, encoding);
	return signature.length === DIGEST_LENGTH[algorithm] ? signature : undefined;
}

/** The key in a secret that is base64, with or without `whsec_`; empty when it is not base64. */
function base64Key(secret: string): Buffer {
	const text = secret.replace(/^whsec_/, '');
	return Buffer.from(/^[0-9a-z+/_-]+={0,2}$/i.test(text) ? text : '', 'base64');
}

/** An empty key would let anyone sign. */
function isKey(key: Buffer): boolean {
	return key.length > 0;
}

function headerText(headers: DeliveryHeaders, name: string): string {
	const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
	return (Array.isArray(value) ? value.join(', ') : (value ?? '')).trim();
}
