import type { INodeProperties } from 'n8n-workflow';

import { getRecordFields, getRecordOperation } from './getRecord';
import { searchFields, searchOperation } from './search';

export const companyOperations: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['company'] } },
	options: [getRecordOperation, searchOperation],
	default: 'search',
};

export const companyFields: INodeProperties[] = [...searchFields, ...getRecordFields];
