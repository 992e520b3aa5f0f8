import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { errorBodySchema } from './schemas';

export type CredentialTypeName = 'companyRegistryApi' | 'companyRegistrySessionApi';

/** What is known of a request that failed. */
export interface FailedRequest {
	method: string;
	credentialType: CredentialTypeName;
	/** The credential's own, which the words must not repeat; empty if there is none. */
	token: string;
	/** HTTP status of the answer; none when no answer arrived. */
	status?: number;
	/** The answer's body, parsed if it was JSON. */
	body?: unknown;
	/** Why no answer arrived: a code such as `ETIMEDOUT`, or a sentence. */
	reason?: string;
	/** True when a successful answer did not have the shape that the service is known for. */
	isStrange?: boolean;
	/** How long the service asked to wait before the next attempt, in milliseconds. */
	retryAfter?: number;
}

/** Error codes of an untrusted certificate. The request was not sent then. */
export const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/i;

/** What stands for `{credential}`, `{token}` and `{advice}` below. */
const CREDENTIALS = {
	companyRegistryApi: {
		credential: "the 'Company Registry API' credential",
		token: 'API key',
		advice:
			"It needs an API key from the service's dashboard. Session tokens go in the 'Company Registry Session API' credential.",
	},
	companyRegistrySessionApi: {
		credential: "the 'Company Registry Session API' credential",
		token: 'session token',
		advice:
			"It needs a current session token. API keys go in the 'Company Registry API' credential. Log in to the service again and paste the new token.",
	},
} as const;

const CHECK_ADDRESS =
	"Check the 'Base URL' in {credential} for typos, and that n8n can reach it{reason}.";

/** A symptom of a failed request, what it means to a user, and what to do next. The first that fits counts. */
const WORDS: Array<[symptom: RegExp, message: string, description: string]> = [
	[
		/^web page/,
		'The Base URL leads to a web page, not to the registry service',
		"Enter the address of the service's API as 'Base URL' in {credential}, not that of its website or dashboard.",
	],
	[
		/^strange/,
		'Unexpected answer from the Base URL',
		"Check the 'Base URL' in {credential}. If it is right, the service may have changed: check for a newer version of this node.",
	],
	[
		/^HTTP 3/,
		'The registry service redirects to another address',
		"Enter the final address, usually one that starts with https, as 'Base URL' in {credential}. Redirects are not followed, to keep the {token} from other sites.",
	],
	[
		/^HTTP 401/,
		'The registry service did not accept the {token}',
		"Check the {token} and the 'Base URL' in {credential}. {advice}",
	],
	[
		/^HTTP 402/,
		"The account's plan does not cover this request",
		"Check the plan and its limits in the service's dashboard.",
	],
	[
		/^HTTP 403/,
		'The account is not allowed to make this request',
		"Check in the service's dashboard what the account and its {token} may do.",
	],
	[
		/^HTTP 404/,
		'The registry service has nothing at this address',
		"Check the 'Base URL' in {credential}, and what this node asks for: a company number, a webhook ID or a path.",
	],
	[
		/^HTTP 429/,
		'The registry service received too many requests',
		'Wait a while, or send fewer requests at a time.',
	],
	[
		/^HTTP 5/,
		'The registry service could not process the request ({status})',
		"Try again in a few minutes. If this continues, contact the service's support.",
	],
	[
		/^HTTP/,
		'The registry service did not accept the request ({status})',
		"Check the values in this node's fields.",
	],
	[
		/ENOTFOUND|EAI_AGAIN/,
		"The Base URL's host name was not found",
		"Check the 'Base URL' in {credential} for typos: n8n's machine finds no host of that name. If it is right, ask whoever runs n8n whether that machine can look up names.",
	],
	[/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/, 'Nothing answers at the Base URL', CHECK_ADDRESS],
	[
		/TIMEDOUT|ECONNABORTED|ERR_CANCELED|timeout/i,
		'The registry service did not answer in time',
		"Try again in a few minutes{reason}. If this continues, check that n8n can reach the 'Base URL' in {credential}.",
	],
	[
		new RegExp(`${CERTIFICATE.source}|SSL|TLS|EPROTO`, 'i'),
		'No secure connection to the registry service could be made',
		"Check that the 'Base URL' in {credential} starts with https and has a valid certificate{reason}.",
	],
	[
		/ECONNRESET|EPIPE|ERR_BAD_RESPONSE|socket hang up|aborted/i,
		'The connection to the registry service closed before an answer arrived',
		'Try again{reason}.',
	],
	[/^/, 'The registry service could not be reached', CHECK_ADDRESS],
];

const LONGEST_QUOTE = 300;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Puts a failed request into words: the one place that knows what a status means to a user.
 * Quotes the service's own message with whatever looks like a token or secret taken out.
 */
export function describeFailure(failed: FailedRequest): { message: string; description: string } {
	const symptom = symptomOf(failed);
	const [, message, description] = WORDS.find(([symptoms]) => symptoms.test(symptom))!;
	const reason = withoutTokens(failed.reason ?? '', failed.token);
	const values: Record<string, string> = {
		...CREDENTIALS[failed.credentialType],
		status: symptom,
		reason: reason === '' ? '' : ` (${reason})`,
	};
	const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => values[name]);
	return {
		message: filled(message),
		description: filled(description) + quotation(failed.body, failed.token),
	};
}

/** What {@link WORDS} are found by. Any reason may stand behind `no answer`. */
function symptomOf({ status, body, reason = '', isStrange }: FailedRequest): string {
	if (status === undefined) return `no answer: ${reason}`;
	if (isHtml(body) && (isStrange || status === 404)) return 'web page';
	return isStrange ? 'strange' : `HTTP ${status}`;
}

export function isHtml(body: unknown): boolean {
	return typeof body === 'string' && /^\s*<(!doctype|html|head|body|\?xml)/i.test(body);
}

/** The service's own words as a sentence, or nothing when the body is not its error object. */
function quotation(body: unknown, token: string): string {
	const parsed = errorBodySchema.safeParse(body);
	if (!parsed.success) return '';
	// n8n's editor takes angle brackets for markup and would leave out what is between them.
	const [message, error] = [parsed.data.message, parsed.data.error].map((text) =>
		withoutTokens(text, token).replace(/</g, '‹').replace(/>/g, '›'),
	);
	return ` The service said: "${message}" (${error}).`;
}

/** The token of either credential, as it is sent. */
export function tokenOf({ apiKey, sessionToken }: ICredentialDataDecryptedObject): string {
	return String(apiKey ?? sessionToken ?? '').trim();
}

/**
 * Services sometimes repeat a token in an error, and errors end up in logs and on screens. Leaves out
 * the credential's own, whatever it looks like, and what else looks like one.
 */
export function withoutTokens(text: string, token: string): string {
	const own = token === '' ? [] : [token, encodeURIComponent(token)];
	const hidden = own
		.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
		.replace(/\b(whsec_|eyJ|Bearer\s+(?=\S*\d))[^\s"',;]+/gi, '…')
		.replace(/[\w+=-]{24,}/g, (run) => (/\d/.test(run) && !UUID.test(run) ? '…' : run));
	return hidden.length > LONGEST_QUOTE ? `${hidden.slice(0, LONGEST_QUOTE)}…` : hidden;
}
