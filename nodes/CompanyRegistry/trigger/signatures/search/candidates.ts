import { readDigest, type Digest } from '../digests';
import { headerParts, headerText, sharedLength, type DeliveryHeaders } from '../headers';
import { isPlainId, unixSeconds } from '../signedContent';

const MAXIMUM_HEADERS = 60;
const MAXIMUM_TIMES = 4;
const MAXIMUM_IDS = 6;
const DAY = 86_400;
/** A number that would be a time further away than this can only be an id. */
const TWENTY_YEARS = 20 * 365 * DAY;

/** Headers of the connection or the body's format: none of them identifies a delivery. */
const TECHNICAL_HEADER =
	/^(?:accept|authorization|connection|content|cache|cookie|date$|forwarded|host|proxy|sec-|te$|transfer|upgrade|user-agent|via|x-forwarded|x-real)/;
const ID_HEADER = /(?:^|[-_])(?:id|uuid|nonce|delivery|event|request|message|call|key)$/;
/**
 * A word of what senders write before a part of a header, such as `v1=`, `mac=` or `hmac-sha256=`. Only
 * these count: anything else there may be a value, which is in no other delivery and must not be shown.
 */
const LABEL_WORD =
	/^(?:\d{1,3}|(?:[a-z]|alg|algorithm|at|auth|base|body|content|created|date|delivery|digest|event|hash|hex|hmac|hmacsha|id|key|kid|mac|message|nonce|payload|request|seal|sent|sha|sha1hash|sig|sign|signature|time|timestamp|token|ts|value|ver|version|webhook)(?:v?\d{1,3})?)$/i;
/** Also such dates as no custom scheme reads. */
const DATE =
	/^(?:\d{4}-\d\d-\d\d(?:$|[T_])|20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:$|T|\d{6}(?:\d{3})?$))/;
const MICRO_OR_NANOSECONDS = /^\d{16}(?:\d{3})?$/;

/** A text in a header, and where a custom scheme would be told to look for it. */
export interface Candidate {
	text: string;
	header: string;
	/** Absent where the text is all of the header. */
	part?: {
		/** Of the header's parts. */
		place: number;
		/** Its label, sign and quotation mark, such as `v1=`. */
		before: string;
		after: string;
	};
}

/** What could be the signatures in one header, and the times and ids that they cover. */
export interface Candidates {
	signatures: Array<Candidate & { digest: Digest }>;
	/** The likeliest first. */
	times: Candidate[];
	ids: Candidate[];
}

/** For each header with something like a signature; those of the connection come last. */
export function findCandidates(headers: DeliveryHeaders, now: number): Candidates[] {
	const isTechnical = (name: string) => Number(TECHNICAL_HEADER.test(name));
	const isNamedId = ({ header }: Candidate) => Number(ID_HEADER.test(header));
	const names = Object.keys(headers)
		.filter((name) => name !== 'cookie')
		.slice(0, MAXIMUM_HEADERS)
		.sort((one, other) => isTechnical(one) - isTechnical(other));
	return names.flatMap((header) => {
		const parts = partsOf(headers, header);
		const signatures = parts.flatMap((part) => {
			const digest = readDigest(part.text);
			return digest?.label === '' ? [{ ...part, digest }] : [];
		});
		if (signatures.length === 0) return [];
		const beside = names
			.filter((name) => name !== header)
			.sort((one, other) => sharedLength(other, header) - sharedLength(one, header))
			.map((name) => ({ text: headerText(headers, name), header: name }));
		const times = [...parts, ...beside].filter(({ text }) => isTime(text, now));
		const ids = beside
			.filter((one) => !isTechnical(one.header))
			.sort((one, other) => isNamedId(other) - isNamedId(one));
		return {
			signatures,
			times: withoutRepeats(times).slice(0, MAXIMUM_TIMES),
			ids: withoutRepeats([...parts, ...ids])
				.filter(({ text }) => isId(text, now) && readDigest(text) === undefined)
				.slice(0, MAXIMUM_IDS),
		};
	});
}

/** The values in a header's parts, each behind a label or alone. */
function partsOf(headers: DeliveryHeaders, header: string): Candidate[] {
	return headerParts(headerText(headers, header)).map((part, place) => {
		const sign = part.search(/[=:]/);
		const isLabelled = sign > 0 && part.slice(0, sign).split(/[-_]/).every(isLabelWord);
		const value = isLabelled ? part.slice(sign + 1) : part;
		const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
		const text = isQuoted ? value.slice(1, -1) : value;
		const before = part.slice(0, part.length - value.length);
		const quote = isQuoted ? '"' : '';
		return { text, header, part: { place, before: before + quote, after: quote } };
	});
}

function isLabelWord(word: string): boolean {
	return LABEL_WORD.test(word);
}

function isTime(text: string, now: number): boolean {
	return Math.abs(now - unixSeconds(text)) < TWENTY_YEARS;
}

/**
 * Whether it may be an id. A time is none, in whatever form: entered as one, it would be signed but not
 * compared with the clock, and old deliveries would pass.
 */
function isId(text: string, now: number): boolean {
	return isPlainId(text) && ![text, ...text.split(/[=:|"]/)].some((one) => isAnyTime(one, now));
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
