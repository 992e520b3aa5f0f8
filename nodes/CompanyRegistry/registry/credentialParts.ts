import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { baseUrlExpression, invalidBaseUrl, normaliseBaseUrl } from './baseUrl';
import { tokenRefused, type CredentialTypeName } from './failureWords';

/** What a web page or another service says to a path that it does not have. */
const NOTHING_THERE = 404;
const WRONG_ADDRESS =
	"The Base URL does not lead to the registry service. Enter the address of the service's API, not that of its website or dashboard.";

/** The first field of both credentials. */
export const baseUrlField: INodeProperties = {
	displayName: 'Base URL',
	name: 'baseUrl',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://api.example.com',
	description:
		"Address of the service's API, as its documentation gives it. A pasted /v1 or slash at the end is fine.",
};

/**
 * The request with the credential's token. Called by `authenticate` functions, not written as n8n's
 * generic kind: that is an expression, and n8n evaluates none once a life-cycle hook has returned, while
 * the trigger may still have requests to send.
 * @throws Error for a base URL that is refused, so that n8n's test of the credential sends no token there
 */
export function withBearer(
	{ baseUrl, apiKey, sessionToken }: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): IHttpRequestOptions {
	if (normaliseBaseUrl(baseUrl) === undefined) {
		const { message, description } = invalidBaseUrl(baseUrl);
		throw new Error(`${message}. ${description}`);
	}
	const token = String(apiKey ?? sessionToken).trim();
	return { ...options, headers: { ...options.headers, Authorization: `Bearer ${token}` } };
}

/**
 * n8n's test of a credential: one request to a route that its token is for. What it says in place of a
 * bare status is that the token was refused or the address is wrong; every successful answer of the
 * service has `data`, and a web page's or another service's has not.
 */
export function testRequest(route: string, credential: CredentialTypeName): ICredentialTestRequest {
	const { message, description } = tokenRefused(credential);
	const rules = [
		onStatus(401, `${message}. ${description}`),
		onStatus(403, `${message}. ${description}`),
		onStatus(NOTHING_THERE, WRONG_ADDRESS),
		{
			type: 'responseSuccessBody' as const,
			properties: { key: 'data', value: undefined, message: WRONG_ADDRESS },
		},
	];
	return {
		request: { baseURL: baseUrlExpression, url: route, json: true, disableFollowRedirect: true },
		// n8n reads a mixed list, though its type allows only lists of one kind.
		rules: rules as ICredentialTestRequest['rules'],
	};
}

function onStatus(status: number, message: string) {
	return { type: 'responseCode' as const, properties: { value: status, message } };
}
