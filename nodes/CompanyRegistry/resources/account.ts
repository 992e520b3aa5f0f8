import type { INodePropertyOptions } from 'n8n-workflow';

import type { Operation } from './run';
import { asObject } from './sharedAccount';

/** Account routes accept session tokens only, so an API key is never sent there. */
function readAccount(path: string, option: INodePropertyOptions): Operation {
	return {
		option,
		credentialType: 'companyRegistrySessionApi',
		prepare: (item) => async () => [asObject(await item.account.payload(path))],
	};
}

export const accountOperations = [
	readAccount('/v1/keys', {
		name: 'Get Keys',
		value: 'getKeys',
		description: "Get the account's API keys",
		action: 'Get account keys',
	}),
	readAccount('/v1/usage', {
		name: 'Get Usage',
		value: 'getUsage',
		description: "Get the account's usage of the service",
		action: 'Get account usage',
	}),
];
