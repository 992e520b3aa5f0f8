import {
	base64Key,
	decodeDigests,
	headerText,
	isPlainId,
	textKey,
	type Algorithm,
	type DeliveryHeaders,
	type Encoding,
	type HmacKey,
} from './signatureText';

/** What one set of headers claims: that a signature over `content` was made with one of `keys`. */
export interface SignatureClaim {
	algorithm: Algorithm;
	keys: HmacKey[];
	/** Pieces that are signed, in order; `null` stands for the raw body. */
	content: Array<string | null>;
	signatures: Buffer[];
	/** As received; present when the scheme signs a time. */
	timestamp?: string;
	/** Delivery id, present when the scheme signs one. */
	id?: string;
}

interface SignatureHeader {
	name: string;
	value: string;
}

type Scheme = (
	header: SignatureHeader,
	headers: DeliveryHeaders,
	secret: string,
) => SignatureClaim | undefined;

const SIGNATURE_HEADER = /(?:^|-)(?:signature|signature-256|hmac-sha256)$/;
/** Each one may cost a pass over the body, and their names go to the log. */
const MAXIMUM_HEADERS = 8;
const MAXIMUM_NAME_LENGTH = 80;

const BODY = [null];
const ENCODINGS: Encoding[] = ['hex', 'base64'];

/** Recognised by shape; the first that finds a signature in a header counts. */
const SCHEMES: Scheme[] = [standardWebhooks, timestampedList, bodyOnly];

/** Names of the headers that look like carrying a signature. */
export function signatureHeaderNames(headers: DeliveryHeaders): string[] {
	return Object.keys(headers)
		.filter((name) => name.length <= MAXIMUM_NAME_LENGTH && SIGNATURE_HEADER.test(name))
		.slice(0, MAXIMUM_HEADERS);
}

/** At most one claim for each signature header of these. */
export function findClaims(headers: DeliveryHeaders, secret: string): SignatureClaim[] {
	const claims: SignatureClaim[] = [];
	for (const name of signatureHeaderNames(headers)) {
		const header = { name, value: headerText(headers, name) };
		for (const scheme of SCHEMES) {
			const claim = scheme(header, headers, secret);
			if (claim === undefined || claim.signatures.length === 0) continue;
			claims.push(claim);
			break;
		}
	}
	return claims;
}

/** https://www.standardwebhooks.com and its forerunner Svix: three headers of one family. */
function standardWebhooks(
	{ name, value }: SignatureHeader,
	headers: DeliveryHeaders,
	secret: string,
): SignatureClaim | undefined {
	if (!value.includes('v1,')) return undefined;
	const family = name.replace(/signature$/, '');
	const id = headerText(headers, `${family}id`);
	if (!isPlainId(id)) return undefined;
	const timestamp = headerText(headers, `${family}timestamp`);
	if (timestamp === '') return undefined;
	return {
		algorithm: 'sha256',
		// Only a secret without `whsec_` leaves open what its key is.
		keys: secret.startsWith('whsec_')
			? base64Key(secret)
			: [...base64Key(secret), ...textKey(secret)],
		content: [id, '.', timestamp, '.', null],
		// Repeated headers arrive joined by a comma and a space, listed signatures by a space.
		signatures: decodePrefixed(value.split(/,?\s+/), 'v1,'),
		timestamp,
		id,
	};
}

/** `t=<seconds>,v1=<hex>[,v1=<hex>…]`, as Stripe and others send it. */
function timestampedList(
	{ value }: SignatureHeader,
	_headers: DeliveryHeaders,
	secret: string,
): SignatureClaim | undefined {
	if (!value.includes('t=')) return undefined;
	const parts = value.split(',').map((part) => part.trim());
	const timestamp = parts.find((part) => part.startsWith('t='))?.slice('t='.length);
	if (timestamp === undefined) return undefined;
	return {
		algorithm: 'sha256',
		keys: textKey(secret),
		content: [timestamp, '.', null],
		signatures: decodePrefixed(parts, 'v1='),
		timestamp,
	};
}

/** A digest of the body alone, as GitHub, Shopify, Linear and others send it. */
function bodyOnly(
	{ value }: SignatureHeader,
	_headers: DeliveryHeaders,
	secret: string,
): SignatureClaim {
	const parts = value.split(/[\s,]+/).map((part) => part.replace(/^(?:sha256|v1)=/i, ''));
	return {
		algorithm: 'sha256',
		keys: textKey(secret),
		content: BODY,
		signatures: decodeDigests(parts, 'sha256', ENCODINGS),
	};
}

function decodePrefixed(parts: string[], prefix: string): Buffer[] {
	const texts = parts
		.filter((part) => part.startsWith(prefix))
		.map((part) => part.slice(prefix.length));
	return decodeDigests(texts, 'sha256', ENCODINGS);
}
