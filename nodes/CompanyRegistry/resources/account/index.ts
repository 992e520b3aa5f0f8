import type { INodeProperties } from 'n8n-workflow';

import { getKeysOperation } from './getKeys';
import { getUsageOperation } from './getUsage';

export const accountProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['account'] } },
		options: [getKeysOperation, getUsageOperation],
		default: 'getUsage',
	},
];
