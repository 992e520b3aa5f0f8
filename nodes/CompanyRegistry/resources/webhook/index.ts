import type { INodeProperties } from 'n8n-workflow';

import { create } from './create';
import { webhookIdField } from './fields';
import { get } from './get';
import { getAll } from './getAll';
import { pause, resume } from './pauseResume';
import { update } from './update';

export const webhookOperations = [create, get, getAll, pause, resume, update];

export const webhookProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['webhook'] } },
		options: webhookOperations.map(({ option }) => option),
		default: 'getAll',
	},
];

export const webhookFields: INodeProperties[] = [
	webhookIdField,
	...[create, getAll, update].flatMap(({ fields = [] }) => fields),
];
