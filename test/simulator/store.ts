import { randomBytes } from 'node:crypto';

import type { NewWebhook, WebhookChanges } from './schemas';

export interface Account {
	apiKey: string;
	/** JWT-shaped, as the dashboard's session tokens are. */
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

interface AuthenticatedCaller {
	account: Account;
	token: 'apiKey' | 'session';
}

/** The service's database: accounts and their webhooks, in memory. */
export class Store {
	private readonly callers = new Map<string, AuthenticatedCaller>();

	private readonly webhooks = new Map<string, StoredWebhook>();

	addAccount(): Account {
		const account = { apiKey: newApiKey(), sessionToken: newSessionToken() };
		this.callers.set(account.apiKey, { account, token: 'apiKey' });
		this.callers.set(account.sessionToken, { account, token: 'session' });
		return account;
	}

	/** Another key of an account, as the dashboard makes them. */
	addApiKey(account: Account): string {
		const apiKey = newApiKey();
		this.callers.set(apiKey, { account, token: 'apiKey' });
		return apiKey;
	}

	/** The dashboard has taken a key back. */
	revoke(token: string): void {
		this.callers.delete(token);
	}

	caller(token: string): AuthenticatedCaller | undefined {
		return this.callers.get(token);
	}

	/** Snapshots in order of creation; of every account unless one API key is given. */
	list(apiKey?: string): StoredWebhook[] {
		return [...this.webhooks.values()]
			.filter((webhook) => apiKey === undefined || webhook.account === apiKey)
			.map((webhook) => structuredClone(webhook));
	}

	find(id: string): StoredWebhook | undefined {
		return this.webhooks.get(id);
	}

	create(account: Account, wanted: NewWebhook): StoredWebhook {
		const webhook: StoredWebhook = {
			id: randomText('wh_', 16),
			...wanted,
			is_active: true,
			secret: `whsec_${randomBytes(24).toString('base64')}`,
			account: account.apiKey,
		};
		this.webhooks.set(webhook.id, webhook);
		return webhook;
	}

	/** A webhook that an earlier life of the service has left. */
	restore(account: Account, webhook: Omit<StoredWebhook, 'account'>): void {
		this.webhooks.set(webhook.id, { ...webhook, account: account.apiKey });
	}

	/** Undefined when the id is unknown or belongs to another account. */
	update(account: Account, id: string, changes: WebhookChanges): StoredWebhook | undefined {
		const webhook = this.webhooks.get(id);
		if (webhook?.account !== account.apiKey) return undefined;
		return Object.assign(webhook, changes);
	}

	/** Throws when there is no such webhook, so that a test cannot forget nothing by mistake. */
	forget(id: string): void {
		if (!this.webhooks.delete(id)) throw new Error(`No webhook ${id} to forget`);
	}
}

/** `prefix` followed by `length` random hexadecimal digits. */
export function randomText(prefix: string, length: number): string {
	return prefix + randomBytes(length).toString('hex').slice(0, length);
}

function newApiKey(): string {
	return randomText('key_', 32);
}

function newSessionToken(): string {
	const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
	const claims = { sub: randomText('user_', 12), iat: Math.floor(Date.now() / 1000) };
	const signature = randomBytes(32).toString('base64url');
	return `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}.${signature}`;
}
