import type { INodeProperties } from 'n8n-workflow';

import { companyNumberLocator } from '../shared/companyNumberLocator';
import type { Operation } from './run';
import { webhookIdField } from './webhook/fields';

/**
 * One resource field for both credentials. n8n's node panel lists the actions of each resource field, so
 * a second one for session tokens would list every action twice. A notice tells users of Account
 * operations that they need such a token.
 */
export const resourceProperties: INodeProperties[] = [
	{
		displayName: 'Authentication',
		name: 'authentication',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'API Key', value: 'apiKey', description: 'For companies and webhooks' },
			{
				name: 'Session Token',
				value: 'session',
				description: "Also for the account's usage and keys",
			},
		],
		default: 'apiKey',
		description: 'Choose API Key, except for Account operations',
	},
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Company',
				value: 'company',
				description: 'Companies in the register and their records',
			},
			{
				name: 'Company List',
				value: 'companyList',
				description: 'Lists of companies, such as your clients in a spreadsheet',
			},
			{ name: 'Webhook', value: 'webhook', description: "Send a company's events to a URL" },
			{ name: 'Account', value: 'account', description: "The account's own usage and API keys" },
		],
		default: 'company',
	},
];

/** The field in which a user chooses one of a resource's operations. */
export function operationField(
	operations: Operation[],
	defaultValue: string,
	show: Record<string, string[]>,
): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show },
		options: operations.map(({ option }) => option),
		default: defaultValue,
	};
}

/** The fields of all these operations, each shown for its own operation only. */
export function fieldsOf(resource: string, operations: Operation[]): INodeProperties[] {
	return operations.flatMap(({ option, takesCompany, takesWebhook, fields = [] }) => {
		const company = takesCompany ? [companyNumberLocator()] : [];
		const webhook = takesWebhook ? [webhookIdField] : [];
		return [...company, ...webhook, ...fields].map(({ displayOptions, ...field }) => {
			const show = { resource: [resource], operation: [option.value], ...displayOptions?.show };
			return { ...field, displayOptions: { ...displayOptions, show } };
		});
	});
}

/** How many results an operation returns at most. */
export const limitField: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
};
