import type { ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

import {
	authenticate,
	baseUrlField,
	recordPathFields,
	testRequest,
} from '../nodes/CompanyRegistry/registry/credential';

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
				"To get a key, log in to the service's dashboard and open its API keys. A key works for companies and webhooks; account usage and keys need a session token.",
		},
		...recordPathFields,
	];

	authenticate = authenticate;

	test: ICredentialTestRequest = testRequest('/v1/webhooks', 'companyRegistryApi');
}
