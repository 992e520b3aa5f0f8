import type { INodeProperties } from 'n8n-workflow';

import { createFields, createOperation } from './create';
import { getFields, getOperation } from './get';
import { getAllFields, getAllOperation } from './getAll';
import { pauseFields, pauseOperation } from './pause';
import { resumeFields, resumeOperation } from './resume';
import { updateFields, updateOperation } from './update';

export const webhookProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['webhook'] } },
		options: [
			createOperation,
			getOperation,
			getAllOperation,
			pauseOperation,
			resumeOperation,
			updateOperation,
		],
		default: 'getAll',
	},
	...createFields,
	...getFields,
	...getAllFields,
	...updateFields,
	...pauseFields,
	...resumeFields,
];
