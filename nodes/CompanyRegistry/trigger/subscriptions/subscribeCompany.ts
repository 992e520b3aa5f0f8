import { randomBytes } from 'crypto';
import type { IHookFunctions } from 'n8n-workflow';

import { messageOf, RegistryFailure } from '../../registry/failure';
import type { Registry } from '../../registry/registry';
import { createWebhook, updateWebhook } from '../../registry/webhooks';
import type { RememberedWebhook, TriggerMemory } from '../memory/triggerMemory';
import { concernsOneCompany, isUnclear, isUnknown } from './answers';
import type { Wanted } from './plan';
import { SecretMissing } from './publishErrors';

/** What is needed to subscribe any company of one publish. */
export interface CompanySetup {
	memory: TriggerMemory;
	context: IHookFunctions;
	registry: Registry;
	wanted: Wanted;
	/** Told of a company whose new webhook may exist although the service's answer was lost. */
	onLost: (company: string) => void;
}

/**
 * Creates a company's webhook and remembers it at once, in case this run never gets to store it.
 * @throws RegistryFailure, or SecretMissing when the service sent no secret
 */
export async function createWebhookOf(company: string, setup: CompanySetup): Promise<void> {
	const { memory, context, registry, wanted, onLost } = setup;
	const { events } = wanted;
	const reference = randomBytes(16).toString('base64url');
	const url = wanted.urlOf(reference);
	const { id, secret } = await createWebhook(registry, {
		url,
		company_number: company,
		events,
	}).catch((reason: unknown) => {
		if (reason instanceof RegistryFailure && reason.kind === 'unclear') onLost(company);
		throw reason;
	});
	if (typeof secret !== 'string' || secret === '') {
		// Nothing that it delivers could ever be verified.
		await updateWebhook(registry, id, { is_active: false }).catch((reason: unknown) => {
			context.logger.warn(
				`Company Registry Trigger: webhook ${id} of company ${company} has no secret here and could not be paused; pause it at the service: ${messageOf(reason)}`,
			);
		});
		throw new SecretMissing(id);
	}
	const { account } = registry;
	memory.note({ reference, company, id, secret, account, url, events, status: 'watched' });
}

/**
 * Gives a known webhook today's destination and events and makes it active; replaces it when the
 * service neither lists nor knows it any more.
 * @throws RegistryFailure, or SecretMissing when its replacement came without a secret
 */
export async function resumeWebhook(
	webhook: RememberedWebhook,
	isListed: boolean,
	setup: CompanySetup,
): Promise<void> {
	const { memory, registry, wanted } = setup;
	const { events } = wanted;
	const url = wanted.urlOf(webhook.reference);
	// If the answer is lost, it may be active, and its destination is unknown.
	memory.note({ ...webhook, status: 'unconfirmed', url: undefined });
	const isResumed = await updateWebhook(registry, webhook.id, {
		url,
		events,
		is_active: true,
	}).then(
		() => true,
		(reason: unknown) => {
			// That the last attempt was refused says nothing of one before whose answer was lost.
			if (isUnclear(reason)) throw reason;
			if (!isListed && isUnknown(reason)) return false;
			// What the service has refused it has not changed.
			if (concernsOneCompany(reason)) memory.note(webhook);
			throw reason;
		},
	);
	if (isResumed) return memory.note({ ...webhook, status: 'watched', url, events });
	await createWebhookOf(webhook.company, setup);
	// Forgotten only after its replacement exists: a wrong 404 must not cost us the secret.
	memory.webhooks.delete(webhook.reference);
}
