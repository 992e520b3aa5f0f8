import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { companyNumberLocator } from '../shared/companyNumberLocator';
import type { Operation } from './run';

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
				name: 'Webhook',
				value: 'webhook',
				description: "Send a company's events to a URL",
			},
			{
				name: 'Account',
				value: 'account',
				description: "The account's own usage and API keys",
			},
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

/** The field of all operations that have a company number. */
export const companyNumberField = companyNumberLocator({
	displayOptions: {
		show: { resource: ['company', 'webhook'], operation: ['getRecord', 'create'] },
	},
});

/** How many results an operation returns at most. */
export function limitField(show: NonNullable<IDisplayOptions['show']>): INodeProperties {
	return {
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show },
	};
}
