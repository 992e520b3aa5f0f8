import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { baseUrlExpression } from '../nodes/CompanyRegistry/shared/registry/baseUrl';
import { credentialTestRules } from '../nodes/CompanyRegistry/shared/registry/credentialTestRules';

export class CompanyRegistryApi implements ICredentialType {
	name = 'companyRegistryApi';

	displayName = 'Company Registry API';

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
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'Paste the key',
			description:
				"A key from the service's dashboard. It works for companies and webhooks, but not for the account's usage and keys.",
		},
	];

	/**
	 * A function, not n8n's generic kind: that is an expression, and n8n evaluates none any more once a
	 * life-cycle hook has returned, while the trigger may still have requests to send.
	 */
	async authenticate(
		{ apiKey }: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const headers = { ...options.headers, Authorization: `Bearer ${String(apiKey).trim()}` };
		return { ...options, headers };
	}

	test: ICredentialTestRequest = {
		request: {
			baseURL: baseUrlExpression,
			url: '/v1/webhooks',
			json: true,
			disableFollowRedirect: true,
		},
		rules: credentialTestRules('companyRegistryApi'),
	};
}
