import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { baseUrlExpression } from '../nodes/CompanyRegistry/shared/registry/baseUrl';
import { credentialTestRules } from '../nodes/CompanyRegistry/shared/registry/credentialTestRules';

export class CompanyRegistrySessionApi implements ICredentialType {
	name = 'companyRegistrySessionApi';

	displayName = 'Company Registry Session API';

	icon = {
		light: 'file:../icons/companyRegistry.svg',
		dark: 'file:../icons/companyRegistry.dark.svg',
	} as const;

	documentationUrl =
		'https://github.com/company-registry-nodes/n8n-nodes-company-registry#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description:
				"Address of the service's API, as its documentation gives it. A pasted /v1 or slash at the end does no harm.",
		},
		{
			displayName: 'Session Token',
			name: 'sessionToken',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'Paste the token',
			description:
				'The token that the service returns when you sign up or log in: three parts with dots between them. Needed for usage and keys, and accepted everywhere else.',
		},
	];

	/**
	 * A function, not n8n's generic kind: that is an expression, and n8n evaluates none any more once a
	 * life-cycle hook has returned, while the trigger may still have requests to send.
	 */
	async authenticate(
		{ sessionToken }: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const headers = { ...options.headers, Authorization: `Bearer ${String(sessionToken).trim()}` };
		return { ...options, headers };
	}

	test: ICredentialTestRequest = {
		request: {
			baseURL: baseUrlExpression,
			url: '/v1/usage',
			json: true,
			disableFollowRedirect: true,
		},
		rules: credentialTestRules('companyRegistrySessionApi'),
	};
}
