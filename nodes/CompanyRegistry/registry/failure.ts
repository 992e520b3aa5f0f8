import { get } from 'lodash';
import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import {
	CERTIFICATE,
	describeFailure,
	quoteService,
	readServiceError,
	redact,
	type FailedRequest,
	type ServiceError,
} from './describeFailure';

/** Error codes of a connection that was never made. */
const NO_CONNECTION = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** A failed request to the service. It holds no token or secret, so it may be shown and logged. */
export class RegistryFailure extends Error {
	/**
	 * notSent: nothing reached the service. later: the service asks for another attempt later. refused: any
	 * other definite answer. unclear: the service may have carried out the request.
	 */
	readonly kind: 'notSent' | 'later' | 'refused' | 'unclear';
	/** Whether the same may succeed later. */
	readonly isTemporary: boolean;
	readonly method: string;
	readonly status?: number;
	/** Error code or text if no answer arrived, such as `ECONNREFUSED`. */
	readonly reason: string;
	/** Time from the Retry-After header, in milliseconds. */
	readonly retryAfter?: number;
	/** The service's error object without the token; undefined for a proxy's answer. */
	readonly serviceError?: ServiceError;
	/** The next step for the user, and the quotation. */
	readonly description: string;
	/** The service's words as a sentence; empty if it gave none. */
	readonly quotation: string;

	constructor(failed: FailedRequest) {
		const reason = redact(failed.reason ?? '', failed.token);
		const { message, nextStep } = describeFailure({ ...failed, reason });
		super(message);

		this.serviceError = readServiceError(failed.body, failed.token);
		this.quotation = quoteService(this.serviceError);
		this.description = `${nextStep} ${this.quotation}`.trim();
		this.kind = failureKind(failed);
		this.isTemporary = this.kind !== 'refused';
		this.method = failed.method;
		this.status = failed.status;
		this.reason = reason;
		this.retryAfter = failed.retryAfter;
	}
}

/** Statuses of a refusal that asks for another attempt: too early, too many requests, unavailable. */
const LATER = new Set([425, 429, 503]);
/** A gateway answers so, too, where the service itself took too long. */
const TIMED_OUT = 408;

function failureKind({
	status,
	reason = '',
	isUnexpected,
}: FailedRequest): RegistryFailure['kind'] {
	if (status === undefined) {
		return NO_CONNECTION.test(reason) || CERTIFICATE.test(reason) ? 'notSent' : 'unclear';
	}
	if (isUnexpected) return 'unclear';
	if (LATER.has(status)) return 'later';
	return status >= 500 || status === TIMED_OUT ? 'unclear' : 'refused';
}

/** Statuses with which the service refuses one company or webhook. Others concern the account. */
const OF_ONE_COMPANY = new Set([400, 404, 409, 410, 422]);

/** Whether the service refused one company or webhook, and not the account. */
export function isOfOneCompany(reason: unknown): boolean {
	return reason instanceof RegistryFailure && OF_ONE_COMPANY.has(reason.status ?? 0);
}

/** Whether the service may have carried out the request. */
export function isUnclear(reason: unknown): boolean {
	return reason instanceof RegistryFailure && reason.kind === 'unclear';
}

/** Whether the service itself says that there is no such webhook. The error page of a proxy does not. */
export function isGone(reason: unknown): boolean {
	if (!(reason instanceof RegistryFailure) || reason.serviceError === undefined) return false;
	return reason.status === 404 || reason.status === 410;
}

/** @param itemIndex the item of an action, undefined elsewhere */
export function toNodeError(
	node: INode,
	reason: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	if (reason instanceof NodeOperationError) return reason;
	if (!(reason instanceof RegistryFailure)) {
		return new NodeOperationError(node, reason instanceof Error ? reason : String(reason), {
			itemIndex,
		});
	}

	const { message, method, kind, status } = reason;
	const httpCode = String(status ?? 'none');
	// A user who runs the node again may create a second webhook.
	const warning =
		method === 'POST' && kind === 'unclear'
			? ' The service may still have carried out the request. Check before retrying.'
			: '';
	const description = reason.description + warning;

	return new NodeApiError(node, { message }, { message, description, httpCode, itemIndex });
}

export function messageOf(reason: unknown): string {
	return reason instanceof Error ? reason.message : String(reason);
}

/** Why no answer arrived: the connection's error code, or else the error's message. */
export function reasonOf(error: unknown): string {
	return String(get(error, 'cause.code') ?? get(error, 'message', ''));
}
