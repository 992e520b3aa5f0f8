import type { IHookFunctions } from 'n8n-workflow';

import { messageOf } from '../../../registry/failure';
import type { Registry } from '../../../registry/registry';
import type { Webhook } from '../../../registry/schemas';
import { listWebhooks } from '../../../registry/webhooks';
import { addressOf } from '../../memory/destination';
import type { RememberedWebhook, TriggerMemory } from '../../memory/triggerMemory';
import { mayBeActive } from '../../memory/webhookLines';
import { readAddressChanged } from '../../parameters/publishOptions';
import { isListed } from '../answers';
import { pauseLeftAccounts } from './leftAccounts';
import { namesOf, pauseWebhooks, stayActive, type Superseded } from './pauseWebhooks';
import type { GoalSetup } from '../reconciler';

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
			service.waitAgain();
			try {
				await pauseCurrent(context, memory, service, goal);
			} finally {
				await pauseLeftAccounts(context, memory, service, goal);
			}
		},
		onFailure: (reason) => {
			logStillActive(context, memory.current, messageOf(reason));
			return undefined;
		},
	});
}

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

async function pauseCurrent(
	context: IHookFunctions,
	memory: TriggerMemory,
	registry: Registry,
	goal: Superseded,
): Promise<void> {
	const active = memory.current.filter(mayBeActive);
	if (active.length === 0) return;
	const service = await serviceOf(active, memory, registry);
	if (service === undefined) {
		return logStillActive(
			context,
			active,
			`They belong to another account than the node's credential at ${registry.baseUrl}`,
		);
	}
	await pauseWebhooks(context, service, active, goal, (webhook) => memory.note(webhook));
}

/**
 * The service as the account of these webhooks sees it; undefined where its key is not known here.
 * @throws RegistryFailure when the node's own service cannot be asked, and no other is known
 */
async function serviceOf(
	webhooks: RememberedWebhook[],
	memory: TriggerMemory,
	registry: Registry,
): Promise<Registry | undefined> {
	if (registry.account === memory.account) return registry;
	const before = memory.leftAccounts.get(memory.account);
	const listed = await listWebhooks(registry).then(
		({ webhooks: all }) => all,
		(reason: unknown) => {
			if (before === undefined) throw reason;
			return new Map<string, Webhook>();
		},
	);
	// The node's own comes first: of an account whose key was replaced, the one before may be invalid.
	if (webhooks.some((webhook) => isListed(webhook, listed))) return registry;
	before?.waitAgain();
	return before;
}

/** Logs that webhooks stay active, with their ids and companies. */
function logStillActive(context: IHookFunctions, webhooks: RememberedWebhook[], why: string): void {
	const active = webhooks.filter(mayBeActive);
	if (active.length === 0) return;
	context.logger.warn(
		`Company Registry Trigger: webhooks of "${context.getNode().name}" could not be paused and ${stayActive(active)}: ${namesOf(active)}. ${why}`,
	);
}
