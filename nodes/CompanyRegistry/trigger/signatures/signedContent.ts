/** The content of a signature: text and, at every second place, `{body}`, `{timestamp}`, `{id}` or `{url}`. */
export type SignedContent = readonly string[];

/** Up to nanoseconds, which have 19 digits today. */
const UNIX_TIME = /^\d{1,19}(?:\.\d{1,9})?$/;
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/;
/** RFC 2822, of which the date of HTTP is one form; a day of one digit may have a second space before it. */
const MAIL_TIME =
	/^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), {1,2})?\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC|[+-]\d{4})(?: \(\w+\))?$/;
/**
 * A time that could go on, with more digits or a zone: an id after it has no clear beginning.
 */
export const OPEN_TIME = /^\d+\.\d+$|:\d\d:\d\d(?:\.\d+)?$/;
/** A larger number of seconds is thousands of years ahead, so its unit is a thousandth. */
const MOST_SECONDS = 1e11;

const PLACEHOLDER = /(\{(?:body|timestamp|id|url)\})/i;
const MAXIMUM_ID_LENGTH = 256;

/** Reads a template such as `{timestamp}.{body}`, its placeholders in any case; `\n` is a new line. */
export function parseContent(template: string): SignedContent {
	return template
		.replaceAll('\\n', '\n')
		.split(PLACEHOLDER)
		.map((piece, index) => (index % 2 === 1 ? piece.toLowerCase() : piece));
}

/**
 * Whether a signed id has no JSON. An id with brackets could be the beginning of a signed body, and the rest of it
 * would then pass as a body that was never signed.
 */
export function isPlainId(id: string): boolean {
	return id.length <= MAXIMUM_ID_LENGTH && /^[^\s"{}[\]]+$/.test(id);
}

/**
 * The Unix time of a text in seconds; NaN where it is no time. A number is in seconds, milliseconds,
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
