import { compact } from 'lodash';
import {
	NodeOperationError,
	type FunctionsBase,
	type IHookFunctions,
	type ITriggerFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

const SHOWN_LENGTH = 40;

/** Writes a line about this trigger to n8n's log. */
export function warn(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
	what: string,
): void {
	context.logger.warn(`Company Registry Trigger "${context.getNode().name}": ${what}`);
}

/** A value for a message: a text in quotes, shortened if long; an empty text for none. */
export function showValue(value: unknown): string {
	const text = (typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')).trim();
	if (text === '' || value === null) return '';
	const short = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
	return typeof value === 'string' ? `"${short}"` : short;
}

/** A cell's text; empty for what is neither text nor number. */
export function textOf(cell: unknown): string {
	return typeof cell === 'string' || typeof cell === 'number' ? String(cell).trim() : '';
}

/** The text in one line; not copied where it has one line already, which saves memory. */
export function lineOf(cell: unknown): string {
	return textOf(cell).replace(/\s\s+|[^\S ]/g, ' ');
}

/** At most so many by name, and how many more. */
export function named(all: string[], room = 20): string {
	const more = all.length - room;
	return compact([all.slice(0, room).join(', '), more > 0 && `${more} more`]).join(' and ');
}

/** A company by its number and, where that is known, its name. */
export function called(company: string, names: ReadonlyMap<string, string>): string {
	const name = names.get(company);
	return name ? `${company} ${name}` : company;
}

/** An error with exactly these words: n8n puts others in place of a message with a code such as ECONNRESET. */
export function problemOf(context: FunctionsBase, words: string): NodeOperationError {
	const error = new NodeOperationError(context.getNode(), words);
	error.message = words;
	return error;
}
