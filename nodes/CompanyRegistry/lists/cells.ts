import { hasRegisterPrefix, normaliseCompanyNumber } from '../shared/companyNumber';

/** As the register writes numbers: `99000001`, `SC990001`, `R0990001`, `IP9900RS`. */
const SHAPE = /^(?:\d{8}|R\d{7}|[A-Z]{2}\d{3,6}[A-Z]{0,3})$/;
const DATE = /^(?:(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d|[0-3]\d(?:0[1-9]|1[0-2])(?:19|20)\d\d)$/;

/** What is known of a column: a heading says company number, says only number, or there is none. */
export type Heading = 'company' | 'bare' | 'none';

/** A cell's text; empty for what is neither text nor number. */
export function textOf(cell: unknown): string {
	return typeof cell === 'string' || typeof cell === 'number' ? String(cell).trim() : '';
}

/** The text in one line; a text that has one line already is not copied, which saves memory. */
export function lineOf(cell: unknown): string {
	return textOf(cell).replace(/\s\s+|[^\S ]/g, ' ');
}

export function isFilled(cell: unknown): boolean {
	return cell !== undefined && cell !== null && String(cell).trim() !== '';
}

/** Whether a cell may be a heading, a title or a name: words, with no more digits than a year. */
export function isWords(cell: unknown): boolean {
	const text = textOf(cell);
	return /\p{L}/u.test(text) && text.replace(/\D/g, '').length < 5 && !isLikely(cell);
}

export function isDate(cell: unknown): boolean {
	return DATE.test(textOf(cell));
}

/** The company number in a cell, in the register's form; the less its heading says, the fuller it must be. */
export function readNumber(cell: unknown, heading: Heading): string | undefined {
	const number = normaliseCompanyNumber(cell);
	if (number === undefined || !SHAPE.test(number)) return undefined;
	if (heading === 'company' || /^\d/.test(number)) return number;
	// Without a clear heading, SE1 is a postcode; below a bare one, SL0003 is of another register.
	const length = textOf(cell).replace(/[^a-z\d]/gi, '').length;
	const isFull = length >= (heading === 'bare' ? 8 : 6);
	return isFull && hasRegisterPrefix(number) ? number : undefined;
}

/** Whether a cell holds a company number where no heading says so. */
export function isLikely(cell: unknown): boolean {
	return readNumber(cell, 'none') !== undefined && !isDate(cell);
}
