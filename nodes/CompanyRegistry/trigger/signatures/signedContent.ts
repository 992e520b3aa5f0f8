/**
 * What a signature covers, in order: `{body}`, `{timestamp}`, `{id}` and `{url}`, and the text
 * between them.
 */
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
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const OPENING_BRACE = 0x7b;
/** The byte order mark of UTF-8. */
const MARK = Buffer.from('\uFEFF');
const JSON_BEHIND_TEXT = /^\s*[^\s{[][^{[]*[{[]/;
/** `[{timestamp},{body}]` is JSON itself. */
const JSON_WITH_TIME = /^\s*\[\s*"?\d/;
const DIGITS_BEFORE_JSON = /^\d[^{[]*[{[]/;
/** In bytes: more than an id and a time before a body take. */
const LONGEST_BEGINNING = 512;
const BEGINS_AS_JSON = /^\s*[{[]/;
const ENDS_AS_JSON = /[}\]]\s*$/;
/** Bytes of a body's beginning or end that are looked at. */
const EDGE = 64;
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
 * Whether a signed id is free of JSON. The beginning of a signed body could otherwise be sent as the
 * id, and the rest of it would pass for a body that nobody signed.
 */
export function isPlainId(id: string): boolean {
	return id.length <= MAXIMUM_ID_LENGTH && /^[^\s"{}[\]]+$/.test(id);
}

/**
 * Whether no other time, id or body gives the same signed content. Where the end of one could as well
 * be the beginning of the next, somebody who has captured a delivery could send it again under
 * another time or id, or with another body.
 */
export function isReadOneWay(
	content: SignedContent,
	values: SignedValues,
	rawBody: Buffer,
): boolean {
	// A byte order mark is part of what is signed, and says nothing about where that begins.
	const body = beginsWithMark(rawBody) ? rawBody.subarray(MARK.length) : rawBody;
	if (content.length === 1) return isBodyAlone(body);
	const { '{timestamp}': timestamp = '', '{id}': id = '' } = values;
	// Its digits after the point could belong to an id.
	if (timestamp.includes('.') && !isDate(timestamp) && content.includes('{id}')) return false;

	let before = '';
	let between = '';
	for (const piece of content) {
		if (piece !== '{body}' && piece !== '{timestamp}' && piece !== '{id}') {
			between += piece;
			continue;
		}
		const isClear =
			before === '' ||
			(before === '{body}' && ENDS_AS_JSON.test(body.toString('latin1', body.length - EDGE))) ||
			(piece === '{body}' && isClearBefore(body, before, between)) ||
			(before !== '{body}' && piece !== '{body}' && isClearPair(between, timestamp, id));
		if (!isClear) return false;
		before = piece;
		between = '';
	}
	return true;
}

/** JSON behind other text could be the body of a delivery whose time or id that text was. */
function isBodyAlone(body: Buffer): boolean {
	if (isObject(body)) return true;
	const beginning = body.toString('latin1', 0, LONGEST_BEGINNING);
	return !JSON_BEHIND_TEXT.test(beginning) && !JSON_WITH_TIME.test(beginning);
}

/** A time ends where the body begins, unless that goes on with digits; an id where JSON begins. */
function isClearBefore(body: Buffer, before: string, between: string): boolean {
	if (isObject(body)) return true;
	const beginning = body.toString('latin1', 0, EDGE);
	if (before === '{timestamp}') {
		if (between === '.') return !DIGITS_BEFORE_JSON.test(beginning);
		if (!/^[\d.]*$/.test(between)) return true;
	}
	return BEGINS_AS_JSON.test(beginning);
}

function beginsWithMark(body: Buffer): boolean {
	// The first byte rules nearly every body out, and no more is ever read than the mark's own length.
	return body[0] === MARK[0] && body.subarray(0, MARK.length).equals(MARK);
}

/** Looked at first, because nearly every body is one, and reading text from it takes time. */
function isObject(body: Buffer): boolean {
	return body[0] === OPENING_BRACE;
}

/** An id may end or begin with digits, so that a time beside it must have a form of its own. */
function isClearPair(between: string, timestamp: string, id: string): boolean {
	return !/^\d*$/.test(between) || isDate(timestamp) || UUID.test(id);
}

/** The Unix time in seconds that a text gives; NaN for what is no time. */
export function unixSeconds(text: string): number {
	if (!UNIX_TIME.test(text)) return isDate(text) ? Date.parse(text) / 1000 : NaN;
	const value = Number(text);
	// Some senders sign milliseconds; as seconds such a number lies thousands of years ahead.
	return value > 1e11 ? value / 1000 : value;
}

/** Whether a time is written as a date, which shows by itself where it begins and ends. */
export function isDate(text: string): boolean {
	return ISO_TIME.test(text) || HTTP_DATE.test(text);
}
