import type { INodePropertyOptions } from 'n8n-workflow';

import { readAccount } from './readAccount';

export const getUsageOperation: INodePropertyOptions = {
	name: 'Get Usage',
	value: 'getUsage',
	description: 'See how much of the service the account has used',
	action: 'Get account usage',
	routing: readAccount('/v1/usage'),
};
