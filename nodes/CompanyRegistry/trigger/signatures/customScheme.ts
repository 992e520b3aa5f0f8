import { compact, escapeRegExp, filter, findKey, map, uniq } from 'lodash';
import { z } from 'zod';

import { claimsIn, type Claim } from './claims';
import { readDigest } from './digests';
import { headerParts, headerText, type DeliveryHeaders } from './headers';
import { parseContent } from './signedContent';

/** Empty for anything but text, because no other value is what the user has entered. */
const text = z.string().trim().catch('');

/** A signature scheme that the user describes. A value that is missing or unknown counts as the field's default. */
export const customSchemeSchema = z.object({
	/** Header that holds the signature. */
	header: text,
	/** Such as `sha256={signature}` or `t={timestamp},s={signature}`; empty for the signature alone. */
	headerFormat: text,
	algorithm: z.enum(['sha256', 'sha512', 'sha1']).catch('sha256'),
	/** A template of `{body}`, `{timestamp}`, `{id}` and `{url}`, in any case. */
	content: z.string().trim().default('{body}').catch(''),
	timestampHeader: text,
	idHeader: text,
	secretEncoding: z.enum(['base64', 'hex', 'utf8']).catch('utf8'),
});

export type CustomScheme = z.output<typeof customSchemeSchema>;

const FORMAT_PLACEHOLDER = /(\{(?:signature|timestamp|id)\})/i;

/** The claims of these headers under a custom scheme. @param url the webhook address */
export function findCustomClaims(
	headers: DeliveryHeaders,
	scheme: CustomScheme,
	url?: string,
): Claim[] {
	if (customSchemeProblem(scheme) !== undefined) return [];
	const { algorithm, secretEncoding } = scheme;
	const header = scheme.header.toLowerCase();
	const read = readHeader(headerText(headers, header), scheme);
	const valuesOf = (placeholder: string, headerBeside: string) => {
		const texts = uniq(map(filter(read, { placeholder }), 'text'));
		const beside = headerBeside.toLowerCase();
		if (texts.length === 0) return [{ text: headerText(headers, beside), header: beside }];
		return texts.map((text) => ({ text, header }));
	};
	const digests = compact(valuesOf('{signature}', '').map(({ text }) => readDigest(text)));
	const matching = filter(digests, { algorithm, label: '' });
	const signatures = matching.map((digest) => ({ ...digest, header }));
	const times = valuesOf('{timestamp}', scheme.timestampHeader);
	const ids = valuesOf('{id}', scheme.idHeader);
	const contents = [parseContent(scheme.content)];

	return [
		...claimsIn({ signatures, contents, secretEncodings: [secretEncoding], times, ids, url }),
	];
}

/** Why a custom scheme protects or matches nothing; undefined where it is sound. */
export function customSchemeProblem(scheme: CustomScheme): string | undefined {
	const content = parseContent(scheme.content);
	const format = scheme.headerFormat.toLowerCase();
	const isMissing = (placeholder: string, header: string) =>
		content.includes(placeholder) && header === '' && !format.includes(placeholder);

	return findKey({
		"'Header' is empty": scheme.header === '',
		"'Header Format' does not contain {signature}":
			format !== '' && !format.includes('{signature}'),
		"'Header Format' has nothing between two of its parts":
			/(?:signature|timestamp|id)\}\{(?:signature|timestamp|id)\}/.test(format),
		"'Signed Content' does not contain {body}": !content.includes('{body}'),
		"'Timestamp Header' is set but 'Signed Content' does not contain {timestamp}":
			scheme.timestampHeader !== '' && !content.includes('{timestamp}'),
		"'Signed Content' contains {timestamp} but 'Timestamp Header' is empty": isMissing(
			'{timestamp}',
			scheme.timestampHeader,
		),
		"'Signed Content' contains {id} but 'ID Header' is empty": isMissing('{id}', scheme.idHeader),
		"'Signed Content' needs a separator other than digits between {id} and {timestamp}":
			/\{(?:id|timestamp)\}\d*\{(?:id|timestamp)\}/.test(content.join('')),
	});
}

/**
 * The texts in a header. A part of the format that begins with text, such as `v1={signature}`, may come anywhere;
 * another has its place. A header may have several sets.
 */
function readHeader(
	value: string,
	{ headerFormat }: CustomScheme,
): Array<{ placeholder: string; text: string }> {
	const parts = headerParts(headerFormat || '{signature}');
	const formats = parts.map((part) => part.split(FORMAT_PLACEHOLDER));
	const shapes = formats.map(shapeOf);

	return headerParts(value).flatMap((part, place) =>
		formats.flatMap((pieces, placeInFormat) => {
			if (pieces[0] === '' && place % formats.length !== placeInFormat) return [];
			const [, ...texts] = shapes[placeInFormat].exec(part) ?? [];
			return texts.map((text, index) => ({
				placeholder: pieces[index * 2 + 1].toLowerCase(),
				text,
			}));
		}),
	);
}

/** The shape of one part of a header, with a group for each placeholder. */
function shapeOf(pieces: string[]): RegExp {
	const shapes = pieces.map((piece, index) => {
		const next = escapeRegExp(pieces[index + 1]);
		return index % 2 === 0 ? escapeRegExp(piece) : next === '' ? '(.*)' : `((?:(?!${next}).)*)`;
	});
	return new RegExp(`^${shapes.join('')}$`);
}
