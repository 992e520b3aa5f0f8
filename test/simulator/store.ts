import { randomBytes } from 'node:crypto';

export interface Account {
	apiKey: string;
	/** In three parts, as the dashboard's session tokens are. */
	sessionToken: string;
}

/** A webhook with everything the service knows, the parts it never lists included. */
export interface StoredWebhook {
	id: string;
	company_number: string;
	url: string;
	events: string[];
	is_active: boolean;
	secret: string;
	/** The API key of the account that owns it. */
	account: string;
}

export type Store = ReturnType<typeof createStore>;

/** The service's database: accounts and their webhooks, in memory. */
export function createStore() {
	const callers = new Map<string, { account: Account; isSession: boolean }>();
	const webhooks = new Map<string, StoredWebhook>();

	const addAccount = (): Account => {
		const parts = Array.from({ length: 3 }, () => randomBytes(32).toString('base64url'));
		const account = { apiKey: randomText('key_', 32), sessionToken: parts.join('.') };
		callers.set(account.apiKey, { account, isSession: false });
		callers.set(account.sessionToken, { account, isSession: true });
		return account;
	};
	const firstAccount = addAccount();

	return {
		firstAccount,
		addAccount,
		/** Another API key of the first account. */
		addApiKey(): string {
			const apiKey = randomText('key_', 32);
			callers.set(apiKey, { account: firstAccount, isSession: false });
			return apiKey;
		},
		/** From now on the key is answered like any wrong token. */
		revokeApiKey: (apiKey: string) => void callers.delete(apiKey),
		callerWith: (token: string) => callers.get(token),
		/** Snapshots in order of creation; of every account unless one API key is given. */
		webhooks: (apiKey?: string): StoredWebhook[] =>
			[...webhooks.values()]
				.filter(({ account }) => apiKey === undefined || account === apiKey)
				.map((webhook) => structuredClone(webhook)),
		find: (id: string) => webhooks.get(id),
		create(
			{ apiKey }: Account,
			wanted: Pick<StoredWebhook, 'url' | 'company_number' | 'events'>,
		): StoredWebhook {
			const id = randomText('wh_', 16);
			const secret = `whsec_${randomBytes(24).toString('base64')}`;
			const webhook = { id, ...wanted, is_active: true, secret, account: apiKey };
			webhooks.set(id, webhook);
			return webhook;
		},
		/** Adds a webhook that the first account has had since before this start. */
		restoreWebhook(webhook: Omit<StoredWebhook, 'account'>): void {
			webhooks.set(webhook.id, { ...webhook, account: firstAccount.apiKey });
		},
		/** Undefined when the id is unknown or belongs to another account. */
		update(
			{ apiKey }: Account,
			id: string,
			changes: Partial<Pick<StoredWebhook, 'url' | 'events' | 'is_active'>>,
		): StoredWebhook | undefined {
			const webhook = webhooks.get(id);
			return webhook?.account === apiKey ? Object.assign(webhook, changes) : undefined;
		},
		/** The webhook leaves the list, and PATCH answers 404. Throws for an unknown id. */
		forgetWebhook(id: string): void {
			if (!webhooks.delete(id)) throw new Error(`No webhook ${id} to forget`);
		},
	};
}

/** `prefix` followed by `length` random hexadecimal digits. */
export function randomText(prefix: string, length: number): string {
	return prefix + randomBytes(length).toString('hex').slice(0, length);
}
