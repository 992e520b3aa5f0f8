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
