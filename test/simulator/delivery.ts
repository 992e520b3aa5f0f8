import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import type { DeliveryAnswer, Sender } from './sender';
import { type CustomScheme, type SchemeName, signDelivery } from './signing';
import { randomText, type StoredWebhook } from './store';

export interface DeliveryRequest {
	/** The webhook's first event unless given. */
	event?: string;
	/** Sent as JSON; a plausible notification unless given, as the service's is not shown. */
	payload?: unknown;
	/** Sent as it is, instead of a payload. */
	rawBody?: Buffer | string;
	scheme?: SchemeName;
	/** Instead of `scheme`. */
	custom?: CustomScheme;
	/** Added last, so they replace a signature header of the same name. */
	headers?: Record<string, string | string[]>;
	deliveryId?: string;
	/** Unix seconds; the time of each attempt unless given. */
	timestamp?: number;
	/** Signs with this instead of the webhook's secret: a forgery. */
	secret?: string;
	/** Sends here instead of to the webhook's destination; http is allowed. */
	url?: string;
	/** False leaves out every header of the scheme. */
	sign?: boolean;
	/** Compresses the body; the signature is over the uncompressed bytes. */
	gzip?: boolean;
	/** Further attempts after a 429, a 5xx or a network failure; 0 unless given. */
	retries?: number;
	/** Longest pause before a retry, whatever Retry-After says; 2000 unless given. */
	maxRetryWaitMs?: number;
	/** Certificate in PEM form that an https destination may present. */
	ca?: string;
	/** Delivers to a paused webhook too. */
	ignoreActive?: boolean;
}

export interface DeliveryResult extends DeliveryAnswer {
	attempts: number;
	deliveryId: string;
}

const firstRetryWaitMs = 100;

/**
 * Sends one notification to a webhook's destination and retries it as asked.
 * Throws when the webhook is paused, when the last attempt met a network failure, and when
 * `closed` fires.
 */
export async function deliver(
	webhook: StoredWebhook,
	delivery: DeliveryRequest,
	sender: Sender,
	closed: AbortSignal,
): Promise<DeliveryResult> {
	// Whether the service delivers to an inactive webhook is not shown; the simulator does not.
	if (!webhook.is_active && !delivery.ignoreActive)
		throw new Error(`Webhook ${webhook.id} is paused`);

	const { url = webhook.url, retries = 0, maxRetryWaitMs = 2000, ca, gzip } = delivery;
	const deliveryId = delivery.deliveryId ?? randomText('msg_', 24);
	const body = bodyBytes(webhook, delivery, deliveryId);
	const sentBody = gzip ? gzipSync(body) : body;

	for (let attempt = 1; ; attempt += 1) {
		const headers = deliveryHeaders(webhook, delivery, deliveryId, body);
		const mayRetry = attempt <= retries;
		const answer = await sender.post(url, headers, sentBody, ca).catch((failure: unknown) => {
			if (!mayRetry) throw failure;
			return undefined;
		});
		if (answer && !(isWorthRetrying(answer.status) && mayRetry)) {
			return { ...answer, attempts: attempt, deliveryId };
		}
		const backoff = firstRetryWaitMs * 2 ** (attempt - 1);
		const retryAfter = answer?.headers['retry-after'];
		const pause = retryAfter === undefined ? backoff : Number(retryAfter) * 1000;
		await sleep(Math.min(pause, maxRetryWaitMs), undefined, { signal: closed });
	}
}

function bodyBytes(webhook: StoredWebhook, delivery: DeliveryRequest, deliveryId: string): Buffer {
	if (delivery.rawBody !== undefined) return Buffer.from(delivery.rawBody);
	const plausible = {
		id: deliveryId,
		event: delivery.event ?? webhook.events[0],
		company_number: webhook.company_number,
		created_at: new Date().toISOString(),
		data: { company_number: webhook.company_number },
	};
	return Buffer.from(JSON.stringify('payload' in delivery ? delivery.payload : plausible));
}

function deliveryHeaders(
	webhook: StoredWebhook,
	delivery: DeliveryRequest,
	id: string,
	body: Buffer,
): Record<string, string | string[]> {
	const {
		secret = webhook.secret,
		timestamp = Math.floor(Date.now() / 1000),
		sign = true,
	} = delivery;
	const scheme = delivery.custom ?? delivery.scheme ?? 'standardWebhooks';
	const extra = Object.entries(delivery.headers ?? {}).map(([name, value]) => [
		name.toLowerCase(),
		value,
	]);
	return {
		'content-type': 'application/json',
		...(delivery.gzip && { 'content-encoding': 'gzip' }),
		...(sign && signDelivery(scheme, { secret, body, id, timestamp, url: webhook.url })),
		...Object.fromEntries(extra),
	};
}

function isWorthRetrying(status: number): boolean {
	return status === 429 || status >= 500;
}
