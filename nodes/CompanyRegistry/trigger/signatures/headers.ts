/** Request headers as Node gives them: names in lower case, repeated ones joined or listed. */
export type DeliveryHeaders = Record<string, string | string[] | undefined>;

/**
 * The name of a header that carries a signature. The digests of RFC 9530 and its predecessor are checksums, which
 * proxies add without any secret.
 */
const SIGNATURE_HEADER =
	/^(?!(?:(?:content|repr)-)?digest$)(?:.*[-_])?(?:signature|sig|sign|hmac(?:signature)?|mac|hash|digest)(?:sha(?:256|512))?(?:$|[-_])/;
/** The name of a header that carries a time. */
export const TIME_HEADER = /(?:^|[-_])(?:timestamp|time|ts|sent-at)$/;
/** Their names are written to the log. */
const MAXIMUM_HEADERS = 8;
const MAXIMUM_NAME_LENGTH = 80;
/** In characters: enough for many signatures in one header. */
const MAXIMUM_VALUE_LENGTH = 4096;
const MAXIMUM_PARTS = 32;

/** Names of the headers that may carry a signature. */
export function signatureHeaderNames(headers: DeliveryHeaders): string[] {
	return Object.keys(headers)
		.filter((name) => name.length <= MAXIMUM_NAME_LENGTH && SIGNATURE_HEADER.test(name))
		.slice(0, MAXIMUM_HEADERS);
}

/** A header's value without surrounding space; empty where it is missing or far too long. */
export function headerText(headers: DeliveryHeaders, name: string): string {
	const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
	const text = (Array.isArray(value) ? value.join(', ') : (value ?? '')).trim();
	return text.length > MAXIMUM_VALUE_LENGTH ? '' : text;
}

/** The parts of a header's value, with any separator. */
export function headerParts(value: string): string[] {
	return value.split(/[\s,;]+/, MAXIMUM_PARTS);
}

/** How many letters two names share at their beginning. */
export function sharedLength(one: string, other: string): number {
	let length = 0;
	while (length < one.length && one[length] === other[length]) length++;
	return length;
}

/** The name as documentation writes it: Node gives names in lower case. */
export function inTitleCase(name: string): string {
	return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
