import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { RegistryFailure } from '../../registry/failure';
import { openRegistry, type Registry } from '../../registry/registry';
import { updateWebhook, type WebhookList } from '../../registry/webhooks';
import type { DesiredState } from '../records/desired';
import { AddressChanged } from '../records/failures';
import { addressOf, addressProblem } from './identity';
import type { TriggerMemory } from './memory';
import type { Subscription } from '../records/subscription';

/** With these the service says that a webhook does not belong to the account. */
const NOT_OURS = [403, 404, 410];

/**
 * The account that the node's credential opens. Where n8n's address is another one, only a person knows whether n8n has
 * moved or is a copy.
 * @param isPublish whether a person publishes, and not n8n starts or a check is due
 * @throws Error where it cannot be used: nothing was sent or changed then
 */
export async function openAccount(
	context: IHookFunctions | ITriggerFunctions,
	desired: DesiredState,
	memory: TriggerMemory,
	isPublish: boolean,
): Promise<Registry> {
	const registry = await openRegistry(context);
	const problem = addressProblem(desired.url, registry.baseUrl);
	if (problem) throw new Error(problem);
	const question = addressQuestion(memory, desired, isPublish);
	if (question) throw new AddressChanged(question);
	return registry;
}

/** The question that a person has to answer before this n8n may change the webhooks; undefined if there is none. */
export function addressQuestion(
	memory: TriggerMemory,
	{ url, options }: Pick<DesiredState, 'url' | 'options'>,
	isPublish: boolean,
): string | undefined {
	// A move that was carried out in part goes on.
	const elsewhere = webhooksElsewhere(memory, url);
	if (elsewhere.length === 0 || elsewhere.length < memory.subscriptions.length) return undefined;

	const { addressChanged: answer } = options;
	// The answer to an earlier question was meant for another change.
	const isOld = answer !== 'stop' && answer === memory.facts.usedAddressAnswer;
	if (isPublish && answer !== 'stop' && !isOld) return undefined;

	const [before, here] = [elsewhere[0].target.url, url].map((one) =>
		addressOf(one, memory.identity),
	);
	const step = isOld
		? "First publish with 'If Address Changed' (under Options) set to 'Stop Publishing', then again with it set"
		: "Publish with 'If Address Changed' (under Options) set";
	return `This trigger's webhooks deliver to ${before}, but this n8n's address is ${here}. ${step} to 'Move Webhooks Here' (n8n has moved) or 'Create New Webhooks' (a copy).`;
}

/** Known webhooks that the service last confirmed for another n8n. */
export function webhooksElsewhere(
	{ subscriptions, identity }: TriggerMemory,
	url: string,
): Subscription[] {
	const here = addressOf(url, identity);
	return subscriptions.filter(({ target }) => addressOf(target.url, identity) !== here);
}

/**
 * Whether the known webhooks belong to another account. To find out, it may send one update.
 * @throws RegistryFailure where that cannot be decided: new webhooks could double all of them
 */
export async function probeAccount(
	{ subscriptions, facts }: TriggerMemory,
	registry: Registry,
	list: WebhookList,
	signal: AbortSignal,
): Promise<boolean> {
	if (subscriptions.length === 0 || facts.account === registry.account) return false;
	if (subscriptions.some(({ id }) => list.webhooks.has(id))) return false;
	if (!facts.account.startsWith(`${registry.baseUrl}#`)) return true;

	const [one] = subscriptions;
	// The update is harmless: it sets the events that the webhook has anyway.
	const body = { events: one.target.events };
	return await updateWebhook(registry, one.id, body, signal).then(
		() => false,
		(reason: unknown) => {
			const isOfService = reason instanceof RegistryFailure && reason.serviceError !== undefined;
			if (isOfService && NOT_OURS.includes(reason.status ?? 0)) return true;
			throw reason;
		},
	);
}
