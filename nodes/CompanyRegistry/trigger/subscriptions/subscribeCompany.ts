import { randomBytes } from 'crypto';

import { RegistryFailure } from '../../registry/failure';
import type { Registry } from '../../registry/registry';
import { createWebhook, updateWebhook, type WebhookAnswer } from '../../registry/webhooks';
import { eventOptions } from '../../shared/events';
import { withReference } from '../memory/destination';
import type { Subscription } from '../memory/subscription';
import type { TriggerMemory } from '../memory/trigger';
import { isGone, PublishError, type Progress } from './errors';
import type { Wanted } from './plan';

/** One publish, as far as the service is concerned. */
export interface Subscribing {
	memory: TriggerMemory;
	registry: Registry;
	wanted: Wanted;
	/** Ids of webhooks of the account that this process holds. */
	ids: Set<string>;
	/** Aborted once something else is wanted, or n8n does not wait any longer. */
	signal: AbortSignal;
	/** Kept up to date. */
	progress: Progress;
}

/**
 * Creates a company's webhook and keeps it at once, in case this run never gets to store it.
 * @throws RegistryFailure, or Error where the answer is none to a new webhook
 */
export async function createSubscription(company: string, publish: Subscribing): Promise<void> {
	const { memory, registry, wanted, ids, progress, signal } = publish;
	const { events } = wanted;
	const reference = randomBytes(16).toString('base64url');
	const url = withReference(wanted.url, reference);
	memory.creating.add(reference);
	const answer = await createWebhook(registry, { url, company_number: company, events }, signal)
		.catch((reason: unknown) => {
			const isUnclear = reason instanceof RegistryFailure && reason.kind === 'unclear';
			if (isUnclear) progress.lost.push(company);
			throw reason;
		})
		.finally(() => memory.creating.delete(reference));
	const { id, secret } = answer;
	if (secret === undefined) {
		throw notNew(`${id} and no signing secret, so nothing that it delivers could be verified`);
	}
	if (ids.has(id)) throw notNew(`${id}, which exists already`);
	ids.add(id);
	await confirm({ reference, company, id, secret }, answer, publish);
}

/**
 * Gives a known webhook today's destination and events and makes it active; replaces it when the
 * service neither lists nor knows it any more.
 * @throws RegistryFailure, or PublishError where its replacement is none
 */
export async function resumeSubscription(
	one: Subscription,
	isListed: boolean,
	publish: Subscribing,
): Promise<void> {
	const answer = await update(one, publish).catch((reason: unknown) => {
		if (!isListed && isGone(reason)) return undefined;
		throw reason;
	});
	if (answer !== undefined) return await confirm(one, answer, publish);
	await createSubscription(one.company, publish);
	// Forgotten only after its replacement exists: a wrong 404 must not cost us the secret.
	publish.memory.current?.subscriptions.delete(one.reference);
}

/** Sends all that is wanted of a webhook. */
async function update(
	one: Subscription,
	{ memory, registry, wanted: { events, url }, signal }: Subscribing,
): Promise<Partial<WebhookAnswer>> {
	const body = { url: withReference(url, one.reference), events, is_active: true };
	// Also once it is refused: an attempt before, whose answer was lost, may have been carried out.
	memory.keep({ ...one, confirmed: undefined });
	return await updateWebhook(registry, one.id, body, signal);
}

/**
 * Keeps what the service has answered. Where that is not what was asked, it is asked for once more.
 * @throws PublishError where the service goes on showing something else
 */
async function confirm(
	one: Subscription,
	answer: Partial<WebhookAnswer>,
	publish: Subscribing,
	isRepeated = false,
): Promise<void> {
	const { events, url } = publish.wanted;
	const difference = differenceIn(answer, events);
	if (difference === '') {
		const confirmed = { url: withReference(url, one.reference), events };
		return publish.memory.keep({ ...one, confirmed });
	}
	publish.memory.keep({ ...one, confirmed: undefined });
	if (!isRepeated) return await confirm(one, await update(one, publish), publish, true);
	throw new PublishError(
		`The registry service shows webhook ${one.id} ${difference}, although that was asked of it twice. Ask the service's support`,
	);
}

const DOCUMENTED = new Set(eventOptions.map(({ value }) => value));

/**
 * In words; empty where the answer shows nothing else than what was asked. The service may write names that
 * it does not document in another way.
 */
function differenceIn({ is_active, events }: Partial<WebhookAnswer>, wanted: string[]): string {
	if (is_active === false) return 'as not active';
	const missing = wanted.filter((name) => DOCUMENTED.has(name) && events?.includes(name) === false);
	return missing.length === 0 ? '' : `without ${missing.join(' and ')}`;
}

/** It may serve another workflow, so it is left as it is. */
function notNew(webhook: string): Error {
	return new Error(
		`The registry service answered the request for a new webhook with webhook ${webhook}. It is left as it is. If another workflow or program watches this company, the service may allow one webhook for each company`,
	);
}
