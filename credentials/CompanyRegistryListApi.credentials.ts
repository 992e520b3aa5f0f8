import type { ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

import { authenticateLink, linkRules } from '../nodes/CompanyRegistry/lists/link';

/** The whole header is the secret, whatever it is called. */
const headerValueField: INodeProperties = {
	displayName: 'Header Value',
	name: 'headerValue',
	type: 'string',
	typeOptions: { password: true },
	default: '',
	placeholder: 'e.g. Bearer abc123',
	description: 'Sent only to the server in the link, even if that redirects to another',
};

export class CompanyRegistryListApi implements ICredentialType {
	name = 'companyRegistryListApi';

	displayName = 'Company Registry List API';

	icon = {
		light: 'file:../icons/companyRegistry.svg',
		dark: 'file:../icons/companyRegistry.dark.svg',
	} as const;

	documentationUrl =
		'https://github.com/company-registry-nodes/n8n-nodes-company-registry#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Link',
			name: 'url',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://example.com/clients.csv',
			description:
				'Address of your list: a CSV or text file, or a webhook that responds with rows. It must start with https, unless the list is on the machine of n8n itself.',
		},
		{
			displayName: 'Header Name',
			name: 'headerName',
			type: 'string',
			default: '',
			placeholder: 'e.g. Authorization',
			description: 'Leave empty if the list needs no header',
		},
		headerValueField,
	];

	authenticate = authenticateLink;

	test: ICredentialTestRequest = {
		request: { url: '={{ $credentials.url }}', disableFollowRedirect: true },
		rules: linkRules,
	};
}
