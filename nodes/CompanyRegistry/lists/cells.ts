import { normaliseCompanyNumber } from '../shared/companyNumber';

const DATE = /^(?:(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d|[0-3]\d(?:0[1-9]|1[0-2])(?:19|20)\d\d)$/;

/** A cell's text; empty for what is neither text nor number. */
export function textOf(cell: unknown): string {
	return typeof cell === 'string' || typeof cell === 'number' ? String(cell).trim() : '';
}

/** The same in one line; a text that is one stays as it is, and takes no more room. */
export function lineOf(cell: unknown): string {
	return textOf(cell).replace(/\s\s+|[^\S ]/g, ' ');
}

export function isFilled(cell: unknown): boolean {
	return cell !== undefined && cell !== null && String(cell).trim() !== '';
}

/** Whether a cell may be a heading, a title or a name: words, without a number that is more than a year. */
export function isWords(cell: unknown): boolean {
	const text = textOf(cell);
	return /\p{L}/u.test(text) && text.replace(/\D/g, '').length < 5 && writtenLength(cell) === 0;
}

/** How many digits a company number of five or fewer is written with; 8 for any other, 0 for what is none. */
export function writtenLength(cell: unknown): number {
	const number = normaliseCompanyNumber(cell);
	if (!number?.startsWith('000')) return number ? 8 : 0;
	const digits = textOf(cell).replace(/\.0+$/, '').replace(/\D/g, '').length;
	return digits > 5 ? 8 : digits;
}

/** Whether a cell is a company number where no heading says so, and no count, year, date or short reference. */
export function isLikely(cell: unknown): boolean {
	return writtenLength(cell) === 8 && !DATE.test(textOf(cell));
}
