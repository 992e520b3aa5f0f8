import { plainLine } from '../shared/itemText';
import { errorBodySchema } from './schemas';

export type CredentialTypeName = 'companyRegistryApi' | 'companyRegistrySessionApi';

export interface FailedRequest {
	method: string;
	credentialType: CredentialTypeName;
	/** The credential's token, which no message may repeat; empty if unknown. */
	token: string;
	/** HTTP status of the answer; undefined if no answer arrived. */
	status?: number;
	/** The answer's body, parsed if it was JSON. */
	body?: unknown;
	/** Why no answer arrived: a code such as `ETIMEDOUT`, or a sentence. */
	reason?: string;
	/** True if a successful answer did not have the documented shape. */
	isUnexpected?: boolean;
	/** Time from the Retry-After header, in milliseconds. */
	retryAfter?: number;
}

/** The body that the service sends with a refusal. */
export interface ServiceError {
	error: string;
	message: string;
	status: number;
}

/** Error codes of an untrusted certificate; nothing was sent. */
export const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/i;

/** Names, and values of `{token}` and `{advice}` in the texts below. */
export const CREDENTIALS = {
	companyRegistryApi: {
		name: 'Company Registry API',
		token: 'API key',
		advice:
			"It needs an API key from the service's dashboard. Session tokens go in the 'Company Registry Session API' credential.",
	},
	companyRegistrySessionApi: {
		name: 'Company Registry Session API',
		token: 'session token',
		advice:
			"The token may have expired: log in to the service again and paste the new one. API keys go in the 'Company Registry API' credential.",
	},
} as const;

/** Symptom, cause and next step. The first symptom that matches counts. */
const FAILURES: Array<[symptom: RegExp, cause: string, nextStep: string]> = [
	[
		/^web page/,
		'The Base URL leads to a web page, not to the registry service',
		"In {credential}, set 'Base URL' to the address of the service's API, not of its website or dashboard.",
	],
	[
		/^unexpected/,
		'The service sent an unexpected answer',
		"Check the 'Base URL' in {credential}. If it is right, the service may have changed: check for a newer version of this node.",
	],
	[
		/^HTTP 3/,
		'The registry service redirects to another address',
		"In {credential}, set 'Base URL' to the final address, usually one that starts with https. This node follows no redirects, so that no other site gets the {token}.",
	],
	[
		/^HTTP 401/,
		'The registry service did not accept the {token}',
		"Check the {token} and the 'Base URL' in {credential}. {advice}",
	],
	[
		/^HTTP 40[23]/,
		'The account is not allowed to make this request ({status})',
		"Check the permissions of the account and its {token} in the service's dashboard.",
	],
	[
		/^HTTP 404/,
		'The registry service has nothing at this address',
		"Check the 'Base URL' in {credential}, then the company number, webhook ID or path in this node.",
	],
	[
		/^HTTP 429/,
		'The registry service received too many requests',
		'Wait a few minutes, or send fewer requests at a time.',
	],
	[
		/^HTTP (408|425|5)/,
		'The registry service could not process the request ({status})',
		"Try again in a few minutes. If this continues, contact the service's support.",
	],
	[
		/^HTTP/,
		'The registry service did not accept the request ({status})',
		"Check the values in this node's fields.",
	],
	[
		/TIMEDOUT|timeout|ABORTED|ERR_CANCELED|ECONNRESET|EPIPE|BAD_RESPONSE|socket hang up/i,
		'No answer arrived from the registry service',
		"Try again in a few minutes. If this continues, check that n8n can reach the 'Base URL' in {credential}{reason}.",
	],
	[
		new RegExp(`${CERTIFICATE.source}|SSL|TLS|EPROTO`, 'i'),
		'n8n could not make a secure connection to the registry service',
		"Check that the 'Base URL' in {credential} starts with https and has a valid certificate{reason}.",
	],
	[
		/^/,
		'n8n could not reach the registry service',
		"Check the 'Base URL' in {credential} for typos, and that n8n can reach it{reason}.",
	],
];

/** Characters of the service's message that an error quotes. */
const MAXIMUM_QUOTE = 300;

/** @returns the cause as `message`, and the next step */
export function describeFailure(failed: FailedRequest): Record<'message' | 'nextStep', string> {
	const symptom = symptomOf(failed);
	const [, cause, nextStep] = FAILURES.find(([pattern]) => pattern.test(symptom))!;
	const { name, ...words } = CREDENTIALS[failed.credentialType];
	const values: Record<string, string> = {
		...words,
		credential: `the '${name}' credential`,
		status: symptom,
		reason: failed.reason ? ` (${failed.reason})` : '',
	};
	const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => values[name]);

	return { message: fill(cause), nextStep: fill(nextStep) };
}

/** The text that the patterns of {@link FAILURES} match. */
function symptomOf({ status, body, reason = '', isUnexpected }: FailedRequest): string {
	if (status === undefined) return `no answer: ${reason}`;
	if (isHtml(body) && (isUnexpected || status === 404)) return 'web page';
	return isUnexpected ? 'unexpected' : `HTTP ${status}`;
}

export function isHtml(body: unknown): boolean {
	return typeof body === 'string' && /^\s*<(!doctype|html|head|body|\?xml)/i.test(body);
}

/** The service's error object without the token; undefined for any other body. */
export function readServiceError(body: unknown, token: string): ServiceError | undefined {
	const parsed = errorBodySchema.safeParse(body);
	if (!parsed.success) return undefined;
	const { error, message, status } = parsed.data;
	return { error: redact(error, token), message: redact(message, token), status };
}

/** The service's words as a sentence; empty without an error object. */
export function quoteService(said: ServiceError | undefined): string {
	if (said === undefined) return '';
	// n8n's editor would hide text in angle brackets as markup.
	const [message, error] = [said.message, said.error].map((text) => plainLine(text, MAXIMUM_QUOTE));
	return `The service said: "${message}" (${error}).`;
}

/** Hides the token, because services repeat tokens in errors, and errors are logged. */
export function redact(text: string, token: string): string {
	if (token === '') return text;
	return text.replaceAll(token, '…').replaceAll(encodeURIComponent(token), '…');
}
