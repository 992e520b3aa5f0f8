import type { ICredentialTestRequest } from 'n8n-workflow';

import { describeFailure, type CredentialTypeName } from './failures';

const REDIRECTS = [301, 302, 303, 307, 308];
const REFUSALS = [401, 402, 403];
/** What another website or service, or the wrong part of this one, is likely to answer. */
const WRONG_ADDRESS = [400, 404, 405, 406, 410];
const PASSING = [429, 500, 502, 503, 504];

const ENTER_ADDRESS =
	"Enter the address of the service's API, not that of its website or dashboard.";

/**
 * What n8n's credential test says to a user in place of a bare status. Every successful answer
 * of the service has `data`; a web page or another service's answer has not.
 */
export function credentialTestRules(
	credential: CredentialTypeName,
): ICredentialTestRequest['rules'] {
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
				`The registry service is there but cannot answer now (HTTP ${status}). The credential may be right: try again in a few minutes.`,
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
