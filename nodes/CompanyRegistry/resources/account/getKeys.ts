import type { INodePropertyOptions } from 'n8n-workflow';

import { readAccount } from './readAccount';

export const getKeysOperation: INodePropertyOptions = {
	name: 'Get Keys',
	value: 'getKeys',
	description: "List the account's API keys as the service shows them",
	action: 'Get account keys',
	routing: readAccount('/v1/keys'),
};
