/** What a signature covers, in order: `{body}`, `{timestamp}`, `{id}`, `{url}`, and the text between them. */
export type SignedContent = readonly string[];

/** What stands for the parts of a delivery, but for the body. */
export interface SignedValues {
	'{timestamp}'?: string;
	'{id}'?: string;
	'{url}'?: string;
}

/** Up to nanoseconds, which have 19 digits today. */
const UNIX_TIME = /^\d{1,19}(?:\.\d{1,9})?$/;
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/;
/** RFC 2822, of which the date of HTTP is one form. */
const MAIL_TIME =
	/^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC|[+-]\d{4})$/;
/** As seconds such a number lies thousands of years ahead; in each larger number the unit is a thousandth. */
const MOST_SECONDS = 1e11;

const PLACEHOLDER = /(\{(?:body|timestamp|id|url)\})/i;
const MAXIMUM_ID_LENGTH = 256;

/** Reads a template such as `{timestamp}.{body}`, its placeholders in any case; `\n` is a new line. */
export function parseContent(template: string): SignedContent {
	return template
		.replaceAll('\\n', '\n')
		.split(PLACEHOLDER)
		.map((piece, index) => (index % 2 === 1 ? piece.toLowerCase() : piece))
		.filter((piece) => piece !== '');
}

/**
 * Whether a signed id is free of JSON. An id with brackets could be the beginning of a body that was signed, and
 * what is left of that would pass for a body that nobody signed.
 */
export function isPlainId(id: string): boolean {
	return id.length <= MAXIMUM_ID_LENGTH && /^[^\s"{}[\]]+$/.test(id);
}

/**
 * The Unix time in seconds that a text gives; NaN for what is no time. A number is in seconds, milliseconds,
 * microseconds or nanoseconds, by its size; an ISO 8601 time without a zone is in UTC.
 */
export function unixSeconds(text: string): number {
	const iso = ISO_TIME.exec(text);
	if (iso) return Date.parse(text.replace(' ', 'T') + (iso[1] === undefined ? 'Z' : '')) / 1000;
	if (MAIL_TIME.test(text)) return Date.parse(text) / 1000;
	if (!UNIX_TIME.test(text)) return NaN;
	let value = Number(text);
	while (value > MOST_SECONDS) value /= 1000;
	return value;
}

/**
 * Whether more behind it could be of the time: the digits of a fraction, or a zone. Where an id follows, nobody
 * could tell then where that begins.
 */
export function mayGoOn(time: string): boolean {
	if (UNIX_TIME.test(time)) return time.includes('.');
	const iso = ISO_TIME.exec(time);
	return iso !== null && iso[1] === undefined;
}
