import { readDigest, type Digest } from '../digests';
import { headerParts, headerText, sharedLength, type DeliveryHeaders } from '../headers';
import { isPlainId, unixSeconds } from '../signedContent';

const MAXIMUM_HEADERS = 60;
const MAXIMUM_DIGESTS = 16;
const MAXIMUM_TIMES = 8;
const MAXIMUM_IDS = 10;
const DAY = 86_400;
/** A number that would be a time further away than this can only be an id. */
const TWENTY_YEARS = 20 * 365 * DAY;

/** Headers of the connection or the body's format: none of them identifies a delivery. */
const TECHNICAL_HEADER =
	/^(?:accept|authorization|connection|content|cache|cookie|date$|forwarded|host|proxy|sec-|te$|transfer|upgrade|user-agent|via|x-forwarded|x-real)/;
const ID_HEADER = /(?:^|[-_])(?:id|uuid|nonce|delivery|event|request|message|call|key)$/;

const LABEL_WORDS =
	'alg|algorithm|at|auth|base64|body|content|created|date|delivery|digest|event|hash|hex|hmac|id|key|kid|mac|message|nonce|payload|request|seal|sent|sha-?(?:1|256|384|512)|sig|sign|signature|time|timestamp|token|ts|value|ver|version|webhook';
/**
 * What senders write before a part of a header, such as `v1`, `mac` or `hmac-sha256`. Only listed words
 * count: anything else there may be a value, which is in no other delivery and must not be shown.
 */
export const LABEL = `(?:[hstv]\\d?|[a-z]\\d?(?==)|(?:${LABEL_WORDS})(?:[-_]?(?:${LABEL_WORDS})){0,2}(?:[-_]?v?\\d)?)`;
const IS_LABEL = new RegExp(`^${LABEL}$`, 'i');
const LABELLED = new RegExp(`^${LABEL}[=:]`, 'i');
export const DATE_AND_TIME = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(?:Z|[+-]\\d\\d:\\d\\d)';
/** A date is one word although it holds signs. */
const WORD = new RegExp(`${DATE_AND_TIME}|[^=:|"]+`, 'g');
/** Also such dates as no custom scheme reads. */
const DATE =
	/^(?:\d{4}-\d\d-\d\d(?:$|[T_])|20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:$|T|\d{6}(?:\d{3})?$))/;
const MICRO_OR_NANOSECONDS = /^\d{16}(?:\d{3})?$/;

/** A text in a header, and where a custom scheme would be told to look for it. */
export interface Candidate {
	text: string;
	header: string;
	/** Of the header's parts; absent where the text is all of the header. */
	place?: number;
}

export interface SignatureCandidate extends Candidate {
	place: number;
	digest: Digest;
}

export interface Candidates {
	signatures: SignatureCandidate[];
	times: Candidate[];
	ids: Candidate[];
}

/** What in these headers could be a signature, a time and an id; each list the likeliest first. */
export function findCandidates(headers: DeliveryHeaders, now: number): Candidates {
	const isTechnical = (name: string) => Number(TECHNICAL_HEADER.test(name));
	const names = Object.keys(headers)
		.filter((name) => name !== 'cookie')
		.slice(0, MAXIMUM_HEADERS)
		.sort((one, other) => isTechnical(one) - isTechnical(other));
	const signatures = names.flatMap((header) => signaturesIn(headers, header));
	const likeness = ({ header }: Candidate) =>
		Math.max(0, ...signatures.map((signature) => sharedLength(header, signature.header)));
	const isNamedId = ({ header }: Candidate) => Number(ID_HEADER.test(header));

	const signing = new Set(signatures.map(({ header }) => header));
	const beside = [...signing].flatMap((header) => textsBeside(headers, header));
	const whole = names
		.map((header) => ({ text: headerText(headers, header), header }))
		.sort((one, other) => likeness(other) - likeness(one));
	const times = [...beside, ...withoutRepeats(whole)].filter(({ text }) => isTime(text, now));
	const idsBeside = beside.filter(({ text }) => isId(text, now));
	const ids = whole
		.filter(({ text, header }) => isId(text, now) && !isTechnical(header) && !signing.has(header))
		.sort((one, other) => isNamedId(other) - isNamedId(one));
	return {
		signatures: signatures.slice(0, MAXIMUM_DIGESTS),
		times: times.slice(0, MAXIMUM_TIMES),
		// In turn, so that neither a header of many parts nor a crowd of headers takes all places.
		ids: inTurn(idsBeside, withoutRepeats(ids)).slice(0, MAXIMUM_IDS),
	};
}

function signaturesIn(headers: DeliveryHeaders, header: string): SignatureCandidate[] {
	return headerParts(headerText(headers, header)).flatMap((text, place) => {
		const digest = readDigest(text);
		return digest ? [{ text: digest.text, header, place, digest }] : [];
	});
}

/** What stands in a signature's header beside it: whole parts, and what labels stand before. */
function textsBeside(headers: DeliveryHeaders, header: string): Candidate[] {
	const texts = headerParts(headerText(headers, header)).flatMap((part, place) => {
		const text = readDigest(part)?.label ?? part;
		const [, value = ''] = /="?(.*?)"?$/.exec(text) ?? [];
		const [, after = ''] = /:(.*)/.exec(text) ?? [];
		return [...(LABELLED.test(text) ? [] : [text]), value, after, ...wordsOf(text)]
			.filter((one) => !IS_LABEL.test(one))
			.map((one) => ({ text: one, header, place }));
	});
	return withoutRepeats(texts);
}

/** What stands between the signs of a part. */
function wordsOf(part: string): string[] {
	return part.match(WORD) ?? [];
}

function isTime(text: string, now: number): boolean {
	return Math.abs(now - unixSeconds(text)) < TWENTY_YEARS;
}

/**
 * Whether it may be an id. A time is none, in whatever form: entered as one, it would be signed but not
 * compared with the clock, and old deliveries would pass.
 */
function isId(text: string, now: number): boolean {
	return isPlainId(text) && ![text, ...wordsOf(text)].some((one) => isAnyTime(one, now));
}

function isAnyTime(text: string, now: number): boolean {
	if (isTime(text, now) || DATE.test(text)) return true;
	// Ids may be as long: only what is close to now is a time.
	return MICRO_OR_NANOSECONDS.test(text) && Math.abs(now - Number(text.slice(0, 10))) < DAY;
}

/** Texts that stand in two places are told by the first of them. */
function withoutRepeats(candidates: Candidate[]): Candidate[] {
	const texts = new Set<string>();
	return candidates.filter(({ text }) => !texts.has(text) && texts.add(text));
}

function inTurn<T>(some: T[], others: T[]): T[] {
	const turns = Array.from({ length: Math.max(some.length, others.length) });
	return turns.flatMap((_, turn) => [
		...some.slice(turn, turn + 1),
		...others.slice(turn, turn + 1),
	]);
}
