import { compact } from 'lodash';
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { describeFailure, type CredentialTypeName } from './describeFailure';
import type { RecordName } from './servicePaths';

const LOOPBACK = /^((.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::(1|ffff:7f[\da-f]{2}:[\da-f]+)\])$/;
/** One text, because n8n shows only the message of a publish that fails. */
export const INVALID_BASE_URL =
	"The credential's 'Base URL' is not an https address. Open the credential and enter the address of the service's API from its documentation, for example https://api.example.com. Over http, others could read the key.";
const WRONG_ADDRESS =
	"The Base URL does not lead to the registry service. Enter the address of the service's API, not that of its website or dashboard.";

export function isLoopback(hostname: string): boolean {
	return LOOPBACK.test(hostname);
}

/** The address if a request may go there: https, or http to this machine. */
export function allowedAddress(text: string, base?: string): URL | undefined {
	const address = URL.canParse(text, base) ? new URL(text, base) : undefined;
	const isLocal = address?.protocol === 'http:' && isLoopback(address.hostname);
	return isLocal || address?.protocol === 'https:' ? address : undefined;
}

export const baseUrlField: INodeProperties = {
	displayName: 'Base URL',
	name: 'baseUrl',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://api.example.com',
	description:
		"Address of the service's API, from its documentation. A trailing slash or /v1 is fine.",
};

/** Where users enter the paths of records, because the code does not know them. */
export const recordPathFields: INodeProperties[] = [
	{
		displayName: 'Record Paths',
		name: 'recordPaths',
		type: 'boolean',
		default: false,
		description:
			'Whether to enter the paths of the records that Get, Get Filings, Get Officers and Get PSCs read',
	},
	recordPathField('company', 'Company Path'),
	recordPathField('officers', 'Officers Path'),
	recordPathField('pscs', 'PSCs Path'),
	recordPathField('filings', 'Filings Path'),
];

function recordPathField(record: RecordName, displayName: string): INodeProperties {
	return {
		displayName,
		name: `${record}Path`,
		type: 'string',
		default: '',
		placeholder: 'e.g. /v1/…/{company_number}/…',
		displayOptions: { show: { recordPaths: [true] } },
		description:
			"The part of the record's address after the Base URL. Copy it from the service's reference, with {company_number} in place of the number.",
	};
}

/**
 * The service's address without a trailing slash or `/v1`; undefined unless it is an https address (http for a
 * loopback host) without a user name, password, query or fragment.
 */
export function normaliseBaseUrl(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	const address = allowedAddress(text);
	if (!address || !/^https?:\/\/[^/\s?#\\@][^\s?#\\@]*$/i.test(text)) return undefined;
	const segments = compact(address.pathname.split('/'));
	while (segments.at(-1) === 'v1') segments.pop();
	return [address.origin, ...segments].join('/');
}

export function tokenOf({ apiKey, sessionToken }: ICredentialDataDecryptedObject): string {
	return String(apiKey ?? sessionToken ?? '').trim();
}

/**
 * Adds the credential's token to a request. It is a function because n8n evaluates no expressions after a
 * life-cycle hook has returned, and the trigger still sends requests then.
 * @throws Error for an invalid base URL, so that n8n's credential test sends no token there
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
		// Only n8n's credential test sets it, to what the user entered.
		...(options.baseURL === undefined ? {} : { baseURL }),
		headers: { ...options.headers, Authorization },
	};
}

/** Words that n8n's test of a credential shows instead of a bare status. */
export function onStatus(statuses: number[], message: string) {
	return statuses.map(
		(value) => ({ type: 'responseCode', properties: { value, message } }) as const,
	);
}

/** One GET to a route that accepts this token. An answer without `data` comes from another service. */
export function testRequest(
	url: string,
	credentialType: CredentialTypeName,
): ICredentialTestRequest {
	const refused = { method: 'GET', credentialType, token: '', status: 401 };
	const { message, nextStep } = describeFailure(refused);
	const rules = [
		...onStatus([401, 403], `${message}. ${nextStep}`),
		// A web page or another service does not have the path.
		...onStatus([404], WRONG_ADDRESS),
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
		// n8n accepts rules of both kinds in one list; its type does not.
		rules: rules as ICredentialTestRequest['rules'],
	};
}
