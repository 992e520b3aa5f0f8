import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { headerFor, INVALID_LINK, linkOf } from './link';

/**
 * The request with the credential's header, for n8n's test of the credential. A function, because n8n evaluates
 * no expression once a hook has returned.
 * @throws Error for a link that is refused, so that no header goes there
 */
export async function authenticateLink(
	credential: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const link = linkOf(credential);
	if (link === undefined) throw new Error(INVALID_LINK);
	const headers = { ...options.headers, ...headerFor(credential, link) };
	return { ...options, url: link.href, headers };
}

const onStatus = (statuses: number[], message: string) =>
	statuses.map((value) => ({ type: 'responseCode', properties: { value, message } }) as const);

/** What n8n's test says instead of a bare status. */
export const linkRules: ICredentialTestRequest['rules'] = [
	...onStatus(
		[301, 302, 303, 307, 308],
		"The link redirects. This test follows no redirect, but the trigger does: check the list with 'Execute step'.",
	),
	...onStatus([401, 403], 'The link refuses the header. Check its name and value.'),
	...onStatus([404, 410], 'The link leads to nothing. Check it for typos.'),
];
