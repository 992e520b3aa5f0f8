import { NodeApiError, type INode } from 'n8n-workflow';

import { describeFailure, type CredentialTypeName } from './failures';

/**
 * Why a request to the service came to nothing.
 * Holds no token and no secret: it may be shown and logged.
 */
export class RegistryFailure extends Error {
	readonly description: string;
	readonly httpCode: string;
	/** The connection's fault, such as `ECONNREFUSED`, when there was no answer. */
	readonly reason: string | undefined;

	constructor(
		credentialType: CredentialTypeName,
		/** HTTP status, when the service answered. */
		readonly status: number | undefined,
		details: { body?: unknown; reason?: string; understood?: boolean },
		/** True when the service may have carried the request out although its answer was lost. */
		readonly answerLost: boolean,
	) {
		const words = describeFailure({ status, ...details }, credentialType);
		super(words.message);
		this.description = words.description;
		this.httpCode = words.httpCode;
		this.reason = details.reason;
	}

	/** The same as an error that n8n shows to the user. */
	toNodeError(node: INode, itemIndex?: number): NodeApiError {
		return new NodeApiError(
			node,
			{ message: this.message },
			{
				message: this.message,
				description: this.description,
				httpCode: this.httpCode,
				...(itemIndex === undefined ? {} : { itemIndex }),
			},
		);
	}
}
