import type { INodeProperties } from 'n8n-workflow';

import { getRecordFields, getRecordOperation } from './getRecord';
import { searchFields, searchOperation } from './search';

export const companyProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['company'] } },
		options: [getRecordOperation, searchOperation],
		default: 'search',
	},
	...searchFields,
	...getRecordFields,
];
