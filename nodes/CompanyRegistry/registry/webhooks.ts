import type { z } from 'zod';

import type { Registry } from './registry';
import {
	createdWebhookSchema,
	updatedWebhookSchema,
	webhookListSchema,
	webhookSchema,
} from './schemas';

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
	/** Whether the answer speaks of more pages. How to ask for them is not shown. */
	hasMore: boolean;
}

/**
 * The account's webhooks.
 * @throws RegistryFailure
 */
export async function listWebhooks(registry: Registry, signal?: AbortSignal): Promise<WebhookList> {
	const request = { method: 'GET', path: '/v1/webhooks' } as const;
	const answer = await registry.request(request, webhookListSchema, signal);
	const rows = answer.data.flatMap((row) => webhookSchema.safeParse(row).data ?? []);
	return {
		webhooks: new Map(rows.map((webhook) => [webhook.id, webhook])),
		unread: answer.data.length - rows.length,
		hasMore: hasMore(answer),
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

/** Beside the rows, or in an object beside them, whatever commonly speaks of more. */
function hasMore({ data, ...beside }: { data: unknown[]; [key: string]: unknown }): boolean {
	const places = [beside, ...Object.values(beside)];
	return places.some((place) =>
		Object.entries(place ?? {}).some(([key, value]) =>
			key === 'total'
				? Number(value) > data.length
				: /^(next.*|has_?more|cursor)$/i.test(key) && Boolean(value),
		),
	);
}
