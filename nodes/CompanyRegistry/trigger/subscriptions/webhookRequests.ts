import type { IHookFunctions } from 'n8n-workflow';

import { messageOf } from '../../shared/registry/failures';
import type { Registry } from '../../shared/registry/registryApi';
import { RegistryFailure } from '../../shared/registry/registryFailure';
import {
	createdWebhookAnswerSchema,
	webhookAnswerSchema,
	webhookListSchema,
	type CreatedWebhook,
	type Webhook,
} from '../../shared/registry/schemas';
import { concurrently } from '../../shared/concurrently';
import type { KnownWebhook } from '../memory/knownWebhooks';
import type { Turn } from './turns';

/** Requests under way at once in one life-cycle run. */
export const CONCURRENT_REQUESTS = 10;

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
		webhookAnswerSchema,
	);
}

/**
 * Whether an update of a webhook that the service does not list was refused because there is none.
 * How the service answers for an unknown id is not known: any refusal of the request as such counts.
 */
export function isRefusedAsUnknown(failure: unknown): boolean {
	return isGone(failure) || hasStatus(failure, 400) || hasStatus(failure, 422);
}

function isGone(failure: unknown): boolean {
	return hasStatus(failure, 404) || hasStatus(failure, 410);
}

function hasStatus(failure: unknown, status: number | undefined): boolean {
	return failure instanceof RegistryFailure && failure.status === status;
}

/** After so many refused pauses in a row the service is taken to refuse them all. */
const GIVE_UP_AFTER = 5;

/**
 * Pauses as many of these webhooks as the service lets it and returns those. Never throws: each
 * failure is logged with id and company, and what stays active is paused or used by a later run.
 *
 * @param deadline when to leave the rest as it is, in milliseconds since the epoch
 */
export async function pauseAll<Item extends KnownWebhook>(
	context: IHookFunctions,
	registry: Registry,
	webhooks: Item[],
	turn: Turn,
	deadline = Infinity,
): Promise<Set<Item>> {
	const paused = new Set<Item>();
	let failuresInARow = 0;
	let answers = 0;
	const givesUp = () => failuresInARow >= GIVE_UP_AFTER || Date.now() > deadline;
	await concurrently(webhooks, CONCURRENT_REQUESTS, async (webhook) => {
		if (turn.overtaken || givesUp()) return;
		const answersBefore = answers;
		try {
			await updateWebhook(registry, webhook.id, { is_active: false });
			answers++;
		} catch (reason) {
			const isUnanswered = hasStatus(reason, undefined);
			if (!isUnanswered) answers++;
			if (!isGone(reason)) {
				// Nothing was answered meanwhile: to try the others would take as long again, for nothing.
				failuresInARow += isUnanswered && answers === answersBefore ? GIVE_UP_AFTER : 1;
				context.logger.warn(
					`Company Registry Trigger: webhook ${webhook.id} of company ${webhook.company} could not be paused: ${messageOf(reason)}`,
				);
				return;
			}
		}
		failuresInARow = 0;
		paused.add(webhook);
	});
	const left = webhooks.filter((webhook) => !paused.has(webhook));
	if (left.length > 0 && givesUp()) {
		context.logger.warn(
			`Company Registry Trigger: ${left.length} webhooks stay active until the workflow is published or unpublished again: ${namesOf(left)}`,
		);
	}
	return paused;
}

/** Ids and companies, for the log. */
export function namesOf(webhooks: KnownWebhook[]): string {
	return webhooks.map(({ id, company }) => `${id} (${company})`).join(', ');
}
