import { isPlainObject } from 'lodash';
import { jsonParse } from 'n8n-workflow';

import { saysCompanyNumber } from './headings';

type Item = Record<string, unknown>;

/** What a link may lead to instead of a list: its first bytes in hex, and what its beginning has. */
const OTHER_FORMATS = [
	{ bytes: '504b0304', has: /xl\/|\[Content_Types\]/, name: 'an Excel file' },
	{ bytes: 'd0cf11e0', has: /./, name: 'an Excel file' },
	{ bytes: '504b0304', has: /\.oasis\./, name: 'an OpenDocument file' },
	{ bytes: '504b0304', has: /./, name: 'a ZIP file' },
	{ bytes: '1f8b', has: /./, name: 'a gzip file' },
	{ bytes: '25504446', has: /./, name: 'a PDF file' },
	{ bytes: '', has: /^\s*<\?xml(?!.*<(?:!DOCTYPE )?html)/is, name: 'an XML file' },
	{
		bytes: '',
		has: /^ *\|?(?: *:?-{3,}:? *\|)+(?: *:?-{3,}:? *)?\r?$/m,
		name: 'a Markdown file',
	},
];
/** So many bytes show the format. */
const BEGINNING = 4096;
/** How far within objects the rows may be. */
const DEEPEST = 5;
const UTF16_MARK = /^(?:\xFF\xFE|\xFE\xFF)/;

/** Names a format that is no list; undefined where the content may be one. */
export function otherFormat(content: Buffer): string | undefined {
	const bytes = content.toString('hex', 0, 4);
	const beginning = content.toString('latin1', 0, BEGINNING).replace(/^\xEF\xBB\xBF/, '');
	const isOf = (one: (typeof OTHER_FORMATS)[number]) =>
		bytes.startsWith(one.bytes) && one.has.test(beginning);
	return OTHER_FORMATS.find(isOf)?.name;
}

/** The text of a content in UTF-8, in UTF-16 with its mark, or in windows-1252. */
export function decode(content: Buffer): { text: string; isWindows1252: boolean } {
	const [mark] = UTF16_MARK.exec(content.toString('latin1', 0, 2)) ?? [];
	if (mark !== undefined) {
		const encoding = mark === '\xFF\xFE' ? 'utf-16le' : 'utf-16be';
		return { text: new TextDecoder(encoding).decode(content), isWindows1252: false };
	}
	const text = content.toString('utf8');
	const isUtf8 = Buffer.from(text).equals(content);
	return { text: isUtf8 ? text : decodeLines(content), isWindows1252: !isUtf8 };
}

/** One wrong byte spoils its line only: each line is UTF-8 or else windows-1252. */
function decodeLines(content: Buffer): string {
	const windows1252 = new TextDecoder('windows-1252');
	const lines: string[] = [];
	for (let start = 0; start <= content.length; ) {
		const end = content.indexOf(10, start);
		const line = content.subarray(start, end < 0 ? content.length : end);
		const text = line.toString('utf8');
		// A line that really has this character is rare, and costs a comparison.
		const isUtf8 = !text.includes('\uFFFD') || Buffer.from(text).equals(line);
		lines.push(isUtf8 ? text : windows1252.decode(line));
		start = end < 0 ? content.length + 1 : end + 1;
	}
	return lines.join('\n');
}

/** The rows in JSON: an array of objects, the only one in an object, or an object on each line. */
export function itemsIn(text: string): Item[] | undefined {
	const whole = jsonParse<unknown>(text, { fallbackValue: null });
	const arrays = whole === null ? linesIn(text) : arraysIn(whole);
	const filled = arrays.filter(({ length }) => length > 0);
	const [items] = filled.length > 0 ? filled : arrays;
	return filled.length < 2 && items ? unwrapped(items) : undefined;
}

/** The arrays of objects in a value, or a row alone, but nothing within rows. */
function arraysIn(value: unknown, depth = 0): Item[][] {
	if (Array.isArray(value)) return value.every(isObject) ? [value] : [];
	if (!isObject(value) || depth > DEEPEST) return [];
	const isRow = Object.keys(value).some(
		(key) => typeof value[key] !== 'object' && saysCompanyNumber(key),
	);
	return isRow ? [[value]] : Object.values(value).flatMap((one) => arraysIn(one, depth + 1));
}

function linesIn(text: string): Item[][] {
	const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
	const items = lines.map((line) => jsonParse<unknown>(line, { fallbackValue: null }));
	return lines.length > 0 && items.every(isObject) ? [items] : [];
}

/** The columns of items that have them one level down, as n8n's own export and some tables' interfaces do. */
function unwrapped(items: Item[]): Item[] {
	const inner = ['json', 'fields'].find((key) => items.every((item) => isObject(item[key])));
	return inner === undefined ? items : items.map((item) => item[inner] as Item);
}

function isObject(value: unknown): value is Item {
	return isPlainObject(value);
}
