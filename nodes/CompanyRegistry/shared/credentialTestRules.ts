import type { ICredentialTestRequest } from 'n8n-workflow';

import { describeFailure, type CredentialTypeName } from './failures';

/** Statuses that a wrong token or a wrong address is likely to meet. */
const STATUSES = [301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 429, 500, 502, 503, 504];

/**
 * What n8n's credential test says to a user in place of a bare status. Every successful answer
 * of the service has `data`; a web page or another service's answer has not.
 */
export function credentialTestRules(credential: CredentialTypeName): ICredentialTestRequest['rules'] {
	const rules = [
		...STATUSES.map((status) => ({
			type: 'responseCode' as const,
			properties: { value: status, message: inOneLine(describeFailure({ status }, credential)) },
		})),
		{
			type: 'responseSuccessBody' as const,
			properties: {
				key: 'data',
				value: undefined,
				message:
					"The Base URL leads to something other than the registry service. Enter the address of the service's API, not that of its website or dashboard.",
			},
		},
	];
	// n8n reads a mixed list, though its type allows only lists of one kind.
	return rules as ICredentialTestRequest['rules'];
}

function inOneLine({ message, description }: { message: string; description: string }): string {
	return `${message}. ${description}`;
}
