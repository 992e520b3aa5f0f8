import { difference } from 'lodash';

import { isGone, isUnclear } from '../../registry/failure';
import type { Registry } from '../../registry/registry';
import {
	createWebhook,
	updateWebhook,
	type WebhookAnswer,
	type WebhookChanges,
	type WebhookList,
} from '../../registry/webhooks';
import { UnusableAnswer } from '../records/failures';
import { endGap } from '../records/gap';
import type { Subscription, Target } from '../records/subscription';
import { newReference, withReference } from './identity';
import { documented, lacksEvents, type Drift } from './plan';
import type { TriggerMemory } from './memory';

/** Parameters of every request of a pass. */
export interface Requests {
	memory: TriggerMemory;
	registry: Registry;
	desired: Target;
	list: WebhookList;
	signal: AbortSignal;
}

/** Creates a webhook for a company. @throws UnusableAnswer, or RegistryFailure */
export async function sendCreate(requests: Requests, company: string): Promise<Subscription> {
	const { memory, registry, desired, signal } = requests;
	const reference = newReference();
	// An unsigned check of the address gets 200, and a signed delivery 503 without a report.
	memory.byReference.set(reference, undefined);

	const url = withReference(desired.url, reference);
	const body = { url, company_number: company, events: desired.events };
	const { id, secret, ...answer } = await createWebhook(registry, body, signal).catch(
		(reason: unknown) => {
			if (!isUnclear(reason)) memory.byReference.delete(reference);
			throw reason;
		},
	);
	if (secret === undefined) {
		throw new UnusableAnswer(
			'The registry service answered with a webhook without a signing secret, so the trigger cannot verify deliveries',
		);
	}

	const target = confirmedTarget(desired, answer);
	const state = answer.is_active === false ? 'paused' : 'active';
	const created: Subscription = { reference, company, id, secret, state, target };
	memory.byReference.set(reference, created);
	return created;
}

/** Gives a webhook the desired URL and events, and makes it active. @throws UnusableAnswer, or RegistryFailure */
export async function sendUpdate(requests: Requests, one: Subscription): Promise<void> {
	const { desired } = requests;
	const { url, events } = desired;
	const body = { url: withReference(url, one.reference), events, is_active: true };
	const answer = await change(requests, one, body);

	one.target = confirmedTarget(desired, answer);
	one.state = answer.is_active === false ? 'paused' : 'active';
	const problem = describeDifference(answer, desired);
	if (problem !== '') throw new UnusableAnswer(`The registry service shows the webhook ${problem}`);
	endGap(one, Date.now());
}

/**
 * Asks about a webhook that the list does not show, by an update that sets its URL again: the answer shows the events
 * and whether it is active. @returns its drift
 */
export async function sendProbe(requests: Requests, one: Subscription): Promise<Drift | undefined> {
	const { registry, signal } = requests;
	const url = withReference(one.target.url, one.reference);
	const answer = await updateWebhook(registry, one.id, { url }, signal);
	if (answer.is_active === false) return 'paused';
	return answer.events && lacksEvents(answer.events, one.target.events) ? 'unsure' : undefined;
}

/** @throws UnusableAnswer, or RegistryFailure */
export async function sendPause(requests: Requests, one: Subscription): Promise<void> {
	const { is_active } = await change(requests, one, { is_active: false });
	if (is_active) throw new UnusableAnswer('The registry service still shows it as active');
	one.state = 'paused';
}

/** Sends a change. The webhook is unsure while the service has not answered; a refusal changes nothing. */
async function change(requests: Requests, one: Subscription, body: WebhookChanges) {
	const { registry, signal } = requests;
	const before = one.state;
	if (before === 'active') one.state = 'unsure';

	return await updateWebhook(registry, one.id, body, signal).catch((reason: unknown) => {
		one.state = isUnclear(reason) ? 'unsure' : before;
		throw reason;
	});
}

/** How an answer differs from an active webhook with the desired events; empty if it does not. */
function describeDifference(answer: Partial<WebhookAnswer>, { events }: Target): string {
	if (answer.is_active === false) return 'as not active';
	const lacking = difference(documented(events), answer.events ?? events);
	return lacking.length > 0 ? `without ${lacking.join(' and ')}` : '';
}

/** The desired target, with other events where the answer lacks some of the desired ones. */
function confirmedTarget({ url, events }: Target, answer: Partial<WebhookAnswer>): Target {
	const shown = answer.events ?? events;
	const isAll = difference(documented(events), shown).length === 0;
	return { url, events: isAll ? events : shown };
}

/** Whether the service itself says that it has no such webhook, and the list does not show it. */
export function isProvenGone({ list }: Requests, one: Subscription, reason: unknown): boolean {
	return isGone(reason) && !list.webhooks.has(one.id);
}
