import type { CustomScheme } from '../customScheme';
import { headerParts, headerText, inTitleCase, type DeliveryHeaders } from '../headers';
import type { HmacKey } from '../keys';
import { DATE_AND_TIME, LABEL, type Candidate, type SignatureCandidate } from './schemeCandidates';

type Placeholder = '{signature}' | '{timestamp}' | '{id}';

const PLACEHOLDER = /(\{(?:signature|timestamp|id)\})/;
/** Between signs, or at an end. */
const UNSIGNED_TIME = new RegExp(
	`(?<![^=:|"])(?:${DATE_AND_TIME}|\\d{10}(?:\\d{3})?(?:\\.\\d+)?)(?![^=:|".])`,
);
/** Labels and signs: the same in every delivery of a sender. */
const ONLY_LABELS = new RegExp(`^[=:/.|"]*(?:${LABEL}[=:/.|"]+)*$`, 'i');
/**
 * A value between the labels and signs that are not part of it. A brace stands for a placeholder beside:
 * where there is none, a sign at the edge is the value's own, such as a slash in base64.
 */
const LABELLED_VALUE = new RegExp(
	`^((?:\\}"?[=:/.|]?)?"?(?:${LABEL}[=:]"?)*)(.*?)("?(?:(?:[|.:]${LABEL}(?==))?[=:/.|]?"?\\{)?)$`,
	'i',
);

/**
 * The settings of a custom scheme by which a signature was proven; undefined when none can express it.
 * They are to prove the sender's next delivery too, and no value of a header may be shown. So what
 * stands around the digest is taken over only if it is a label, and else becomes a placeholder.
 */
export function describeScheme(
	headers: DeliveryHeaders,
	signature: SignatureCandidate,
	key: HmacKey,
	content: string,
	{ time, id }: { time?: Candidate; id?: Candidate },
): CustomScheme | undefined {
	const { digest, header, place } = signature;
	const parts = headerParts(headerText(headers, header));
	const templates = templatesOf(parts, signature, time, id);
	if (templates === undefined) return undefined;
	const template = templates.get(place) ?? '';
	const prefix = template.replace(/\{signature\}$/, '');
	const isPrefixed = templates.size === 1 && !prefix.includes('{');
	return {
		header: inTitleCase(header),
		...(isPrefixed ? {} : { headerFormat: formatOf(parts, templates) }),
		prefix: isPrefixed ? prefix : '',
		algorithm: digest.algorithm,
		encoding: digest.encoding,
		content,
		timestampHeader: time && time.place === undefined ? inTitleCase(time.header) : '',
		idHeader: id && id.place === undefined ? inTitleCase(id.header) : '',
		secretEncoding: key.encoding,
	};
}

/** The header's parts that count, by their place, with placeholders for all values. */
function templatesOf(
	parts: string[],
	signature: SignatureCandidate,
	time: Candidate | undefined,
	id: Candidate | undefined,
): Map<number, string> | undefined {
	// One that is signed can stand for nothing else; others may stand for what is not signed.
	const unused = new Set<Placeholder>();
	if (time === undefined) unused.add('{timestamp}');
	if (id === undefined) unused.add('{id}');
	const known: Array<[Placeholder, Candidate | undefined]> = [
		['{signature}', signature],
		['{timestamp}', time],
		['{id}', id],
	];
	const templates = new Map<number, string>();
	for (const { place } of [signature, time, id].filter((one) => one !== undefined)) {
		if (place === undefined || templates.has(place)) continue;
		const texts = known.flatMap(
			([placeholder, one]): Array<[Placeholder, string]> =>
				one?.place === place ? [[placeholder, one.text]] : [],
		);
		const template = templateOf(parts[place], texts, unused);
		if (template === undefined) return undefined;
		templates.set(place, template);
	}
	return templates;
}

/** One part with placeholders: for these texts, and for any other value if one is unused. */
function templateOf(
	part: string,
	texts: Array<[Placeholder, string]>,
	unused: Set<Placeholder>,
): string | undefined {
	// Nobody could tell it from a placeholder.
	if (/[{}]/.test(part)) return undefined;
	let template: string | undefined = part;
	for (const [placeholder, text] of texts) {
		template &&= withPlaceholder(template, text, placeholder);
	}
	const [time] = UNSIGNED_TIME.exec(template ?? '') ?? [];
	if (template && time && unused.delete('{timestamp}')) {
		template = withPlaceholder(template, time, '{timestamp}');
	}
	const shown = template?.split(PLACEHOLDER).map((piece, index, { length }) => {
		if (index % 2 === 1 || ONLY_LABELS.test(piece)) return piece;
		const between = `${index === 0 ? '' : '}'}${piece}${index === length - 1 ? '' : '{'}`;
		return unused.delete('{id}') ? withoutValue(between) : undefined;
	});
	return shown?.includes(undefined) ? undefined : shown?.join('');
}

function withoutValue(text: string): string {
	const [, before = '', , after = ''] = LABELLED_VALUE.exec(text) ?? [];
	return `${before.replace('}', '')}{id}${after.replace('{', '')}`;
}

/** In what is not a placeholder yet, where the text stands last. */
function withPlaceholder(template: string, text: string, by: Placeholder): string | undefined {
	const pieces = template.split(PLACEHOLDER);
	for (let index = pieces.length - 1; index >= 0; index -= 2) {
		const at = pieces[index].lastIndexOf(text);
		if (at === -1) continue;
		pieces[index] = `${pieces[index].slice(0, at)}${by}${pieces[index].slice(at + text.length)}`;
		return pieces.join('');
	}
	return undefined;
}

/** Parts with a label are looked for by it; where one begins with a placeholder, by its place among all. */
function formatOf(parts: string[], templates: Map<number, string>): string {
	const counted = [...templates].sort(([one], [other]) => one - other).map(([, part]) => part);
	if (!counted.some((part) => part.startsWith('{'))) return counted.join(',');
	return parts.map((_part, place) => templates.get(place) ?? '-').join(',');
}
