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
): Promise<void> {
	const { memory, registry, wanted, refusals, signal } = publication;
	const reference = randomBytes(16).toString('base64url');
	const url = withReference(wanted.url, reference);
	const webhook = { url, company_number: company, events: wanted.events };
	memory.creating.add(reference);
	const answer = await createWebhook(registry, webhook, signal)
		.catch((reason: unknown) => {
			const isUnclear = reason instanceof RegistryFailure && reason.kind === 'unclear';
			if (isUnclear) refusals.addLost(company, reason);
			throw reason;
		})
		.finally(() => memory.creating.delete(reference));
	const { id, secret } = answer;
	if (secret === undefined) {
		const what = `${id} and no signing secret, so nothing that it delivers could be verified`;
		throw notNew(company, what);
	}
	if (ids.has(id)) throw notNew(company, `${id}, which exists already`);
	ids.add(id);
	await confirm({ reference, company, id, secret }, answer, publication);
}

/** Gives a known webhook all that is wanted of it. @throws RegistryFailure, or UnusableAnswer */
export async function resumeSubscription(one: Subscription, publication: Publication) {
	await confirm(one, await update(one, publication), publication);
}

async function update(
	one: Subscription,
	{ memory, registry, wanted, signal }: Publication,
): Promise<Partial<WebhookAnswer>> {
	const url = withReference(wanted.url, one.reference);
	const body = { url, events: wanted.events, is_active: true };
	// Whichever of its events it has until the answer comes: what was active here stays so.
	const isActive = isActiveAt(one, wanted.url);
	memory.keep({ ...one, confirmed: isActive ? { url, events: [] } : undefined });
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
	isRepeated = false,
): Promise<void> {
	const { memory, wanted } = publication;
	const { events } = wanted;
	// By coincidence the id is somebody else's, who is not to be written to again.
	if (isOfAnother(one, answer)) {
		throw new UnusableAnswer(
			`The registry service shows webhook ${one.id} as one for company ${answer.company_number}. Ask the service's support`,
			'as one for another company',
		);
	}
	const difference = differenceIn(answer, events);
	if (difference === '') {
		const confirmed = { url: withReference(wanted.url, one.reference), events };
		return memory.keep({ ...one, confirmed });
	}
	memory.keep({ ...one, confirmed: undefined });
	if (!isRepeated) return await confirm(one, await update(one, publication), publication, true);
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
