import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { errorBodySchema } from './schemas';

const LONGEST_QUOTE = 300;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The values of a credential that must never be shown, whatever they look like. */
export function secretsOf({ apiKey, sessionToken }: ICredentialDataDecryptedObject): string[] {
	const values = [apiKey, sessionToken].map((value) => String(value ?? '').trim());
	return values.filter((value) => value !== '');
}

/** Whether an answer's body is the service's own error object. */
export function isServiceError(body: unknown): boolean {
	return errorBodySchema.safeParse(body).success;
}

/** The service's own words as a sentence, or nothing when the body is not its error object. */
export function quotation(body: unknown, secrets: string[]): string {
	const parsed = errorBodySchema.safeParse(body);
	if (!parsed.success) return '';
	const { error, message } = parsed.data;
	return ` The service said: "${quotable(message, secrets)}" (${quotable(error, secrets)}).`;
}

/** n8n's editor takes angle brackets for markup and would leave out what is between them. */
function quotable(text: string, secrets: string[]): string {
	return withoutTokens(text, secrets).replace(/</g, '‹').replace(/>/g, '›');
}

/**
 * Services sometimes repeat a token in an error, and errors end up in logs and on screens. Leaves out
 * the credential's own values and whatever else looks like a token.
 */
export function withoutTokens(text: string, secrets: string[]): string {
	const hidden = secrets
		.flatMap((secret) => [secret, encodeURIComponent(secret)])
		.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
		.replace(/\b(whsec_|eyJ|Bearer\s+(?=\S*\d))[^\s"',;]+/gi, '…')
		.replace(/[\w+=-]{24,}/g, (run) => (/\d/.test(run) && !UUID.test(run) ? '…' : run));
	return hidden.length > LONGEST_QUOTE ? `${hidden.slice(0, LONGEST_QUOTE)}…` : hidden;
}
