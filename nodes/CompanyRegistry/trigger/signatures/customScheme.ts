import { pickBy } from 'lodash';

import { readDigest, type Algorithm, type Encoding, type SecretEncoding } from './digests';
import { headerParts, headerText, MAXIMUM_PARTS, type DeliveryHeaders } from './headers';
import { CONTRADICTION, type SignatureClaim } from './recognisedSchemes';
import {
	isPlainId,
	mayGoOn,
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

/** The claim that these headers make under a custom scheme, if any. @param url the address delivered to */
export function findCustomClaim(
	headers: DeliveryHeaders,
	scheme: CustomScheme,
	url = '',
): SignatureClaim[] | typeof CONTRADICTION {
	if (customSchemeProblem(scheme) !== undefined) return [];
	const header = headerText(headers, scheme.header.trim().toLowerCase());
	const found = readHeader(header, scheme);
	if (found['{timestamp}'].size > 1 || found['{id}'].size > 1) return CONTRADICTION;
	const signatures = [...found['{signature}']].flatMap((text) => {
		const digest = readDigest(text);
		const isSuch = digest?.algorithm === scheme.algorithm && digest.encoding === scheme.encoding;
		return isSuch && digest.text === text ? [digest.bytes] : [];
	});
	if (signatures.length === 0) return [];

	const content = parseContent(scheme.content);
	const beside = (name: string) => headerText(headers, name.toLowerCase());
	const [timestamp = beside(scheme.timestampHeader)] = found['{timestamp}'];
	const [id = beside(scheme.idHeader)] = found['{id}'];
	const given = { '{timestamp}': timestamp, '{id}': id, '{url}': url };
	const values: SignedValues = pickBy(given, (_value, name) => content.includes(name));
	if (Object.values(values).includes('')) return [];
	if ('{id}' in values && !isPlainId(id)) return [];
	const isIdBehind = content.indexOf('{id}') > content.indexOf('{timestamp}');
	if (isIdBehind && mayGoOn(values['{timestamp}'] ?? '')) return [];
	const { algorithm, secretEncoding } = scheme;
	const isBeside = found['{timestamp}'].size === 0;
	const timeHeader = (isBeside ? scheme.timestampHeader : scheme.header).toLowerCase();
	return [
		{ algorithm, keys: [secretEncoding], contents: [content], values, timeHeader, signatures },
	];
}

/** Why a custom scheme would protect nothing or match nothing; undefined when it is sound. */
export function customSchemeProblem(scheme: CustomScheme): string | undefined {
	const content = parseContent(scheme.content);
	const format = (scheme.headerFormat ?? '').toLowerCase();
	const isSigned = (placeholder: string) => content.includes(placeholder);
	const isMissing = (placeholder: string, header: string) =>
		isSigned(placeholder) && header === '' && !format.includes(placeholder);
	if (scheme.header.trim() === '') return "'Header' is empty";
	if (format !== '' && !format.includes('{signature}')) {
		return "'Header Format' does not contain {signature}";
	}
	if (/(?:signature|timestamp|id)\}\{(?:signature|timestamp|id)\}/.test(format)) {
		return "'Header Format' has nothing between two of its parts, so nobody can tell where one ends";
	}
	if (!isSigned('{body}')) return "'Signed Content' does not contain {body}";
	if (scheme.timestampHeader !== '' && !isSigned('{timestamp}')) {
		return "'Timestamp Header' is set but 'Signed Content' does not contain {timestamp}";
	}
	if (isMissing('{timestamp}', scheme.timestampHeader)) {
		return "'Signed Content' contains {timestamp} but 'Timestamp Header' is empty";
	}
	if (isMissing('{id}', scheme.idHeader)) {
		return "'Signed Content' contains {id} but 'ID Header' is empty";
	}
	if (/\{(?:id|timestamp)\}\d*\{(?:id|timestamp)\}/.test(content.join(''))) {
		return "'Signed Content' has nothing but digits between {id} and {timestamp}, so nobody can tell where one ends";
	}
	if (isJsonItself(content)) {
		return "'Signed Content' is JSON around {body}, so what is signed would pass for a body itself";
	}
	return undefined;
}

/** Such as `[{timestamp},{body}]`. */
function isJsonItself(content: SignedContent): boolean {
	const example = content.map((piece) => (/^\{\w+\}$/.test(piece) ? '1' : piece)).join('');
	if (!/^\s*[[{]/.test(example)) return false;
	try {
		return typeof JSON.parse(example) === 'object';
	} catch {
		return false;
	}
}

/** The different texts that stand for each. */
type HeaderContent = Record<'{signature}' | '{timestamp}' | '{id}', Set<string>>;

/**
 * A part of the format that begins with text, such as `v1={signature}`, is looked for wherever it stands, another
 * by its place. Either way a header may hold several whole sets.
 */
function readHeader(value: string, { headerFormat, prefix }: CustomScheme): HeaderContent {
	const found: HeaderContent = {
		'{signature}': new Set(),
		'{timestamp}': new Set(),
		'{id}': new Set(),
	};
	if (!headerFormat) {
		for (const text of listed(value)) {
			if (text.startsWith(prefix)) found['{signature}'].add(text.slice(prefix.length).trim());
		}
		return found;
	}
	const wanted = headerParts(headerFormat).map((part) => part.split(FORMAT_PLACEHOLDER));
	headerParts(value).forEach((part, place) => {
		wanted.forEach((pieces, wantedPlace) => {
			if (pieces[0] === '' && place % wanted.length !== wantedPlace) return;
			matchPieces(part, pieces).forEach((text, index) => {
				found[pieces[index * 2 + 1].toLowerCase() as keyof HeaderContent].add(text);
			});
		});
	});
	return found;
}

/** A header's parts, however separated: a prefix may itself hold a space or a comma. */
function listed(value: string): string[] {
	return [value, ...value.split(/,?\s+/, MAXIMUM_PARTS), ...headerParts(value)];
}

/** What stands for each placeholder, which are every second piece; nothing when the rest differs. */
function matchPieces(part: string, pieces: string[]): string[] {
	const [first] = pieces;
	const last = pieces[pieces.length - 1];
	if (pieces.length === 1 || !part.startsWith(first) || !part.endsWith(last)) return [];
	let rest = part.slice(first.length, part.length - last.length);
	const texts: string[] = [];
	for (let index = 2; index < pieces.length - 1; index += 2) {
		const end = rest.indexOf(pieces[index]);
		if (end === -1) return [];
		texts.push(rest.slice(0, end));
		rest = rest.slice(end + pieces[index].length);
	}
	return [...texts, rest];
}
