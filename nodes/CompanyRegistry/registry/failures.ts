import { quotation, withoutTokens } from './quotation';

export type CredentialTypeName = 'companyRegistryApi' | 'companyRegistrySessionApi';

/** What is known of a request that failed. */
export interface Failure {
	/** HTTP status of the answer; none when no answer arrived. */
	status?: number;
	/** The answer's body, parsed if it was JSON. */
	body?: unknown;
	/** Why no answer arrived: a code such as `ETIMEDOUT`, or a sentence. */
	reason?: string;
	/** False when a successful answer did not have the shape that the service is known for. */
	understood?: boolean;
	/** The credential's own values, which the words must not repeat. */
	secrets?: string[];
}

/** Words for the user: what happened, and what to do next. */
interface Words {
	message: string;
	description: string;
}

/** `httpCode` is the HTTP status as text, or `none` when there was no answer. */
export type FailureWords = Words & { httpCode: string };

const CREDENTIALS = {
	companyRegistryApi: { label: "the 'Company Registry API' credential", token: 'API key' },
	companyRegistrySessionApi: {
		label: "the 'Company Registry Session API' credential",
		token: 'session token',
	},
} as const;

/** Error codes of an untrusted certificate. The request was not sent then. */
export const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/i;

/** As in `ECONNREFUSED`, and unlike an HTTP status. */
const CONNECTION_CODE = /^[A-Z][A-Z_]+$/;

/**
 * Puts a failed request into words: the one place that knows what a status means to a user.
 * Quotes the service's own message with whatever looks like a token or secret taken out.
 */
export function describeFailure(failure: Failure, credential: CredentialTypeName): FailureWords {
	const { status, body, reason = '', understood, secrets = [] } = failure;
	if (status === undefined) {
		return { ...noAnswer(withoutTokens(reason, secrets), credential), httpCode: 'none' };
	}
	const { message, description } =
		understood === false ? notUnderstood(body, credential) : refusal(status, body, credential);
	return { message, description: description + quotation(body, secrets), httpCode: String(status) };
}

/** The words of whatever was thrown. */
export function messageOf(reason: unknown): string {
	return reason instanceof Error ? reason.message : String(reason);
}

/** Why a request failed without an answer: the code of the connection's fault, or its words. */
export function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return '';
	const { cause, message } = error;
	if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string')
		return cause.code;
	// n8n 1.x drops the cause. It keeps the code where otherwise the HTTP status is.
	const { httpCode } = error as { httpCode?: unknown };
	return typeof httpCode === 'string' && CONNECTION_CODE.test(httpCode) ? httpCode : message;
}

function refusal(status: number, body: unknown, credential: CredentialTypeName): Words {
	const { label, token } = CREDENTIALS[credential];
	if (status >= 300 && status < 400) {
		return {
			message: 'The registry service redirects to another address',
			description: `Enter the final address, usually one that starts with https, as 'Base URL' in ${label}. Redirects are not followed, to keep the ${token} from other sites.`,
		};
	}
	if (status === 404 && looksLikeHtml(body)) return notUnderstood(body, credential);
	if (status >= 500) {
		return {
			message: `The registry service could not process the request (HTTP ${status})`,
			description: "Try again in a few minutes. If this continues, contact the service's support.",
		};
	}
	switch (status) {
		case 401:
			return unauthorised(credential);
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

function unauthorised(credential: CredentialTypeName): Words {
	const { label, token } = CREDENTIALS[credential];
	const advice =
		credential === 'companyRegistryApi'
			? "It needs an API key from the service's dashboard. Session tokens go in the 'Company Registry Session API' credential."
			: "It needs a current session token. API keys go in the 'Company Registry API' credential. Log in to the service again and paste the new token.";
	return {
		message: `The registry service did not accept the ${token}`,
		description: `Check the ${token} and the 'Base URL' in ${label}. ${advice}`,
	};
}

function notUnderstood(body: unknown, credential: CredentialTypeName): Words {
	const { label } = CREDENTIALS[credential];
	return looksLikeHtml(body)
		? {
				message: 'The Base URL leads to a web page, not to the registry service',
				description: `Enter the address of the service's API as 'Base URL' in ${label}, not that of its website or dashboard.`,
			}
		: {
				message: 'Unexpected answer from the Base URL',
				description: `Check the 'Base URL' in ${label}. If it is right, the service may have changed: check for a newer version of this node.`,
			};
}

function noAnswer(reason: string, credential: CredentialTypeName): Words {
	const { label } = CREDENTIALS[credential];
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

function looksLikeHtml(body: unknown): boolean {
	return typeof body === 'string' && /^\s*<(!doctype|html|head|body|\?xml)/i.test(body);
}
