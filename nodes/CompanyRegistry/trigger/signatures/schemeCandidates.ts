import type { CustomScheme } from './customScheme';
import { readDigest, type Digest } from './digests';
import {
	headerParts,
	headerText,
	inTitleCase,
	sharedLength,
	type DeliveryHeaders,
} from './headers';
import type { HmacKey } from './keys';
import { isPlainId, unixSeconds } from './signedContent';

const MAXIMUM_HEADERS = 60;
const MAXIMUM_DIGESTS = 16;
const MAXIMUM_TIMES = 4;
const MAXIMUM_IDS = 10;
/** A number that would be a time further away than this can only be an id. */
const TWENTY_YEARS = 20 * 365 * 86_400;

/** Headers of the connection or the body's format: none of them identifies a delivery. */
const TECHNICAL_HEADER =
	/^(?:accept|authorization|connection|content|cache|cookie|date$|forwarded|host|proxy|sec-|te$|transfer|upgrade|user-agent|via|x-forwarded|x-real)/;
const ID_HEADER = /(?:^|[-_])(?:id|uuid|nonce|delivery|event|request|message|call|key)$/;

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
	const names = Object.keys(headers)
		.filter((name) => name !== 'cookie')
		.slice(0, MAXIMUM_HEADERS);
	const signatures = names.flatMap((header) => signaturesIn(headers, header));
	const inSameHeader = [...new Set(signatures.map(({ header }) => header))].flatMap((header) =>
		partsBeside(headers, header),
	);
	const whole = names.map((header) => ({ text: headerText(headers, header), header }));

	const isTime = ({ text }: Candidate) => Math.abs(now - unixSeconds(text)) < TWENTY_YEARS;
	const isId = ({ text, header, place }: Candidate) =>
		isPlainId(text) && (place !== undefined || !TECHNICAL_HEADER.test(header));
	const likeness = ({ header }: Candidate) =>
		Math.max(0, ...signatures.map((signature) => sharedLength(header, signature.header)));
	const byLikeness = (one: Candidate, other: Candidate) => likeness(other) - likeness(one);
	const isNamedId = ({ header }: Candidate) => Number(ID_HEADER.test(header));

	const times = [...inSameHeader.filter(isTime), ...whole.filter(isTime).sort(byLikeness)];
	const ids = whole
		.filter((candidate) => isId(candidate) && readDigest(candidate.text) === undefined)
		.sort((one, other) => isNamedId(other) - isNamedId(one) || byLikeness(one, other));
	return {
		signatures: signatures.slice(0, MAXIMUM_DIGESTS),
		times: times.slice(0, MAXIMUM_TIMES),
		ids: [...inSameHeader.filter(isId), ...ids].slice(0, MAXIMUM_IDS),
	};
}

function signaturesIn(headers: DeliveryHeaders, header: string): SignatureCandidate[] {
	return headerParts(headerText(headers, header)).flatMap((text, place) => {
		const digest = readDigest(text);
		return digest ? [{ text: digest.text, header, place, digest }] : [];
	});
}

/** What stands in a signature's header beside it: whole parts, and what labels stand before. */
function partsBeside(headers: DeliveryHeaders, header: string): Candidate[] {
	return headerParts(headerText(headers, header)).flatMap((part, place) => {
		const digest = readDigest(part);
		const text = digest ? digest.label : part;
		const [, value = ''] = /="?(.*?)"?$/.exec(text) ?? [];
		const [, after = ''] = /:(.*)/.exec(text) ?? [];
		return [text, value, after].map((one) => ({ text: one, header, place }));
	});
}

/** The settings of a custom scheme by which a signature was proven. */
export function describeScheme(
	headers: DeliveryHeaders,
	signature: SignatureCandidate,
	key: HmacKey,
	content: string,
	{ time, id }: { time?: Candidate; id?: Candidate },
): CustomScheme {
	const { digest, header } = signature;
	const parts = headerParts(headerText(headers, header));
	const inHeader = [time, id].filter((one) => one?.place !== undefined);
	const part = parts[signature.place];
	const prefix = part.slice(0, part.length - digest.text.length);
	const isPrefixed = inHeader.length === 0 && part.endsWith(digest.text);
	return {
		header: inTitleCase(header),
		...(isPrefixed ? {} : { headerFormat: describeFormat(parts, signature, time, id) }),
		prefix: isPrefixed ? prefix : '',
		algorithm: digest.algorithm,
		encoding: digest.encoding,
		content,
		timestampHeader: time && time.place === undefined ? inTitleCase(time.header) : '',
		idHeader: id && id.place === undefined ? inTitleCase(id.header) : '',
		secretEncoding: key.encoding,
	};
}

/** The header's parts with placeholders; those that begin with one are told by their place. */
function describeFormat(
	parts: string[],
	signature: SignatureCandidate,
	time: Candidate | undefined,
	id: Candidate | undefined,
): string {
	const format = new Map<number, string>();
	const fill = (candidate: Candidate | undefined, placeholder: string) => {
		if (candidate?.place === undefined) return;
		const { place, text } = candidate;
		const part = format.get(place) ?? parts[place];
		const at = part.lastIndexOf(text);
		format.set(place, `${part.slice(0, at)}${placeholder}${part.slice(at + text.length)}`);
	};
	fill(signature, '{signature}');
	fill(time, '{timestamp}');
	fill(id, '{id}');
	const filled = [...format].sort(([one], [other]) => one - other).map(([, part]) => part);
	if (!filled.some((part) => part.startsWith('{'))) return filled.join(',');
	return parts.map((_part, place) => format.get(place) ?? '-').join(',');
}
