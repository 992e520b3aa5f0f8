import type { AccountHandler } from '../authentication';
import type { Store } from '../store';

// The payloads of both account routes are not shown: these are the stand-in's choice.

/** GET /v1/usage */
export function getUsage(store: Store): AccountHandler {
	return (account, _req, res) => {
		res.json({ data: { webhooks: store.list(account.apiKey).length } });
	};
}

/** GET /v1/keys: names the key by its last characters only. */
export const getKeys: AccountHandler = (account, _req, res) => {
	res.json({ data: [{ name: 'Default', ends_with: account.apiKey.slice(-4) }] });
};
