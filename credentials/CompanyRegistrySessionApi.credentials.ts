import type { ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

import {
	authenticate,
	baseUrlField,
	recordPathFields,
	testRequest,
} from '../nodes/CompanyRegistry/registry/credential';

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
		baseUrlField,
		{
			displayName: 'Session Token',
			name: 'sessionToken',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'Paste the token',
			description:
				'The token that the service returns when you sign up or log in: three parts separated by dots. It works for all operations of Company Registry. The trigger needs an API key.',
		},
		...recordPathFields,
	];

	authenticate = authenticate;

	test: ICredentialTestRequest = testRequest('/v1/usage', 'companyRegistrySessionApi');
}
