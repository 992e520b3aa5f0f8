import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { describeFailure, tokenOf, type CredentialTypeName } from './failureWords';

/** A host on which n8n itself runs: what is sent there leaves no machine. */
const LOOPBACK = /^((.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::(1|ffff:7f[\da-f]{2}:[\da-f]+)\])$/;
/** What to tell a user whose base URL is refused. When a publish fails, n8n shows the message and nothing else. */
export const INVALID_BASE_URL =
	"The credential's 'Base URL' is not an https address. Open the credential and enter the address of the service's API as its provider gives it, for example https://api.example.com. Over http, others could read the key.";
const WRONG_ADDRESS =
	"The Base URL does not lead to the registry service. Enter the address of the service's API, not that of its website or dashboard.";

/** Whether a URL's host is the machine itself. */
export function isLoopback(hostname: string): boolean {
	return LOOPBACK.test(hostname);
}

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
 * The service's address as requests need it: no trailing slash and no `/v1`, which every route
 * adds itself. A path prefix is kept.
 *
 * Returns undefined unless the value is an https address without a user name, password, query or
 * fragment. For a loopback host it may be http.
 */
export function normaliseBaseUrl(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	if (!/^https?:\/\/[^/\s?#\\@][^\s?#\\@]*$/i.test(text) || !URL.canParse(text)) return undefined;
	const { protocol, hostname, origin, pathname } = new URL(text);
	if (protocol === 'http:' && !isLoopback(hostname)) return undefined;
	const segments = pathname.split('/').filter((segment) => segment !== '');
	while (segments.at(-1) === 'v1') segments.pop();
	return [origin, ...segments].join('/');
}

/**
 * The request with the credential's token. Written as a function, not as n8n's generic kind: that is an
 * expression, and n8n evaluates none once a life-cycle hook has returned, while the trigger may still have
 * requests to send.
 * @throws Error for a base URL that is refused, so that n8n's test of the credential sends no token there
 */
export async function authenticate(
	credential: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const baseURL = normaliseBaseUrl(credential.baseUrl);
	if (baseURL === undefined) throw new Error(INVALID_BASE_URL);
	const Authorization = `Bearer ${tokenOf(credential)}`;
	return {
		...options,
		// As the user entered it, in n8n's test of the credential; others send to whole addresses.
		...(options.baseURL === undefined ? {} : { baseURL }),
		headers: { ...options.headers, Authorization },
	};
}

/**
 * n8n's test of a credential: one request to a route that its token is for. What it says in place of a
 * bare status is that the token was refused or the address is wrong; every successful answer of the
 * service has `data`, and a web page's or another service's has not.
 */
export function testRequest(
	url: string,
	credentialType: CredentialTypeName,
): ICredentialTestRequest {
	const refused = { method: 'GET', credentialType, token: '', status: 401 };
	const { message, description } = describeFailure(refused);
	const onStatus = (value: number, words: string) =>
		({ type: 'responseCode', properties: { value, message: words } }) as const;
	const rules = [
		onStatus(401, `${message}. ${description}`),
		onStatus(403, `${message}. ${description}`),
		// What a web page or another service says to a path that it does not have.
		onStatus(404, WRONG_ADDRESS),
		{
			type: 'responseSuccessBody',
			properties: { key: 'data', value: undefined, message: WRONG_ADDRESS },
		},
	];
	return {
		request: {
			baseURL: '={{ $credentials.baseUrl }}',
			url,
			json: true,
			disableFollowRedirect: true,
		},
		// n8n reads a mixed list, though its type allows only lists of one kind.
		rules: rules as ICredentialTestRequest['rules'],
	};
}
