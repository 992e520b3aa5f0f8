import { isPlainObject, some } from 'lodash';
import type { z } from 'zod';

import type { Registry } from './registry';
import {
	createdWebhookSchema,
	updatedWebhookSchema,
	webhookListSchema,
	webhookSchema,
} from './schemas';

/** Names of what may stand beside the rows of a list, in lower case and without other characters. */
const NEXT = /next|^(has)?more|^(cursor|(is)?truncated|continuation.*)$/;
const IS_LAST = /^(is)?last(page)?$/;
const PAGES = /^((last|total|num(ber)?(of)?)?pages?|pagecount)$/;
const TOTAL = /^total|total$|count$/;
/** What counts requests, not webhooks. */
const OF_SOMETHING_ELSE = /limit|quota|usage/;
const NEXT_LINK = /;\s*rel="?[^",;]*\bnext\b/i;

/** As the account's list has it. */
export type Webhook = z.output<typeof webhookSchema>;

/** What an answer says of one webhook. */
export type WebhookAnswer = z.output<typeof createdWebhookSchema>;

/** What a webhook is created with. */
export interface NewWebhook {
	url: string;
	company_number: string;
	events: string[];
}

/** The fields of a webhook that can be changed. */
export interface WebhookChanges {
	url?: string;
	events?: string[];
	is_active?: boolean;
}

export interface WebhookList {
	/** By id. */
	webhooks: Map<string, Webhook>;
	/** Rows that could not be read, such as another tool's without a company. */
	unread: number;
	/** Whether the answer shows that there are more. How to ask for them is not shown. */
	hasMore: boolean;
	/** When the answer came, in ISO 8601. */
	receivedAt: string;
}

/**
 * The account's webhooks.
 * @throws RegistryFailure
 */
export async function listWebhooks(registry: Registry, signal?: AbortSignal): Promise<WebhookList> {
	const request = { method: 'GET', path: '/v1/webhooks', readsLink: true } as const;
	const { data, link, ...beside } = await registry.request(request, webhookListSchema, signal);
	const rows = data.flatMap((row) => webhookSchema.safeParse(row).data ?? []);
	return {
		webhooks: new Map(rows.map((webhook) => [webhook.id, webhook])),
		unread: data.length - rows.length,
		receivedAt: new Date().toISOString(),
		hasMore: NEXT_LINK.test(String(link)) || speaksOfMore(beside, data.length),
	};
}

/**
 * Creates a webhook. Where the answer has no secret, it may be of a webhook that was there before.
 * @throws RegistryFailure
 */
export async function createWebhook(
	registry: Registry,
	body: NewWebhook,
	signal?: AbortSignal,
): Promise<WebhookAnswer> {
	const request = { method: 'POST', path: '/v1/webhooks', body } as const;
	return await registry.request(request, createdWebhookSchema, signal);
}

/**
 * Changes a webhook, and returns what the answer says of it, which may be nothing.
 * @throws RegistryFailure
 */
export async function updateWebhook(
	registry: Registry,
	id: string,
	body: WebhookChanges,
	signal?: AbortSignal,
): Promise<Partial<WebhookAnswer>> {
	const path = `/v1/webhooks/${encodeURIComponent(id)}`;
	return await registry.request({ method: 'PATCH', path, body }, updatedWebhookSchema, signal);
}

/**
 * Whether what stands beside so many rows speaks of others. How the service would do that is not shown, so all
 * usual ways count: to take a part of an account for the whole would call watched companies not watched.
 */
function speaksOfMore(beside: object, rows: number): boolean {
	return Object.entries(beside).some(([name, value]: [string, unknown]) => {
		if (Array.isArray(value)) return some(value, ['rel', 'next']);
		const key = name.toLowerCase().replace(/[^a-z]/g, '');
		if (OF_SOMETHING_ELSE.test(key)) return false;
		if (NEXT.test(key)) return Boolean(value) && value !== 'false';
		if (IS_LAST.test(key) && value === false) return true;
		if (isPlainObject(value)) return speaksOfMore(value as object, rows);
		return Number(value) > (PAGES.test(key) ? 1 : TOTAL.test(key) ? rows : Infinity);
	});
}
