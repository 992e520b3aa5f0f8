import type { SignatureClaim } from './recognisedSchemes';
import {
	base64Key,
	decodeDigests,
	headerText,
	isPlainId,
	textKey,
	type Algorithm,
	type DeliveryHeaders,
	type Encoding,
} from './signatureText';

/** A scheme that the user describes because `auto` does not know it. */
export interface CustomScheme {
	/** Header that carries the signature. */
	header: string;
	algorithm: Algorithm;
	encoding: Encoding;
	/** Text before the signature in its header, such as `sha256=`. */
	prefix: string;
	/** What is signed: a template of `{body}`, `{timestamp}` and `{id}`, in any case. */
	content: string;
	timestampHeader: string;
	idHeader: string;
	secretEncoding: 'utf8' | 'base64';
}

/** The claim that these headers make under a custom scheme; undefined when they make none. */
export function findCustomClaim(
	headers: DeliveryHeaders,
	secret: string,
	scheme: CustomScheme,
): SignatureClaim | undefined {
	if (customSchemeProblem(scheme) !== undefined) return undefined;
	const timestamp = headerText(headers, scheme.timestampHeader.toLowerCase());
	const id = headerText(headers, scheme.idHeader.toLowerCase());
	if (signs(scheme, '{timestamp}') && timestamp === '') return undefined;
	if (signs(scheme, '{id}') && !isPlainId(id)) return undefined;

	const texts = listed(headerText(headers, scheme.header.toLowerCase()))
		.filter((text) => text.startsWith(scheme.prefix))
		.map((text) => text.slice(scheme.prefix.length).trim());
	const signatures = decodeDigests(texts, scheme.algorithm, [scheme.encoding]);
	if (signatures.length === 0) return undefined;
	return {
		algorithm: scheme.algorithm,
		keys: scheme.secretEncoding === 'base64' ? base64Key(secret) : textKey(secret),
		content: fillIn(scheme.content, { '{body}': null, '{timestamp}': timestamp, '{id}': id }),
		signatures,
		...(signs(scheme, '{timestamp}') ? { timestamp } : {}),
		...(signs(scheme, '{id}') ? { id } : {}),
	};
}

/** Why a custom scheme would protect nothing, or undefined when it is sound. */
export function customSchemeProblem(scheme: CustomScheme): string | undefined {
	if (scheme.header.trim() === '') return "'Header' is empty";
	if (!signs(scheme, '{body}')) return "'Signed Content' does not contain {body}";
	if (signs(scheme, '{timestamp}') && !scheme.timestampHeader) {
		return "'Signed Content' contains {timestamp} but 'Timestamp Header' is empty";
	}
	if (scheme.timestampHeader && !signs(scheme, '{timestamp}')) {
		return "'Timestamp Header' is set but 'Signed Content' does not contain {timestamp}";
	}
	if (signs(scheme, '{id}') && !scheme.idHeader) {
		return "'Signed Content' contains {ID} but 'ID Header' is empty";
	}
	return undefined;
}

function signs({ content }: CustomScheme, part: string): boolean {
	return content.toLowerCase().includes(part);
}

/** A header's parts, however separated: a prefix may itself hold a space or a comma. */
function listed(value: string): string[] {
	return [value, ...value.split(/,?\s+/), ...value.split(/[\s,]+/)];
}

function fillIn(template: string, values: Record<string, string | null>): Array<string | null> {
	return template.split(/(\{body\}|\{timestamp\}|\{id\})/i).map((piece) => {
		const name = piece.toLowerCase();
		return Object.hasOwn(values, name) ? values[name] : piece;
	});
}
