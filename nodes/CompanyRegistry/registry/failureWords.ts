import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { errorBodySchema } from './schemas';

export type CredentialTypeName = 'companyRegistryApi' | 'companyRegistrySessionApi';

/** What is known of a request that failed. */
export interface FailedRequest {
	method: string;
	credentialType: CredentialTypeName;
	/** The credential's own values, which the words must not repeat. */
	secrets: string[];
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
/** What happened, and what to do next. */
interface Words {
	message: string;
	description: string;
}

const CREDENTIALS = {
	companyRegistryApi: {
		label: "the 'Company Registry API' credential",
		token: 'API key',
		advice:
			"It needs an API key from the service's dashboard. Session tokens go in the 'Company Registry Session API' credential.",
	},
	companyRegistrySessionApi: {
		label: "the 'Company Registry Session API' credential",
		token: 'session token',
		advice:
			"It needs a current session token. API keys go in the 'Company Registry API' credential. Log in to the service again and paste the new token.",
	},
} as const;

const LONGEST_QUOTE = 300;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Puts a failed request into words: the one place that knows what a status means to a user.
 * Quotes the service's own message with whatever looks like a token or secret taken out.
 */
export function describeFailure(failed: FailedRequest): Words {
	const { status, body, reason = '', isStrange, secrets, credentialType } = failed;
	if (status === undefined) return noAnswer(withoutTokens(reason, secrets), credentialType);
	const { message, description } = isStrange
		? strangeAnswer(body, credentialType)
		: refusal(status, body, credentialType);
	return { message, description: description + quotation(body, secrets) };
}

/** What a token that was refused needs: which kind, and where the other kind belongs. */
export function tokenRefused(credentialType: CredentialTypeName): Words {
	const { label, token, advice } = CREDENTIALS[credentialType];
	return {
		message: `The registry service did not accept the ${token}`,
		description: `Check the ${token} and the 'Base URL' in ${label}. ${advice}`,
	};
}

function refusal(status: number, body: unknown, credentialType: CredentialTypeName): Words {
	const { label, token } = CREDENTIALS[credentialType];
	if (status >= 300 && status < 400) {
		return {
			message: 'The registry service redirects to another address',
			description: `Enter the final address, usually one that starts with https, as 'Base URL' in ${label}. Redirects are not followed, to keep the ${token} from other sites.`,
		};
	}
	if (status >= 500) {
		return {
			message: `The registry service could not process the request (HTTP ${status})`,
			description: "Try again in a few minutes. If this continues, contact the service's support.",
		};
	}
	switch (status) {
		case 401:
			return tokenRefused(credentialType);
		case 402:
			return {
				message: "The account's plan does not cover this request",
				description: "Check the plan and its limits in the service's dashboard.",
			};
		case 403:
			return {
				message: 'The account is not allowed to make this request',
				description: `Check in the service's dashboard what the account and its ${token} may do.`,
			};
		case 404:
			if (isHtml(body)) return strangeAnswer(body, credentialType);
			return {
				message: 'The registry service has nothing at this address',
				description: `Check the company number, webhook ID or path in this node, and the 'Base URL' in ${label}.`,
			};
		case 429:
			return {
				message: 'The registry service received too many requests',
				description: 'Wait a while, or send fewer requests at a time.',
			};
		default:
			return {
				message: `The registry service did not accept the request (HTTP ${status})`,
				description: "Check the values in this node's fields and try again.",
			};
	}
}

function strangeAnswer(body: unknown, credentialType: CredentialTypeName): Words {
	const { label } = CREDENTIALS[credentialType];
	return isHtml(body)
		? {
				message: 'The Base URL leads to a web page, not to the registry service',
				description: `Enter the address of the service's API as 'Base URL' in ${label}, not that of its website or dashboard.`,
			}
		: {
				message: 'Unexpected answer from the Base URL',
				description: `Check the 'Base URL' in ${label}. If it is right, the service may have changed: check for a newer version of this node.`,
			};
}

function noAnswer(reason: string, credentialType: CredentialTypeName): Words {
	const { label } = CREDENTIALS[credentialType];
	const detail = reason === '' ? '' : ` (${reason})`;
	const checkAddress = `Check the 'Base URL' in ${label} for typos, and that n8n can reach it${detail}.`;
	if (/ENOTFOUND|EAI_AGAIN/.test(reason)) {
		return { message: "The Base URL's host name was not found", description: checkAddress };
	}
	if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(reason)) {
		return { message: 'Nothing answers at the Base URL', description: checkAddress };
	}
	if (/TIMEDOUT|ECONNABORTED|ERR_CANCELED|timeout/i.test(reason)) {
		return {
			message: 'The registry service did not answer in time',
			description: `Try again in a few minutes${detail}. If this continues, check that n8n can reach the 'Base URL' in ${label}.`,
		};
	}
	if (CERTIFICATE.test(reason) || /SSL|TLS|EPROTO/i.test(reason)) {
		return {
			message: 'No secure connection to the registry service could be made',
			description: `Check that the 'Base URL' in ${label} starts with https and has a valid certificate${detail}.`,
		};
	}
	if (/ECONNRESET|EPIPE|ERR_BAD_RESPONSE|socket hang up|aborted/i.test(reason)) {
		return {
			message: 'The connection to the registry service closed before an answer arrived',
			description: `Try again${detail}.`,
		};
	}
	return { message: 'The registry service could not be reached', description: checkAddress };
}

export function isHtml(body: unknown): boolean {
	return typeof body === 'string' && /^\s*<(!doctype|html|head|body|\?xml)/i.test(body);
}

/** Whether an answer's body is the service's own error object. */
export function isServiceError(body: unknown): boolean {
	return errorBodySchema.safeParse(body).success;
}

/** The service's own words as a sentence, or nothing when the body is not its error object. */
function quotation(body: unknown, secrets: string[]): string {
	const parsed = errorBodySchema.safeParse(body);
	if (!parsed.success) return '';
	// n8n's editor takes angle brackets for markup and would leave out what is between them.
	const [message, error] = [parsed.data.message, parsed.data.error].map((text) =>
		withoutTokens(text, secrets).replace(/</g, '‹').replace(/>/g, '›'),
	);
	return ` The service said: "${message}" (${error}).`;
}

/** The values of a credential that must never be shown, whatever they look like. */
export function secretsOf({ apiKey, sessionToken }: ICredentialDataDecryptedObject): string[] {
	const values = [apiKey, sessionToken].map((value) => String(value ?? '').trim());
	return values.filter((value) => value !== '');
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
