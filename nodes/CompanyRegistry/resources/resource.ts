import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

const company: INodePropertyOptions = {
	name: 'Company',
	value: 'company',
	description: 'Companies in the register and their records',
};

const webhook: INodePropertyOptions = {
	name: 'Webhook',
	value: 'webhook',
	description: 'Deliveries of the events of a company to an address',
};

const account: INodePropertyOptions = {
	name: 'Account',
	value: 'account',
	description: "The account's own usage and API keys",
};

/** The account's own routes accept a session token only, so an API key is not offered for them. */
export const resourceProperties: INodeProperties[] = [
	{
		displayName: 'Authentication',
		name: 'authentication',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'API Key',
				value: 'apiKey',
				description: 'For companies and webhooks',
			},
			{
				name: 'Session Token',
				value: 'session',
				description: "Also for the account's usage and keys",
			},
		],
		default: 'apiKey',
		description: 'Which token to send. The account resource appears with a session token only.',
	},
	resourceProperty('apiKey', [company, webhook]),
	resourceProperty('session', [account, company, webhook]),
];

function resourceProperty(
	authentication: string,
	options: INodePropertyOptions[],
): INodeProperties {
	return {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { authentication: [authentication] } },
		options,
		default: 'company',
	};
}
