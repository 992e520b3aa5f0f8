import { randomBytes } from 'crypto';

import { RegistryFailure } from '../../registry/failure';
import type { Registry } from '../../registry/registry';
import { createWebhook, updateWebhook, type WebhookAnswer } from '../../registry/webhooks';
import { eventOptions } from '../../shared/events';
import type { Subscription } from '../memory/subscription';
import type { Group, TriggerMemory } from '../memory/trigger';
import { isGone, PublishError } from './errors';
import type { Wanted } from './plan';

/** What is needed to subscribe any company of one publish. */
export interface CompanySetup {
	memory: TriggerMemory;
	registry: Registry;
	group: Group;
	wanted: Wanted;
	/** Ids of webhooks of the account that this process holds. */
	ids: Set<string>;
	/** Takes companies whose new webhook may exist although the service's answer was lost. */
	lost: string[];
	signal: AbortSignal;
}

/**
 * Creates a company's webhook and keeps it at once, in case this run never gets to store it.
 * @throws RegistryFailure, or PublishError where the answer is none to a new webhook
 */
export async function createSubscription(company: string, setup: CompanySetup): Promise<void> {
	const { memory, registry, wanted, ids, lost, signal } = setup;
	const { events } = wanted;
	const reference = randomBytes(16).toString('base64url');
	const url = wanted.urlOf(reference);
	memory.creating.add(reference);
	const answer = await createWebhook(registry, { url, company_number: company, events }, signal)
		.catch((reason: unknown) => {
			if (reason instanceof RegistryFailure && reason.kind === 'unclear') lost.push(company);
			throw reason;
		})
		.finally(() => memory.creating.delete(reference));
	const { id, secret } = answer;
	if (secret === undefined || ids.has(id)) throw notNew(company, id, secret === undefined);
	ids.add(id);
	const one = { reference, company, id, secret };
	await confirm(one, answer, setup);
}

/**
 * Gives a known webhook today's destination and events and makes it active; replaces it when the
 * service neither lists nor knows it any more.
 * @throws RegistryFailure, or PublishError where its replacement is none
 */
export async function resumeSubscription(
	one: Subscription,
	isListed: boolean,
	setup: CompanySetup,
): Promise<void> {
	const { subscriptions } = setup.group;
	const answer = await update(one, setup).catch((reason: unknown) => {
		if (!isListed && isGone(reason)) return undefined;
		throw reason;
	});
	if (answer !== undefined) return await confirm(one, answer, setup);
	await createSubscription(one.company, setup);
	// Forgotten only after its replacement exists: a wrong 404 must not cost us the secret.
	subscriptions.delete(one.reference);
}

/** Sends all that is wanted of a webhook. */
async function update(
	one: Subscription,
	{ registry, group: { subscriptions }, wanted, signal }: CompanySetup,
): Promise<Partial<WebhookAnswer>> {
	const { events } = wanted;
	const body = { url: wanted.urlOf(one.reference), events, is_active: true };
	// Also once it is refused: an attempt before, whose answer was lost, may have been carried out.
	subscriptions.set(one.reference, { ...one, confirmed: undefined });
	return await updateWebhook(registry, one.id, body, signal);
}

/**
 * Keeps what the service has answered. Where that is not what was asked, it is asked for once more.
 * @throws PublishError where the service goes on showing something else
 */
async function confirm(
	one: Subscription,
	answer: Partial<WebhookAnswer>,
	setup: CompanySetup,
	isRepeated = false,
): Promise<void> {
	const { events, urlOf } = setup.wanted;
	const difference = differenceIn(answer, events);
	const confirmed =
		difference === '' ? { url: urlOf(one.reference), events, active: true } : undefined;
	setup.group.subscriptions.set(one.reference, { ...one, confirmed });
	if (difference === '') return;
	if (!isRepeated) return await confirm(one, await update(one, setup), setup, true);
	throw new PublishError(
		`The registry service shows webhook ${one.id} ${difference}, although that was asked of it twice. Ask the service's support`,
		{ isOfOneCompany: true },
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
function notNew(company: string, id: string, isWithoutSecret: boolean): PublishError {
	const what = isWithoutSecret
		? `with webhook ${id} and no signing secret, so nothing that it delivers could be verified`
		: `with webhook ${id}, which exists already`;
	return new PublishError(
		`The registry service answered the request for a new webhook ${what}. It is left as it is. If another workflow or program watches this company, the service may allow one webhook for each company`,
		{ company },
	);
}
