import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from './run';

/** Both credentials share this field: n8n's panel lists every action once for each such field. */
export const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Company',
			value: 'company',
			description: 'Search companies and read their records',
		},
		{
			name: 'Company List',
			value: 'companyList',
			description: 'Work with a list of companies, such as your clients in a spreadsheet',
		},
		{ name: 'Webhook', value: 'webhook', description: "Manage the account's webhooks" },
		{
			name: 'Account',
			value: 'account',
			description: "The account's usage and API keys, with a session token",
		},
	],
	default: 'company',
};

/** Comes after all other fields, because the default suits most users. */
export const authenticationField: INodeProperties = {
	displayName: 'Authentication',
	name: 'authentication',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'API Key', value: 'apiKey', description: "From the service's dashboard" },
		{
			name: 'Session Token',
			value: 'session',
			description: 'Returned when you sign up or log in. Account operations always use it.',
		},
	],
	default: 'apiKey',
	displayOptions: { hide: { resource: ['account'] } },
	description: 'The kind of token that your credential holds',
};

export function operationField(
	resource: string,
	operations: Operation[],
	defaultValue: string,
): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: operations.map(({ option }) => option),
		default: defaultValue,
	};
}

/** Shows each field for its own operation only. */
export function fieldsOf(resource: string, operations: Operation[]): INodeProperties[] {
	return operations.flatMap(({ option, fields = [] }) =>
		fields.map(({ displayOptions, ...field }) => {
			const show = { resource: [resource], operation: [option.value], ...displayOptions?.show };
			return { ...field, displayOptions: { show } };
		}),
	);
}

export const limitField: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
};

const returnAllField: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

/** Fields of an operation that returns a list; `readMaximum` reads them. */
export const pagingFields: INodeProperties[] = [
	returnAllField,
	{ ...limitField, displayOptions: { show: { returnAll: [false] } } },
];
