import type { IHookFunctions } from 'n8n-workflow';

import { concurrently } from '../../../shared/concurrently';
import { messageOf } from '../../../registry/failure';
import { CONCURRENT_REQUESTS, type Registry } from '../../../registry/registry';
import { updateWebhook } from '../../../registry/webhooks';
import type { RememberedWebhook } from '../../memory/triggerMemory';
import { isGone, isUnanswered, isUnclear } from '../answers';

/** After so many refusals in a row, assume that the service refuses all. */
const GIVE_UP_AFTER = 5;

/** Whether something else is wanted by now. */
export interface Superseded {
	readonly isSuperseded: boolean;
}

/**
 * Pauses as many of these webhooks as the service lets it, until something else is wanted. Never throws:
 * each failure is logged with id and company, and what stays active is left to the next publish.
 *
 * @param note called at once with each that is paused, or of which that is not known
 */
export async function pauseWebhooks(
	context: IHookFunctions,
	registry: Registry,
	webhooks: RememberedWebhook[],
	goal: Superseded,
	note: (webhook: RememberedWebhook) => void,
): Promise<void> {
	const left = new Map(webhooks.map((webhook) => [webhook.reference, webhook]));
	let failuresInARow = 0;
	let answers = 0;
	const givesUp = () => failuresInARow >= GIVE_UP_AFTER;
	await concurrently(webhooks, CONCURRENT_REQUESTS, async (webhook) => {
		if (goal.isSuperseded || givesUp()) return;
		const answersBefore = answers;
		const failure = await pause(registry, webhook);
		if (!isUnanswered(failure)) answers++;
		if (failure === undefined) {
			failuresInARow = 0;
			left.delete(webhook.reference);
			return note({ ...webhook, status: 'paused' });
		}
		// No request was answered meanwhile, so trying the others would only cost time.
		const isSilent = isUnanswered(failure) && answers === answersBefore;
		failuresInARow += isSilent ? GIVE_UP_AFTER : 1;
		logFailure(context, webhook, failure);
		if (!isUnclear(failure)) return;
		const unclear = unconfirmed(webhook);
		left.set(webhook.reference, unclear);
		note(unclear);
	});
	if (givesUp()) {
		const active = [...left.values()];
		context.logger.warn(
			`Company Registry Trigger: ${active.length} webhooks ${stayActive(active)} until the workflow is published or unpublished again: ${namesOf(active)}`,
		);
	}
}

/** Why it could not be paused; undefined when it is paused, or does not exist any more. */
async function pause(registry: Registry, { id }: RememberedWebhook): Promise<unknown> {
	return await updateWebhook(registry, id, { is_active: false }).then(
		() => undefined,
		(reason: unknown) => (isGone(reason) ? undefined : reason),
	);
}

/**
 * It may be paused by now, or be in a moment. Without its URL, the next publish does not take it for
 * watched even where the service lists it as active, but resumes it.
 */
function unconfirmed(webhook: RememberedWebhook): RememberedWebhook {
	return { ...webhook, status: 'unconfirmed', url: undefined };
}

function logFailure(
	context: IHookFunctions,
	{ id, company }: RememberedWebhook,
	failure: unknown,
): void {
	const outcome = isUnclear(failure)
		? 'could not be paused for certain and may stay active'
		: 'could not be paused';
	context.logger.warn(
		`Company Registry Trigger: webhook ${id} of company ${company} ${outcome}: ${messageOf(failure)}`,
	);
}

/** What is known of webhooks that are not paused, for the log. */
export function stayActive(webhooks: RememberedWebhook[]): string {
	return webhooks.some(({ status }) => status === 'unconfirmed')
		? 'may stay active'
		: 'stay active';
}

/** Ids and companies, for the log. */
export function namesOf(webhooks: RememberedWebhook[]): string {
	return webhooks.map(({ id, company }) => `${id} (${company})`).join(', ');
}
