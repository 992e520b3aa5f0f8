import type {
	ICredentialTestRequest,
	IDataObject,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { baseUrlExpression } from './baseUrl';
import { describeFailure, type CredentialTypeName } from './failures';

const REDIRECTS = [301, 302, 303, 307, 308];
const REFUSALS = [401, 402, 403];
/** What another website or service, or the wrong part of this one, is likely to answer. */
const WRONG_ADDRESS = [400, 404, 405, 406, 410];
const PASSING = [429, 500, 502, 503, 504];

const ENTER_ADDRESS =
	"Enter the address of the service's API, not that of its website or dashboard.";

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
 */
export function withBearer(token: unknown, options: IHttpRequestOptions): IHttpRequestOptions {
	const headers: IDataObject = {
		...options.headers,
		Authorization: `Bearer ${String(token).trim()}`,
	};
	return { ...options, headers };
}

/** n8n's test of a credential: one request to a route that its token is for. */
export function testRequest(route: string, credential: CredentialTypeName): ICredentialTestRequest {
	return {
		request: { baseURL: baseUrlExpression, url: route, json: true, disableFollowRedirect: true },
		rules: testRules(credential),
	};
}

/**
 * What n8n's credential test says to a user in place of a bare status. Every successful answer
 * of the service has `data`; a web page or another service's answer has not.
 */
function testRules(credential: CredentialTypeName): ICredentialTestRequest['rules'] {
	const rules = [
		...[...REDIRECTS, ...REFUSALS].map((status) => {
			const { message, description } = describeFailure({ status }, credential);
			return onStatus(status, `${message}. ${description}`);
		}),
		...WRONG_ADDRESS.map((status) =>
			onStatus(status, `The Base URL does not lead to the registry service. ${ENTER_ADDRESS}`),
		),
		...PASSING.map((status) =>
			onStatus(
				status,
				`The registry service is temporarily unavailable (HTTP ${status}). The credential may be right: try again in a few minutes.`,
			),
		),
		{
			type: 'responseSuccessBody' as const,
			properties: {
				key: 'data',
				value: undefined,
				message: `The Base URL leads to something other than the registry service. ${ENTER_ADDRESS}`,
			},
		},
	];
	// n8n reads a mixed list, though its type allows only lists of one kind.
	return rules as ICredentialTestRequest['rules'];
}

function onStatus(status: number, message: string) {
	return { type: 'responseCode' as const, properties: { value: status, message } };
}
