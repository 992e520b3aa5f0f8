import { NodeApiError, type INode } from 'n8n-workflow';

import { CERTIFICATE, describeFailure, type CredentialTypeName, type Failure } from './failures';
import { isServiceError, withoutTokens } from './quotation';

/** Failures before any connection: nothing was sent, so even a POST can be repeated. */
const NEVER_SENT = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
]);

/**
 * Why a request to the service failed.
 * Holds no token and no secret: it may be shown and logged.
 */
export class RegistryFailure extends Error {
	readonly description: string;
	readonly httpCode: string;
	/** HTTP status, when the service answered. */
	readonly status: number | undefined;
	/** The connection's fault, such as `ECONNREFUSED`, when there was no answer. */
	readonly reason: string | undefined;
	/** How long the service asked to wait before the next attempt, in milliseconds. */
	readonly retryAfter: number | undefined;
	/** True when the service may have created something although its answer was lost. */
	readonly mayBeDone: boolean;
	/** Whether the answer was the service's own error object, and not that of a proxy on the way. */
	readonly isServiceError: boolean;
	/** True when the service may have carried the request out, at this attempt or at one before. */
	isUnclear: boolean;
	/** Set where there was no time left to send the request again. */
	isOutOfTime = false;

	constructor(
		credentialType: CredentialTypeName,
		readonly method: string,
		failure: Failure & { retryAfter?: number },
	) {
		const words = describeFailure(failure, credentialType);
		super(words.message);
		this.description = words.description;
		this.httpCode = words.httpCode;
		this.status = failure.status;
		this.reason = failure.reason && withoutTokens(failure.reason, failure.secrets ?? []);
		this.retryAfter = failure.retryAfter;
		this.isServiceError = isServiceError(failure.body);
		this.isUnclear = mayBeCarriedOut(failure);
		this.mayBeDone = method === 'POST' && this.isUnclear;
	}

	/** The same as an error that n8n shows to the user; with an item it is that of an action. */
	toNodeError(node: INode, itemIndex?: number): NodeApiError {
		return new NodeApiError(
			node,
			{ message: this.message },
			{
				message: this.message,
				description: this.description + (itemIndex === undefined ? '' : this.onRepeating()),
				httpCode: this.httpCode,
				...(itemIndex === undefined ? {} : { itemIndex }),
			},
		);
	}

	/** n8n's 'Retry On Fail' runs all items of a node again, also those that have created something. */
	private onRepeating(): string {
		if (this.mayBeDone) {
			return ' The service may still have carried out the request. Check before retrying.';
		}
		const passes = this.status === 429 || (this.status ?? 0) >= 500;
		return passes && this.method !== 'POST'
			? " To have n8n try again, turn on 'Retry On Fail' in this node's settings."
			: '';
	}
}

/** Whether the service may have carried out a request, although it came to nothing here. */
function mayBeCarriedOut({ status, reason = '', understood }: Failure): boolean {
	if (status === undefined) return !NEVER_SENT.has(reason) && !CERTIFICATE.test(reason);
	return understood === false || (status >= 500 && status !== 503);
}
