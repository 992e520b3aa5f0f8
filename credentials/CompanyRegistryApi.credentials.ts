import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import {
	baseUrlField,
	testRequest,
	withBearer,
} from '../nodes/CompanyRegistry/registry/credentialParts';

export class CompanyRegistryApi implements ICredentialType {
	name = 'companyRegistryApi';

	displayName = 'Company Registry API';

	icon = {
		light: 'file:../icons/companyRegistry.svg',
		dark: 'file:../icons/companyRegistry.dark.svg',
	} as const;

	documentationUrl =
		'https://github.com/company-registry-nodes/n8n-nodes-company-registry#connect-your-account';

	properties: INodeProperties[] = [
		baseUrlField,
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

	async authenticate(
		credential: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		return withBearer(credential, options);
	}

	test: ICredentialTestRequest = testRequest('/v1/webhooks', 'companyRegistryApi');
}
