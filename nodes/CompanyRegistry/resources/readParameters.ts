import { validateFieldType, type INodeProperties, type INodePropertyOptions } from 'n8n-workflow';

import { invalidCompanyNumber, normaliseCompanyNumber } from '../shared/companyNumber';
import { formatValue } from '../shared/format';
import type { Item } from './run';

/** n8n does not check the values of expressions, so each function here accepts or refuses them. */
type Field = Pick<INodeProperties, 'displayName' | 'options'>;

/** Reads one of the field's options, in any case and with spaces around it. */
export function readOption(item: Item, field: Field, value: unknown): string {
	const options = (field.options as INodePropertyOptions[]).map((option) => String(option.value));
	const text = String(value).trim().toLowerCase();
	const known = options.find((option) => option.toLowerCase() === text);
	if (known !== undefined) return known;
	throw refuseValue(item, field, value, `Use one of these: ${options.join(', ')}.`);
}

/** Reads 'Limit', a whole number from 1 on; the text "50" is 50. */
export function readLimit(item: Item): number {
	const value = item.parameter('limit', 50);
	const limit = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
	if (Number.isSafeInteger(limit) && limit >= 1) return limit;
	const field = { displayName: 'Limit' };
	throw refuseValue(item, field, value, 'Use a whole number of at least 1, for example 50.');
}

/** Reads 'Return All' and 'Limit'; infinite for all. The text "false" is false. */
export function readMaximum(item: Item): number {
	const value = item.parameter('returnAll', false);
	const field = { displayName: 'Return All' };
	const plain = typeof value === 'string' ? value.trim() : value;
	const result = validateFieldType(field.displayName, plain, 'boolean');
	if (!result.valid || typeof result.newValue !== 'boolean') {
		throw refuseValue(item, field, value, 'Use true or false.');
	}
	return result.newValue ? Infinity : readLimit(item);
}

/** Reads trimmed text. A number becomes its digits; undefined and null become an empty text. */
export function readText(item: Item, field: Field, value: unknown): string {
	if (typeof value === 'string' || typeof value === 'number') return String(value).trim();
	if (value === undefined || value === null) return '';
	throw refuseValue(item, field, value, 'Use text.');
}

/** One of 'Filters'; empty if not added. One without a value is refused, or it would select everything. */
export function readFilter(item: Item, field: INodeProperties): string {
	const filters = { ...(item.parameter('filters', {}) as Record<string, unknown>) };
	const text = readText(item, field, filters[field.name]);
	if (text !== '' || !(field.name in filters)) return text;
	throw refuseValue(item, field, text, 'Fill it in, or remove it.');
}

export function readCompanyNumber(item: Item, parameter = 'companyNumber'): string {
	const value = item.parameter(parameter, '', { extractValue: true });
	const number = normaliseCompanyNumber(value);
	if (number === undefined) throw item.refuse(invalidCompanyNumber(value));
	return number;
}

/** An error that names the field, the value and the possible values. */
export function refuseValue(
	item: Item,
	{ displayName }: Field,
	value: unknown,
	description: string,
): Error {
	const shown = formatValue(value);
	const message = shown ? `'${displayName}' cannot be ${shown}` : `'${displayName}' is empty`;
	return item.refuse({ message, description });
}
