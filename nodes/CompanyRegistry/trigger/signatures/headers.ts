/** Request headers as Node gives them: names in lower case, repeated ones joined or listed. */
export type DeliveryHeaders = Record<string, string | string[] | undefined>;

/**
 * What a signature's header has in its name, as a part of its own. The digests of RFC 9530 and the one before are
 * checksums of the body, which proxies add without any secret.
 */
const SIGNATURE_HEADER =
	/^(?!(?:(?:content|repr)-)?digest$)(?:.*[-_])?(?:signature|sig|sign|hmac|mac|hash|digest|hmac-?signature)(?:-?sha-?(?:256|512))?(?:$|[-_])/;
/** What a header is called that holds a time. */
export const TIME_HEADER = /(?:^|[-_])(?:timestamp|time|ts|sent-at)$/;
/** Their names go to the log. */
const MAXIMUM_HEADERS = 8;
const MAXIMUM_NAME_LENGTH = 80;
/** In characters; what a sender needs for many signatures in one header. */
const MAXIMUM_VALUE_LENGTH = 4096;
export const MAXIMUM_PARTS = 32;

/** Names of the headers that may carry a signature. */
export function signatureHeaderNames(headers: DeliveryHeaders): string[] {
	return Object.keys(headers)
		.filter((name) => name.length <= MAXIMUM_NAME_LENGTH && SIGNATURE_HEADER.test(name))
		.slice(0, MAXIMUM_HEADERS);
}

/** A header's value without surrounding space; empty when it is not there, or far too long. */
export function headerText(headers: DeliveryHeaders, name: string): string {
	const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
	const text = (Array.isArray(value) ? value.join(', ') : (value ?? '')).trim();
	return text.length > MAXIMUM_VALUE_LENGTH ? '' : text;
}

/** The parts of a header's value, however they are separated. */
export function headerParts(value: string): string[] {
	return value.split(/[\s,;]+/, MAXIMUM_PARTS);
}

/** How many letters two names have in common at their beginning. */
export function sharedLength(one: string, other: string): number {
	let length = 0;
	while (length < one.length && one[length] === other[length]) length++;
	return length;
}

/** As headers are written in documentation: Node gives their names in lower case. */
export function inTitleCase(name: string): string {
	return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
