/** What a signature covers, in order: `{body}`, `{timestamp}`, `{id}`, `{url}`, and the text between them. */
export type SignedContent = readonly string[];

/** What stands for the parts of a delivery, but for the body. */
export interface SignedValues {
	'{timestamp}'?: string;
	'{id}'?: string;
	'{url}'?: string;
}

const UNIX_TIME = /^\d{1,15}(?:\.\d{1,9})?$/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const HTTP_DATE =
	/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

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

/** The Unix time in seconds that a text gives; NaN for what is no time. */
export function unixSeconds(text: string): number {
	if (ISO_TIME.test(text) || HTTP_DATE.test(text)) return Date.parse(text) / 1000;
	if (!UNIX_TIME.test(text)) return NaN;
	const value = Number(text);
	// Some senders sign milliseconds; as seconds such a number lies thousands of years ahead.
	return value > 1e11 ? value / 1000 : value;
}

/** Whether it is a Unix time such as 1700000000.5, whose last digits could also begin an id after a full stop. */
export function hasFraction(time: string): boolean {
	return UNIX_TIME.test(time) && time.includes('.');
}
