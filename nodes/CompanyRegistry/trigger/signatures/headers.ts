/** Request headers as Node gives them: names in lower case, repeated ones joined or listed. */
export type DeliveryHeaders = Record<string, string | string[] | undefined>;

/** What a signature's header has in its name, as a part of its own. */
const SIGNATURE_WORDS = ['signature', 'sig', 'sign', 'hmac', 'mac', 'hash', 'digest'];
const SIGNATURE_HEADER = new RegExp(
	`(?:^|[-_])(?:${SIGNATURE_WORDS.join('|')}|hmac-?signature)(?:-?sha-?(?:256|512))?(?:$|[-_])`,
);
/** RFC 9530 and the one before it: checksums of the body, which proxies add without any secret. */
const CHECKSUM_HEADERS = ['digest', 'content-digest', 'repr-digest'];
/** Their names go to the log. */
const MAXIMUM_HEADERS = 8;
const MAXIMUM_NAME_LENGTH = 80;
/** In characters; what a sender needs for many signatures in one header. */
const MAXIMUM_VALUE_LENGTH = 4096;
const SEPARATOR = /[\s,;]+/;
const MAXIMUM_PARTS = 64;

/** Names of the headers that may carry a signature. */
export function signatureHeaderNames(headers: DeliveryHeaders): string[] {
	const names: string[] = [];
	for (const name of Object.keys(headers)) {
		// Looked for first, which takes a fraction of the time.
		if (!SIGNATURE_WORDS.some((word) => name.includes(word))) continue;
		if (name.length > MAXIMUM_NAME_LENGTH || !SIGNATURE_HEADER.test(name)) continue;
		if (CHECKSUM_HEADERS.includes(name)) continue;
		names.push(name);
		if (names.length === MAXIMUM_HEADERS) break;
	}
	return names;
}

/** A header's value without surrounding space; empty when it is not there, or far too long. */
export function headerText(headers: DeliveryHeaders, name: string): string {
	const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
	const text = (Array.isArray(value) ? value.join(', ') : (value ?? '')).trim();
	return text.length > MAXIMUM_VALUE_LENGTH ? '' : text;
}

/** The parts of a header's value, however they are separated. */
export function headerParts(value: string): string[] {
	return SEPARATOR.test(value) ? value.split(SEPARATOR, MAXIMUM_PARTS) : [value];
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
