import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { CERTIFICATE, describeFailure, withoutTokens, type FailedRequest } from './failureWords';
import { errorBodySchema } from './schemas';

/** Failures before any connection. */
const NO_CONNECTION = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
/** Node 24 has this behind its words for a certificate; who reads n8n's messages does not start Node. */
const ADVICE_OF_NODE = /; if the root CA is .*$/;

/**
 * Why a request to the service failed.
 * Holds no token and no secret: it may be shown and logged.
 */
export class RegistryFailure extends Error {
	/**
	 * What became of the request. notSent: nothing reached the service. later: the service asked to be sent it
	 * again later. refused: any other definite answer. unclear: no answer, or one that does not say what was
	 * done, so that the request may have been carried out.
	 */
	readonly kind: 'notSent' | 'later' | 'refused' | 'unclear';
	readonly method: string;
	/** HTTP status, when the service answered. */
	readonly status?: number;
	/** The connection's fault, such as `ECONNREFUSED`, when there was no answer. */
	readonly reason: string;
	/** How long the service asked to wait before the next attempt, in milliseconds. */
	readonly retryAfter?: number;
	/** Whether the answer was the service's own error object, and not that of a proxy on the way. */
	readonly isServiceError: boolean;
	/** The code in that object, such as `unauthorized`. */
	readonly code?: string;
	/** What to do next. Who knows more of the request may add to it. */
	description: string;
	/** The HTTP status as text, or `none` when there was no answer. */
	readonly httpCode: string;

	constructor(failed: FailedRequest) {
		const { message, description } = describeFailure(failed);
		super(message);
		this.description = description;
		this.kind = kindOf(failed);
		this.method = failed.method;
		this.status = failed.status;
		this.reason = withoutTokens(failed.reason ?? '', failed.token);
		this.retryAfter = failed.retryAfter;
		const said = errorBodySchema.safeParse(failed.body);
		this.isServiceError = said.success;
		this.code = said.data?.error;
		this.httpCode = String(failed.status ?? 'none');
	}
}

function kindOf({ status, reason = '', isStrange }: FailedRequest): RegistryFailure['kind'] {
	if (status === undefined) {
		return NO_CONNECTION.test(reason) || CERTIFICATE.test(reason) ? 'notSent' : 'unclear';
	}
	if (isStrange) return 'unclear';
	if (status === 429 || status === 503) return 'later';
	return status >= 500 ? 'unclear' : 'refused';
}

/** Whatever was thrown as an error that n8n shows to the user; with an item it is that of an action. */
export function toNodeError(
	node: INode,
	reason: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	if (reason instanceof NodeOperationError) return reason;
	const onItem = itemIndex === undefined ? {} : { itemIndex };
	if (!(reason instanceof RegistryFailure)) {
		return new NodeOperationError(node, reason instanceof Error ? reason : String(reason), onItem);
	}
	const { message, httpCode } = reason;
	const description = reason.description + (itemIndex === undefined ? '' : onRepeating(reason));
	return new NodeApiError(node, { message }, { message, description, httpCode, ...onItem });
}

/** n8n's 'Retry On Fail' runs all items of a node again, also those that have created something. */
function onRepeating({ kind, method }: RegistryFailure): string {
	return method === 'POST' && kind === 'unclear'
		? ' The service may still have carried out the request. Check before retrying.'
		: '';
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
	return message.replace(ADVICE_OF_NODE, '');
}
