import { isPlainObject } from 'lodash';
import type { z } from 'zod';

import type { Registry } from './registry';
import {
	createdWebhookSchema,
	updatedWebhookSchema,
	webhookListSchema,
	webhookSchema,
} from './schemas';

/** Names of paging fields beside the rows of a list: lower case, letters only. */
const NEXT = /next|^(has)?more|^(cursor|(is)?truncated|continuation.*)$/;
const PAGES = /^((last|total|num(ber)?(of)?)?pages?|pagecount)$/;
const TOTAL = /^total|total$|count$/;
/** Fields that count requests, not webhooks. */
const UNRELATED = /limit|quota|usage/;

export type Webhook = z.output<typeof webhookSchema>;

export type WebhookAnswer = z.output<typeof createdWebhookSchema>;

export interface NewWebhook {
	url: string;
	company_number: string;
	events: string[];
}

export interface WebhookChanges {
	url?: string;
	events?: string[];
	is_active?: boolean;
}

export interface WebhookList {
	/** By id. */
	webhooks: Map<string, Webhook>;
	/** False if a row is unreadable, or the answer mentions more pages. The service documents no way to read them. */
	isWhole: boolean;
	/** When the answer arrived, in ISO 8601. */
	receivedAt: string;
}

/** @throws RegistryFailure */
export async function listWebhooks(registry: Registry, signal?: AbortSignal): Promise<WebhookList> {
	const request = { method: 'GET', path: '/v1/webhooks' } as const;
	const { data, ...envelope } = await registry.request(request, webhookListSchema, signal);
	const rows = data.flatMap((row) => webhookSchema.safeParse(row).data ?? []);
	return {
		webhooks: new Map(rows.map((webhook) => [webhook.id, webhook])),
		isWhole: rows.length === data.length && !announcesMore(envelope, data.length),
		receivedAt: new Date().toISOString(),
	};
}

/** An answer without a secret may describe a webhook that existed before. @throws RegistryFailure */
export async function createWebhook(
	registry: Registry,
	body: NewWebhook,
	signal?: AbortSignal,
): Promise<WebhookAnswer> {
	const request = { method: 'POST', path: '/v1/webhooks', body } as const;
	return await registry.request(request, createdWebhookSchema, signal);
}

/** The result may be empty: the service may answer without the webhook. @throws RegistryFailure */
export async function updateWebhook(
	registry: Registry,
	id: string,
	body: WebhookChanges,
	signal?: AbortSignal,
): Promise<Partial<WebhookAnswer>> {
	const path = `/v1/webhooks/${encodeURIComponent(id)}`;
	return await registry.request({ method: 'PATCH', path, body }, updatedWebhookSchema, signal);
}

/** The common forms count: a part taken for the whole would report watched companies as not watched. */
function announcesMore(envelope: object, rows: number): boolean {
	return Object.entries(envelope).some(([name, value]: [string, unknown]) => {
		const key = name.toLowerCase().replace(/[^a-z]/g, '');
		if (UNRELATED.test(key)) return false;
		if (NEXT.test(key)) return Boolean(value);
		if (isPlainObject(value)) return announcesMore(value as object, rows);
		return Number(value) > (PAGES.test(key) ? 1 : TOTAL.test(key) ? rows : Infinity);
	});
}
