import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { operationField } from './fields';
import type { Operation } from './run';

/** Account routes accept session tokens only, so an API key is never sent there. */
function readAccount(path: string, option: INodePropertyOptions): Operation {
	return {
		option,
		prepare: (item) => {
			if (item.parameter('authentication', 'apiKey') !== 'session') {
				throw item.refuse({
					message: 'Account operations need a session token, not an API key',
					description:
						"Set 'Authentication' to 'Session Token' if n8n shows it, then choose a 'Company Registry Session API' credential.",
				});
			}
			return async () => (await item.account.get(path)).entries;
		},
	};
}

export const accountOperations = [
	readAccount('/v1/keys', {
		name: 'Get Keys',
		value: 'getKeys',
		description: "List the account's API keys",
		action: 'Get account keys',
	}),
	readAccount('/v1/usage', {
		name: 'Get Usage',
		value: 'getUsage',
		description: "Get the account's usage of the service",
		action: 'Get account usage',
	}),
];

export const accountProperties: INodeProperties[] = [
	// n8n's node panel presets the first value, so 'session' comes first.
	operationField(accountOperations, 'getUsage', {
		resource: ['account'],
		authentication: ['session', 'apiKey'],
	}),
	{
		displayName:
			"Account operations need a session token. Choose a 'Company Registry Session API' credential above, or create one of the type 'Session Token'.",
		name: 'sessionNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { resource: ['account'], authentication: ['apiKey'] } },
	},
];
