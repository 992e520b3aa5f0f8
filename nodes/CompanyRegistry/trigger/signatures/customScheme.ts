import { readDigest, type Algorithm, type Encoding } from './digests';
import { headerParts, headerText, type DeliveryHeaders } from './headers';
import { keyIn, type SecretEncoding } from './keys';
import { CONTRADICTION, type SignatureClaim } from './recognisedSchemes';
import {
	hasFraction,
	isPlainId,
	parseContent,
	type SignedContent,
	type SignedValues,
} from './signedContent';

/** A scheme that the user describes because it is not recognised. */
export interface CustomScheme {
	/** Header that carries the signature. */
	header: string;
	/** What that header looks like, such as `t={timestamp},s={signature}`, unless `prefix` says it all. */
	headerFormat?: string;
	/** Text before the signature in its header, such as `sha256=`. */
	prefix: string;
	algorithm: Algorithm;
	encoding: Encoding;
	/** What is signed: a template of `{body}`, `{timestamp}`, `{id}` and `{url}`, in any case. */
	content: string;
	timestampHeader: string;
	idHeader: string;
	secretEncoding: SecretEncoding;
}

const FORMAT_PLACEHOLDER = /(\{(?:signature|timestamp|id)\})/i;

/**
 * The claim that these headers make under a custom scheme, if any.
 *
 * @param url the address that the service delivered to
 */
export function findCustomClaim(
	headers: DeliveryHeaders,
	scheme: CustomScheme,
	url?: string,
): SignatureClaim[] | typeof CONTRADICTION {
	if (customSchemeProblem(scheme) !== undefined) return [];
	const header = headerText(headers, scheme.header.trim().toLowerCase());
	const { signatures: texts, timestamps, ids } = readHeader(header, scheme);
	if (timestamps.length > 1 || ids.length > 1) return CONTRADICTION;
	const signatures = texts.flatMap((text) => {
		const digest = readDigest(text);
		const isSuch = digest?.algorithm === scheme.algorithm && digest.encoding === scheme.encoding;
		return isSuch && digest.text === text ? [digest.bytes] : [];
	});
	if (signatures.length === 0) return [];

	const values: SignedValues = {};
	const content = parseContent(scheme.content);
	if (content.includes('{timestamp}')) {
		const timestamp = timestamps[0] ?? headerText(headers, scheme.timestampHeader.toLowerCase());
		if (timestamp === '') return [];
		values['{timestamp}'] = timestamp;
	}
	if (content.includes('{id}')) {
		const id = ids[0] ?? headerText(headers, scheme.idHeader.toLowerCase());
		if (!isPlainId(id) || hasFraction(values['{timestamp}'] ?? '')) return [];
		values['{id}'] = id;
	}
	if (content.includes('{url}')) {
		if (!url) return [];
		values['{url}'] = url;
	}
	const { algorithm, secretEncoding } = scheme;
	const keys = [(secret: string) => keyIn(secret, secretEncoding)];
	return [{ algorithm, keys, contents: [content], values, signatures }];
}

/** Why a custom scheme would protect nothing or match nothing; undefined when it is sound. */
export function customSchemeProblem(scheme: CustomScheme): string | undefined {
	const content = parseContent(scheme.content);
	const format = (scheme.headerFormat ?? '').toLowerCase();
	const isSigned = (placeholder: string) => content.includes(placeholder);
	const isGiven = (placeholder: string, header: string) =>
		header !== '' || format.includes(placeholder);
	const isTimeGiven = isGiven('{timestamp}', scheme.timestampHeader);
	const problems: Array<[isSo: boolean, what: string]> = [
		[scheme.header.trim() === '', "'Header' is empty"],
		[
			format !== '' && !format.includes('{signature}'),
			"'Header Format' does not contain {signature}",
		],
		[
			/(?:signature|timestamp|id)\}\{(?:signature|timestamp|id)\}/.test(format),
			"'Header Format' has nothing between two of its parts, so nobody can tell where one ends",
		],
		[!isSigned('{body}'), "'Signed Content' does not contain {body}"],
		[
			scheme.timestampHeader !== '' && !isSigned('{timestamp}'),
			"'Timestamp Header' is set but 'Signed Content' does not contain {timestamp}",
		],
		[
			isSigned('{timestamp}') && !isTimeGiven,
			"'Signed Content' contains {timestamp} but 'Timestamp Header' is empty",
		],
		[
			isSigned('{id}') && !isGiven('{id}', scheme.idHeader),
			"'Signed Content' contains {id} but 'ID Header' is empty",
		],
		[
			/\{(?:id|timestamp)\}\d*\{(?:id|timestamp)\}/.test(content.join('')),
			"'Signed Content' has nothing but digits between {id} and {timestamp}, so nobody can tell where one ends",
		],
		[
			isJsonItself(content),
			"'Signed Content' is JSON around {body}, so what is signed would pass for a body itself",
		],
	];
	return problems.find(([isSo]) => isSo)?.[1];
}

/** Such as `[{timestamp},{body}]`. */
function isJsonItself(content: SignedContent): boolean {
	const example = content.map((piece) => (/^\{\w+\}$/.test(piece) ? '1' : piece)).join('');
	try {
		return typeof JSON.parse(example) === 'object';
	} catch {
		return false;
	}
}

interface HeaderContent {
	signatures: string[];
	/** Each different one. */
	timestamps: string[];
	ids: string[];
}

function readHeader(value: string, { headerFormat, prefix }: CustomScheme): HeaderContent {
	if (headerFormat) return readByFormat(value, headerFormat);
	const signatures = listed(value)
		.filter((text) => text.startsWith(prefix))
		.map((text) => text.slice(prefix.length).trim());
	return { signatures, timestamps: [], ids: [] };
}

/** A header's parts, however separated: a prefix may itself hold a space or a comma. */
function listed(value: string): string[] {
	return [value, ...value.split(/,?\s+/), ...value.split(/[\s,;]+/)];
}

/**
 * A part of the format that begins with text, such as `v1={signature}`, is looked for by it wherever
 * it stands, and one that does not by its place. Either way a header may hold several whole sets.
 */
function readByFormat(value: string, format: string): HeaderContent {
	const found = {
		'{signature}': new Set<string>(),
		'{timestamp}': new Set<string>(),
		'{id}': new Set<string>(),
	};
	const wanted = headerParts(format).map((part) => part.split(FORMAT_PLACEHOLDER));
	headerParts(value).forEach((part, place) => {
		wanted.forEach((pieces, wantedPlace) => {
			if (pieces[0] === '' && place % wanted.length !== wantedPlace) return;
			const texts = matchPieces(part, pieces);
			texts?.forEach((text, index) => {
				found[pieces[index * 2 + 1].toLowerCase() as keyof typeof found].add(text);
			});
		});
	});
	return {
		signatures: [...found['{signature}']],
		timestamps: [...found['{timestamp}']],
		ids: [...found['{id}']],
	};
}

/** What stands for each placeholder, which are every second piece; undefined when the rest differs. */
function matchPieces(part: string, pieces: string[]): string[] | undefined {
	const [first] = pieces;
	const last = pieces[pieces.length - 1];
	if (!part.startsWith(first) || !part.endsWith(last)) return undefined;
	let rest = part.slice(first.length, part.length - last.length);
	const texts: string[] = [];
	for (let index = 2; index < pieces.length - 1; index += 2) {
		const end = rest.indexOf(pieces[index]);
		if (end === -1) return undefined;
		texts.push(rest.slice(0, end));
		rest = rest.slice(end + pieces[index].length);
	}
	return pieces.length === 1 ? [] : [...texts, rest];
}
