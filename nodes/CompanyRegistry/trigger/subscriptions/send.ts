import { randomBytes } from 'crypto';

import { RegistryFailure } from '../../registry/failure';
import type { Registry } from '../../registry/registry';
import { createWebhook, updateWebhook, type WebhookAnswer } from '../../registry/webhooks';
import { withReference } from '../identity/destination';
import { documented, isOfAnother } from './plan';
import type { Round } from './round';
import { GivenUp, isGone, isOfOneCompany, UnusableAnswer } from './standings';
import type { Store } from '../memory/store';
import { isActiveAt, type Subscription, type SubscriptionSet } from '../memory/subscription';

/**
 * Creates a company's webhook and keeps it at once.
 * @param ids webhooks that exist already
 * @throws RegistryFailure, UnusableAnswer, GivenUp, or Error where the answer is none to a new webhook
 */
export async function createSubscription(
	round: Round,
	company: string,
	ids: Set<string>,
): Promise<void> {
	const { store, registry, wish, signal } = round;
	const reference = randomBytes(16).toString('base64url');
	const url = withReference(wish.url, reference);
	const webhook = { url, company_number: company, events: wish.events };
	store.creating.add(reference);
	const answer = await createWebhook(registry, webhook, signal)
		.catch((reason: unknown) => {
			const isLost = reason instanceof RegistryFailure && reason.kind === 'unclear';
			if (isLost) store.spent.set(company, reason);
			throw reason;
		})
		.finally(() => store.creating.delete(reference));
	store.spent.delete(company);
	const { id, secret } = answer;
	if (secret === undefined) {
		const what = `${id} and no signing secret, so nothing that it delivers could be verified`;
		throw spent(store, company, notNew(company, what));
	}
	if (ids.has(id)) throw spent(store, company, notNew(company, `${id}, which exists already`));
	ids.add(id);
	const one = { reference, company, id, secret, wroteAt: performance.now() };
	if (isOfAnother(one, answer)) {
		// It is ours all the same, and its secret is shown only now.
		store.keep(one);
		const words = `The registry service answered the request for a webhook for company ${company} with webhook ${id} for company ${answer.company_number}, so nothing more is asked for. Ask the service's support`;
		throw spent(store, company, new GivenUp(words, undefined));
	}
	await confirm(round, one, answer);
}

/** Gives a known webhook all that is wanted of it. @throws RegistryFailure, or UnusableAnswer */
export async function updateSubscription(round: Round, one: Subscription): Promise<void> {
	await confirm(round, one, await update(round, one));
}

/**
 * Pauses a webhook.
 * @throws RegistryFailure, or UnusableAnswer where the service goes on showing it as active
 */
export async function pauseSubscription(
	registry: Registry,
	store: Store,
	set: SubscriptionSet,
	{ reference }: Subscription,
	signal: AbortSignal,
): Promise<void> {
	const before = set.subscriptions.get(reference);
	if (before === undefined) return;
	const one = { ...before, wroteAt: performance.now() };
	// Until the answer comes it may be paused or not: a publish that comes meanwhile does not count on it.
	store.keep({ ...one, confirmed: undefined }, set);
	const paused = await updateWebhook(registry, one.id, { is_active: false }, signal).then(
		({ is_active }) => is_active !== true,
		(reason: unknown) => {
			if (isGone(reason)) return true;
			const isUnclear = reason instanceof RegistryFailure && reason.kind === 'unclear';
			if (!isUnclear) store.keep(before, set);
			throw reason;
		},
	);
	if (!paused) {
		store.keep(before, set);
		throw new UnusableAnswer('The registry service shows them as active', 'active');
	}
	store.keep({ ...one, confirmed: 'paused' }, set);
}

async function update(
	{ store, registry, wish, signal }: Round,
	one: Subscription,
): Promise<Partial<WebhookAnswer>> {
	const url = withReference(wish.url, one.reference);
	const body = { url, events: wish.events, is_active: true };
	// Whichever of its events it has until the answer comes: what was active here stays so.
	const isActive = isActiveAt(one, wish.url);
	store.keep({ ...one, confirmed: isActive ? { url, events: [] } : undefined });
	return await updateWebhook(registry, one.id, body, signal).catch((reason: unknown) => {
		// One that is refused has stayed as it was, but for one that is not there.
		if (isGone(reason)) store.keep({ ...one, confirmed: undefined });
		else if (isActive && isOfOneCompany(reason)) store.keep(one);
		throw reason;
	});
}

/**
 * Keeps what the service has answered. Where that is not what was asked, it is asked for once more.
 * @throws UnusableAnswer where the service goes on showing something else
 */
async function confirm(
	round: Round,
	one: Subscription,
	answer: Partial<WebhookAnswer>,
	isRepeated = false,
): Promise<void> {
	const { store, wish } = round;
	const { events } = wish;
	// By coincidence the id is somebody else's, who is not to be written to again.
	if (isOfAnother(one, answer)) {
		throw new UnusableAnswer(
			`The registry service shows webhook ${one.id} as one for company ${answer.company_number}. Ask the service's support`,
			'as one for another company',
		);
	}
	const wrote = { ...one, wroteAt: performance.now() };
	const difference = differenceIn(answer, events);
	if (difference === '') {
		const confirmed = { url: withReference(wish.url, one.reference), events };
		return store.keep({ ...wrote, confirmed });
	}
	store.keep({ ...wrote, confirmed: undefined });
	if (!isRepeated) return await confirm(round, wrote, await update(round, wrote), true);
	throw new UnusableAnswer(
		`The registry service shows webhook ${one.id} ${difference}, although that was asked of it twice. Ask the service's support`,
		difference,
	);
}

/** In words; empty where the answer shows nothing else than what was asked. */
function differenceIn({ is_active, events }: Partial<WebhookAnswer>, wanted: string[]): string {
	if (is_active === false) return 'as not active';
	const missing = documented(wanted).filter((name) => events?.includes(name) === false);
	return missing.length === 0 ? '' : `without ${missing.join(' and ')}`;
}

function spent(store: Store, company: string, reason: Error): Error {
	store.spent.set(company, reason);
	return reason;
}

/** It may serve another workflow, so it is left as it is. */
function notNew(company: string, webhook: string): Error {
	return new Error(
		`The registry service answered the request for a new webhook for company ${company} with webhook ${webhook}. It is left as it is. If another workflow or program watches this company, the service may allow one webhook for each company`,
	);
}
