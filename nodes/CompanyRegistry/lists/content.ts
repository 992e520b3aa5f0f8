import { isPlainObject, uniq } from 'lodash';
import { jsonParse } from 'n8n-workflow';

import { saysCompanyNumber } from './headings';

type Item = Record<string, unknown>;

const isObject = isPlainObject as (value: unknown) => value is Item;

/** Files that a link may lead to instead of a list, by their first bytes as characters. */
const OTHER_FORMATS: Array<[name: string, RegExp]> = [
	['an Excel file', /^PK\p{Cc}{2}.*(?:xl\/|\[Content_Types\])|^\xD0\xCF\p{Cc}\xE0/su],
	['an OpenDocument file', /^PK\p{Cc}{2}.*\.oasis\./su],
	['a ZIP file', /^PK\p{Cc}{2}/u],
	['a PDF file', /^%PDF/],
	['an XML file', /^(?:\xEF\xBB\xBF)?\s*<\?xml(?!.*<(?:!DOCTYPE )?html)/is],
];
/** So many bytes show the format. */
const BEGINNING = 4096;
/** How far within objects the rows may be. */
const DEEPEST = 5;
/** By the mark at the beginning. */
const UTF16: Partial<Record<string, string>> = { '\xFF\xFE': 'utf-16le', '\xFE\xFF': 'utf-16be' };
const WINDOWS_1252 = new TextDecoder('windows-1252');

/** Names a format that is no list; undefined where the content may be one. */
export function otherFormat(content: Buffer): string | undefined {
	const beginning = content.toString('latin1', 0, BEGINNING);
	return OTHER_FORMATS.find(([, format]) => format.test(beginning))?.[0];
}

/** The text of a content in UTF-8, in UTF-16 with its mark, or in windows-1252. */
export function decode(content: Buffer): { text: string; isWindows1252: boolean } {
	const mark = content.toString('latin1', 0, 2);
	const encoding = UTF16[mark];
	if (encoding) return { text: new TextDecoder(encoding).decode(content), isWindows1252: false };
	if (isUtf8(content)) return { text: content.toString(), isWindows1252: false };

	// One wrong byte spoils its line only.
	const lines = content.toString('latin1').split(/(?<=[\r\n])/);
	return { text: lines.map(decodeLine).join(''), isWindows1252: true };
}

function decodeLine(line: string): string {
	const bytes = Buffer.from(line, 'latin1');
	return isUtf8(bytes) ? bytes.toString() : WINDOWS_1252.decode(bytes);
}

function isUtf8(bytes: Buffer): boolean {
	return Buffer.from(bytes.toString()).equals(bytes);
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
	if (Array.isArray(value)) {
		const [one, ...others]: unknown[] = value;
		// n8n can answer with one item around the list, in an array.
		const isAround = others.length === 0 && isObject(one) && !Object.values(one).some(isCell);
		const within = isAround ? arraysIn(one, depth + 1) : [];
		return within.length > 0 ? within : value.every(isObject) ? [value] : [];
	}
	if (!isObject(value) || depth > DEEPEST) return [];
	if (haveNumber([value])) return [[value]];
	return Object.values(value).flatMap((inner) => arraysIn(inner, depth + 1));
}

function linesIn(text: string): Item[][] {
	const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
	const items = lines.map((line) => jsonParse<unknown>(line, { fallbackValue: null }));
	return lines.length > 0 && items.every(isObject) ? [items] : [];
}

/** The columns of items that have them one level down, as n8n's own export and other systems do. */
function unwrapped(items: Item[]): Item[] {
	if (haveNumber(items)) return items;
	const inner = Object.keys(items[0] ?? {}).flatMap((key) => {
		const columns = items.map((item) => item[key]);
		return columns.every(isObject) ? [{ key, columns }] : [];
	});
	const said = inner.filter(({ columns }) => haveNumber(columns));
	const usual = inner.filter(({ key }) => ['json', 'fields'].includes(key));
	const [only, another] = said.length > 0 ? said : usual;
	return only && !another ? only.columns : items;
}

/** Whether items have a column that says company number. */
function haveNumber(items: Item[]): boolean {
	const headings = items.flatMap((item) => Object.keys(item).filter((key) => isCell(item[key])));
	return uniq(headings).some(saysCompanyNumber);
}

function isCell(value: unknown): boolean {
	return typeof value !== 'object';
}
