import type { INodeProperties } from 'n8n-workflow';

import { createFields, createOperation } from './create';
import { getOperation } from './get';
import { getAllFields, getAllOperation } from './getAll';
import { pauseOperation } from './pause';
import { resumeOperation } from './resume';
import { updateFields, updateOperation } from './update';
import { webhookIdField } from './shared/webhookIdField';

export const webhookOperations: INodeProperties = {
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
};

export const webhookFields: INodeProperties[] = [
	webhookIdField,
	...createFields,
	...getAllFields,
	...updateFields,
];
