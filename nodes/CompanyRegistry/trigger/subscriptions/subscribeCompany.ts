import { randomBytes } from 'crypto';

import { RegistryFailure } from '../../registry/failure';
import { createWebhook, updateWebhook, type WebhookAnswer } from '../../registry/webhooks';
import { withReference } from '../identity/destination';
import { isActiveAt, type Subscription } from '../memory/subscription';
import { documented, isOfAnother } from './plan';
import type { Publication } from './publication';
import { isGone, isOfOneCompany, UnusableAnswer } from './refusals';

/**
 * Creates a company's webhook and keeps it at once, in case this run never gets to store it.
 * @param ids webhooks that exist already
 * @throws RegistryFailure, UnusableAnswer, or Error where the answer is none to a new webhook
 */
export async function createSubscription(
	company: string,
	ids: Set<string>,
	publication: Publication,
	signal: AbortSignal,
): Promise<void> {
	const { memory, registry, wanted, refusals } = publication;
	const { events } = wanted;
	const reference = randomBytes(16).toString('base64url');
	const url = withReference(wanted.url, reference);
	memory.creating.add(reference);
	const answer = await createWebhook(registry, { url, company_number: company, events }, signal)
		.catch((reason: unknown) => {
			const isUnclear = reason instanceof RegistryFailure && reason.kind === 'unclear';
			if (isUnclear) refusals.addLost(company, reason);
			throw reason;
		})
		.finally(() => memory.creating.delete(reference));
	const { id, secret } = answer;
	if (secret === undefined) {
		throw notNew(
			company,
			`${id} and no signing secret, so nothing that it delivers could be verified`,
		);
	}
	if (ids.has(id)) throw notNew(company, `${id}, which exists already`);
	ids.add(id);
	await confirm({ reference, company, id, secret }, answer, publication, signal);
}

/**
 * Gives a known webhook today's destination and events and makes it active.
 * @throws RegistryFailure, or UnusableAnswer
 */
export async function resumeSubscription(
	one: Subscription,
	publication: Publication,
	signal: AbortSignal,
): Promise<void> {
	await confirm(one, await update(one, publication, signal), publication, signal);
}

/** Sends all that is wanted of a webhook. */
async function update(
	one: Subscription,
	{ memory, registry, wanted: { events, url } }: Publication,
	signal: AbortSignal,
): Promise<Partial<WebhookAnswer>> {
	const destination = withReference(url, one.reference);
	const body = { url: destination, events, is_active: true };
	// Whichever of its events it has until the answer comes: what was active here stays so.
	const isActive = isActiveAt(one, url);
	memory.keep({ ...one, confirmed: isActive ? { url: destination, events: [] } : undefined });
	return await updateWebhook(registry, one.id, body, signal).catch((reason: unknown) => {
		// One that is refused has stayed as it was, but for one that is not there.
		if (isGone(reason)) memory.keep({ ...one, confirmed: undefined });
		else if (isActive && isOfOneCompany(reason)) memory.keep(one);
		throw reason;
	});
}

/**
 * Keeps what the service has answered. Where that is not what was asked, it is asked for once more.
 * @throws UnusableAnswer where the service goes on showing something else
 */
async function confirm(
	one: Subscription,
	answer: Partial<WebhookAnswer>,
	publication: Publication,
	signal: AbortSignal,
	isRepeated = false,
): Promise<void> {
	const { memory, wanted } = publication;
	const { events, url } = wanted;
	// By coincidence the id is somebody else's, who is not to be written to again.
	if (isOfAnother(one, answer)) {
		throw new UnusableAnswer(
			`The registry service shows webhook ${one.id} as one for company ${answer.company_number}. Ask the service's support`,
			'as one for another company',
		);
	}
	const difference = differenceIn(answer, events);
	if (difference === '') {
		const confirmed = { url: withReference(url, one.reference), events };
		return memory.keep({ ...one, confirmed });
	}
	memory.keep({ ...one, confirmed: undefined });
	if (!isRepeated) {
		const again = await update(one, publication, signal);
		return await confirm(one, again, publication, signal, true);
	}
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

/** It may serve another workflow, so it is left as it is. */
function notNew(company: string, webhook: string): Error {
	return new Error(
		`The registry service answered the request for a new webhook for company ${company} with webhook ${webhook}. It is left as it is. If another workflow or program watches this company, the service may allow one webhook for each company`,
	);
}
