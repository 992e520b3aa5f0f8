import { comparableNumber } from '../shared/companyNumber';
import type { Registry } from './registry';
import { RegistryFailure } from './registryFailure';
import {
	createdWebhookAnswerSchema,
	updatedWebhookAnswerSchema,
	webhookAnswerSchema,
	webhookListSchema,
	type CreatedWebhook,
	type Webhook,
} from './schemas';

/** Requests under way at once for one trigger. */
export const CONCURRENT_REQUESTS = 10;

/** Refusals of a webhook that does not exist. */
const UNKNOWN = new Set([404, 410]);
/** Refusals that concern the one company or webhook of the request; others concern the account. */
const OF_ONE_COMPANY = new Set([400, 404, 409, 410, 422]);

/** The account's webhooks by id. */
export async function listWebhooks(registry: Registry): Promise<Map<string, Webhook>> {
	const { data } = await registry.request(
		{ method: 'GET', path: '/v1/webhooks' },
		webhookListSchema,
	);
	return new Map(data.map((webhook) => [webhook.id, webhook]));
}

/**
 * Creates a webhook and returns it with its secret, or without one when the service sent none.
 * @throws RegistryFailure
 */
export async function createWebhook(
	registry: Registry,
	body: { url: string; company_number: string; events: string[] },
): Promise<Webhook | CreatedWebhook> {
	const answer = await registry.request(
		{ method: 'POST', path: '/v1/webhooks', body },
		createdWebhookAnswerSchema.or(webhookAnswerSchema),
	);
	return answer.data;
}

/**
 * Changes a webhook.
 * @throws RegistryFailure
 */
export async function updateWebhook(
	registry: Registry,
	id: string,
	body: { url?: string; events?: string[]; is_active: boolean },
): Promise<void> {
	await registry.request(
		{ method: 'PATCH', path: `/v1/webhooks/${encodeURIComponent(id)}`, body },
		updatedWebhookAnswerSchema,
	);
}

/**
 * Whether the service lists this webhook. What form ids have is not known: one that merely coincides
 * belongs to another company.
 */
export function isListed(
	{ id, company }: { id: string; company: string },
	listed: ReadonlyMap<string, Webhook>,
): boolean {
	const webhook = listed.get(id);
	return webhook !== undefined && comparableNumber(webhook.company_number) === company;
}

/** Whether the service refused a request because of its one company or webhook. */
export function concernsOneCompany(failure: unknown): failure is RegistryFailure {
	return failure instanceof RegistryFailure && OF_ONE_COMPANY.has(failure.status ?? 0);
}

/**
 * Whether an update was refused because the webhook does not exist. Ask only for a webhook that the
 * service does not list: how it answers for an unknown id is not documented, so other refusals count too.
 */
export function isRefusedAsUnknown(failure: unknown): boolean {
	if (!(failure instanceof RegistryFailure)) return false;
	const { status = 0 } = failure;
	return UNKNOWN.has(status) || status === 400 || status === 422;
}

/**
 * Whether the service itself says that there is no such webhook. A proxy on the way may answer 404 as
 * well, and knows nothing of webhooks.
 */
export function isGone(failure: unknown): boolean {
	return (
		failure instanceof RegistryFailure && failure.isServiceError && UNKNOWN.has(failure.status ?? 0)
	);
}

/** Whether the service gave no answer at all. */
export function isUnanswered(failure: unknown): boolean {
	return failure instanceof RegistryFailure && failure.status === undefined;
}

/** Whether the service may have made the change although it did not confirm it. */
export function isUnclear(failure: unknown): boolean {
	return failure instanceof RegistryFailure && failure.isUnclear;
}
