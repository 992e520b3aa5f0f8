import type { INodeProperties } from 'n8n-workflow';

import { getRecord } from './getRecord';
import { search } from './search';

export const companyOperations = [getRecord, search];

export const companyProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['company'] } },
		options: companyOperations.map(({ option }) => option),
		default: 'search',
	},
];

export const companyFields = [search, getRecord].flatMap(({ fields = [] }) => fields);
