import { isPlainObject } from 'lodash';
import { jsonParse } from 'n8n-workflow';

type JsonRow = Record<string, unknown>;

const isObject = isPlainObject as (value: unknown) => value is JsonRow;

/** The first four bytes of Excel's files, of other packed files and of PDF. */
const BINARY = ['504b0304', 'd0cf11e0', '25504446'];
const WINDOWS_1252 = new TextDecoder('windows-1252');

export function isBinary(content: Buffer): boolean {
	return BINARY.includes(content.toString('hex', 0, 4));
}

/** The text of a content in UTF-8, in UTF-16 as Excel writes it, or in windows-1252. */
export function decode(content: Buffer): string {
	if (content[0] === 0xff && content[1] === 0xfe) return content.toString('utf16le');
	// One wrong byte spoils its line only.
	const lines = content.toString('latin1').split(/(?<=[\r\n])/);
	return lines.map(decodeLine).join('');
}

function decodeLine(line: string): string {
	const bytes = Buffer.from(line, 'latin1');
	const text = bytes.toString();
	return Buffer.from(text).equals(bytes) ? text : WINDOWS_1252.decode(bytes);
}

/** The rows in JSON: an array of objects, or the only one in an object; undefined if there is not exactly one. */
export function itemsIn(text: string): JsonRow[] | undefined {
	const arrays = arraysIn(jsonParse<unknown>(text, { fallbackValue: null }));
	const filled = arrays.filter(({ length }) => length > 0);
	const [items] = filled.length > 0 ? filled : arrays;
	return filled.length < 2 ? items : undefined;
}

/** The arrays of objects in a value, but nothing within rows. */
function arraysIn(value: unknown): JsonRow[][] {
	if (Array.isArray(value)) {
		const [one, ...others]: unknown[] = value;
		// n8n can answer with one item around the list, in an array.
		const isAround = others.length === 0 && isObject(one) && !Object.values(one).some(isCell);
		const within = isAround ? arraysIn(one) : [];
		return within.length > 0 ? within : value.every(isObject) ? [value] : [];
	}
	return isObject(value) ? Object.values(value).flatMap(arraysIn) : [];
}

function isCell(value: unknown): boolean {
	return typeof value !== 'object';
}
