import type { INodeProperties } from 'n8n-workflow';

import { getKeysOperation } from './getKeys';
import { getUsageOperation } from './getUsage';

export const accountProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		// n8n's node panel presets the first value listed here, so 'session' must come first.
		displayOptions: { show: { resource: ['account'], authentication: ['session', 'apiKey'] } },
		options: [getKeysOperation, getUsageOperation],
		default: 'getUsage',
	},
	{
		displayName:
			"Account operations need a session token. Choose a 'Company Registry Session API' credential above, or create one of the kind 'Session Token'.",
		name: 'sessionNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { resource: ['account'], authentication: ['apiKey'] } },
	},
];
