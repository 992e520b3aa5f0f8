import { validateFieldType, type INodeProperties, type INodePropertyOptions } from 'n8n-workflow';

import { invalidCompanyNumber, normaliseCompanyNumber } from '../shared/companyNumber';
import { showValue } from '../shared/words';
import type { Item } from './run';

/**
 * Parameters whose value may come from an expression, which n8n does not check. Values are understood
 * as text and in any case, if that is unambiguous. All others are refused with the field, the value and
 * what is possible.
 */
type Field = Pick<INodeProperties, 'displayName' | 'options'>;

/** One of the field's options: `Add` and ` add ` mean `add`. */
export function readOption(item: Item, field: Field, value: unknown): string {
	const options = (field.options as INodePropertyOptions[]).map((option) => String(option.value));
	const text = String(value).trim().toLowerCase();
	const known = options.find((option) => option.toLowerCase() === text);
	if (known !== undefined) return known;
	throw refuseValue(item, field, value, `Use one of these: ${options.join(', ')}.`);
}

/** True or false: the text "false" is false. */
export function readBoolean(item: Item, field: Field, value: unknown): boolean {
	const plain = typeof value === 'string' ? value.trim() : value;
	const result = validateFieldType(field.displayName, plain, 'boolean');
	if (result.valid && typeof result.newValue === 'boolean') return result.newValue;
	throw refuseValue(item, field, value, 'Use true or false.');
}

/** The whole number of at least 1 in 'Limit': the text "50" is 50. */
export function readLimit(item: Item): number {
	const value = item.parameter('limit', 50);
	const limit = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
	if (Number.isSafeInteger(limit) && limit >= 1) return limit;
	const field = { displayName: 'Limit' };
	throw refuseValue(item, field, value, 'Use a whole number from 1 on, for example 50.');
}

/** Text without spaces at its ends; a number is taken as its digits, and nothing as an empty text. */
export function readText(item: Item, field: Field, value: unknown): string {
	if (typeof value === 'string' || typeof value === 'number') return String(value).trim();
	if (value === undefined || value === null) return '';
	throw refuseValue(item, field, value, 'Use text.');
}

/**
 * The text of a filter in this collection, empty where the user has not added it. One that was added but is
 * empty is refused: an expression that finds nothing would let all through, to whatever the next step does.
 */
export function readFilter(item: Item, collection: string, field: INodeProperties): string {
	const filters = { ...(item.parameter(collection, {}) as Record<string, unknown>) };
	const text = readText(item, field, filters[field.name]);
	if (text !== '' || !(field.name in filters)) return text;
	throw refuseValue(item, field, text, 'Fill it in, or remove it.');
}

/** The normalised number in a company field. */
export function readCompanyNumber(item: Item, parameter = 'companyNumber'): string {
	const value = item.parameter(parameter, '', { extractValue: true });
	const number = normaliseCompanyNumber(value);
	if (number === undefined) throw item.refuse(invalidCompanyNumber(value));
	return number;
}

export function refuseValue(
	item: Item,
	{ displayName }: Field,
	value: unknown,
	description: string,
): Error {
	const shown = showValue(value);
	const message = shown ? `'${displayName}' cannot be ${shown}` : `'${displayName}' is empty`;
	return item.refuse({ message, description });
}
