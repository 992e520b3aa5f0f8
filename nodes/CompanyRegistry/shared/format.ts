import { compact } from 'lodash';
import { NodeOperationError, type FunctionsBase } from 'n8n-workflow';

const SHOWN_LENGTH = 40;

/** Writes a warning about this trigger to n8n's log, in one line. */
export function warn(context: FunctionsBase, text: string): void {
	const line = text.replace(/\s*\n\s*/g, ' ');
	context.logger.warn(`Company Registry Trigger "${context.getNode().name}": ${line}`);
}

/** Formats a value for a message: text in quotes, at most 40 characters; empty for no value. */
export function formatValue(value: unknown): string {
	const text = (typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')).trim();
	if (text === '' || value === null) return '';
	const short = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
	return typeof value === 'string' ? `"${short}"` : short;
}

/** A cell's text; empty for what is neither text nor number. */
export function cellText(cell: unknown): string {
	return typeof cell === 'string' || typeof cell === 'number' ? String(cell).trim() : '';
}

/** The text in one line; not copied where it has one line already, which saves memory. */
export function singleLine(cell: unknown): string {
	return cellText(cell).replace(/\s\s+|[^\S ]/g, ' ');
}

/** At most so many by name, and how many more. */
export function formatList(all: string[], room = 20): string {
	const more = all.length - room;
	return compact([all.slice(0, room).join(', '), more > 0 && `${more} more`]).join(' and ');
}

export function formatCompany(company: string, names: ReadonlyMap<string, string>): string {
	const name = names.get(company);
	return name ? `${company} ${name}` : company;
}

/** `1 company`, `2 companies`. */
export function pluralise(count: number, noun: string): string {
	return `${count} ${count === 1 ? noun : `${noun.replace(/y$/, 'ie')}s`}`;
}

/** An error with exactly this message: n8n replaces messages that contain a code such as ECONNRESET. */
export function nodeError(context: FunctionsBase, message: string): NodeOperationError {
	const error = new NodeOperationError(context.getNode(), message);
	error.message = message;
	return error;
}
