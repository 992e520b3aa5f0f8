import type { IHookFunctions } from 'n8n-workflow';

import { concurrently } from '../../shared/concurrently';
import { messageOf } from '../../shared/registry/failures';
import type { Registry } from '../../shared/registry/registryApi';
import {
	CONCURRENT_REQUESTS,
	isGone,
	isListed,
	isUnanswered,
	listWebhooks,
	updateWebhook,
} from '../../shared/webhookRequests';
import { addressOf } from '../memory/destination';
import type { RememberedWebhook, TriggerMemory } from '../memory/triggerMemory';
import { readAddressChanged } from '../parameters/publishOptions';
import type { GoalSetup } from './reconciler';

/** After so many refusals in a row, assume that the service refuses all. */
const GIVE_UP_AFTER = 5;

/** An option that cannot be read must not keep the webhooks from being paused. */
function isSetToMoved(context: IHookFunctions): boolean {
	try {
		return readAddressChanged(context) === 'move';
	} catch (error) {
		context.logger.warn(
			`Company Registry Trigger: the options of "${context.getNode().name}" could not be read: ${messageOf(error)}`,
		);
		return false;
	}
}

/** Whether something else is wanted by now. */
interface Superseded {
	readonly isSuperseded: boolean;
}

/**
 * That all webhooks of the trigger are paused, from so many milliseconds on. What the node says is read
 * at once: when the webhooks are paused, n8n evaluates no expression for this context any more.
 */
export function pauseGoal(
	context: IHookFunctions,
	memory: TriggerMemory,
): (registry: Promise<Registry>, delay: number) => GoalSetup {
	const url = context.getNodeWebhookUrl('default') ?? '';
	// Set since an earlier change of address, it does not say what this one is.
	const isAnswered = memory.addressAnswer === 'move';
	const hasMoved = !isAnswered && isSetToMoved(context);
	const advice = isAnswered
		? 'If n8n has moved, publish here: that asks about the address. Unpublish once it is published'
		: "If n8n has moved, set 'Options' > 'Address Changed' to 'N8n Has Moved', publish and unpublish";
	return (registry, delay) => ({
		companies: [],
		registry,
		delay,
		carryOut: async (service, goal) => {
			if (addressOf(memory.url) !== addressOf(url) && !hasMoved) {
				return logStillActive(
					context,
					memory.current,
					`They deliver to ${memory.url}, and this n8n's address is ${url}. ${advice}`,
				);
			}
			service.finishBy(Infinity);
			await pauseCurrent(context, memory, service, goal);
			await pauseLeftAccounts(context, memory, goal);
		},
		onFailure: (reason) => {
			logStillActive(context, memory.current, messageOf(reason));
			return undefined;
		},
	});
}

async function pauseCurrent(
	context: IHookFunctions,
	memory: TriggerMemory,
	registry: Registry,
	goal: Superseded,
): Promise<void> {
	const active = memory.current.filter(({ status }) => status !== 'paused');
	if (active.length === 0) return;
	const listed = registry.account === memory.account ? undefined : await listWebhooks(registry);
	if (listed && !active.some((webhook) => isListed(webhook, listed))) {
		return logStillActive(
			context,
			active,
			`They belong to another account than the node's credential at ${registry.baseUrl}`,
		);
	}
	await pauseWebhooks(context, registry, active, goal, (webhook) =>
		memory.note({ ...webhook, status: 'paused' }),
	);
}

/** Pauses what the trigger has left behind at accounts that it used before. */
export async function pauseLeftAccounts(
	context: IHookFunctions,
	memory: TriggerMemory,
	goal: Superseded,
): Promise<void> {
	for (const [account, registry] of memory.leftAccounts) {
		const isActive = ({ status }: RememberedWebhook) => status !== 'paused';
		if (account !== memory.account) {
			registry.waitAgain();
			await pauseWebhooks(context, registry, memory.of(account).filter(isActive), goal, (webhook) =>
				memory.note({ ...webhook, status: 'paused' }),
			);
		}
		const isLeft = account !== memory.account && memory.of(account).some(isActive);
		if (!isLeft) memory.leftAccounts.delete(account);
	}
}

/**
 * Pauses as many of these webhooks as the service lets it, until something else is wanted. Never throws:
 * each failure is logged with id and company, and what stays active is left to the next publish.
 *
 * @param onPaused called at once for each that is paused
 */
export async function pauseWebhooks(
	context: IHookFunctions,
	registry: Registry,
	webhooks: RememberedWebhook[],
	goal: Superseded,
	onPaused: (webhook: RememberedWebhook) => void,
): Promise<void> {
	const left = new Set(webhooks);
	let failuresInARow = 0;
	let answers = 0;
	const givesUp = () => failuresInARow >= GIVE_UP_AFTER;
	await concurrently(webhooks, CONCURRENT_REQUESTS, async (webhook) => {
		if (goal.isSuperseded || givesUp()) return;
		const answersBefore = answers;
		try {
			await updateWebhook(registry, webhook.id, { is_active: false });
			answers++;
		} catch (reason) {
			if (!isUnanswered(reason)) answers++;
			if (!isGone(reason)) {
				// No request was answered meanwhile, so trying the others would only cost time.
				const isSilent = isUnanswered(reason) && answers === answersBefore;
				failuresInARow += isSilent ? GIVE_UP_AFTER : 1;
				context.logger.warn(
					`Company Registry Trigger: webhook ${webhook.id} of company ${webhook.company} could not be paused: ${messageOf(reason)}`,
				);
				return;
			}
		}
		failuresInARow = 0;
		left.delete(webhook);
		onPaused(webhook);
	});
	if (left.size > 0 && givesUp()) {
		context.logger.warn(
			`Company Registry Trigger: ${left.size} webhooks stay active until the workflow is published or unpublished again: ${namesOf([...left])}`,
		);
	}
}

/** Logs that webhooks stay active, with their ids and companies. */
function logStillActive(context: IHookFunctions, webhooks: RememberedWebhook[], why: string): void {
	const active = webhooks.filter(({ status }) => status !== 'paused');
	if (active.length === 0) return;
	context.logger.warn(
		`Company Registry Trigger: webhooks of "${context.getNode().name}" could not be paused and stay active: ${namesOf(active)}. ${why}`,
	);
}

/** Ids and companies, for the log. */
export function namesOf(webhooks: RememberedWebhook[]): string {
	return webhooks.map(({ id, company }) => `${id} (${company})`).join(', ');
}
