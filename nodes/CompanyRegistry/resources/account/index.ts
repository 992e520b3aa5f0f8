import type { INodeProperties } from 'n8n-workflow';

import { getKeysOperation } from './getKeys';
import { getUsageOperation } from './getUsage';

export const accountProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		// A node that is added from the panel as one of these operations gets the first of the values.
		displayOptions: { show: { resource: ['account'], authentication: ['session', 'apiKey'] } },
		options: [getKeysOperation, getUsageOperation],
		default: 'getUsage',
	},
	{
		displayName:
			"The service shows the account to a session token only, not to an API key. Choose a 'Company Registry Session API' credential above, or create one of the kind 'Session Token'.",
		name: 'sessionNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { resource: ['account'], authentication: ['apiKey'] } },
	},
];
