import type { IHookFunctions } from 'n8n-workflow';

import { messageOf } from '../../shared/registry/failures';
import { openRegistry } from '../../shared/registry/registryApi';
import { identifyDeactivated, takeCleanUp } from './activation';
import { gatherKnown } from '../memory/gatherKnown';
import {
	readState,
	writeState,
	type KnownWebhook,
	type TriggerIdentity,
	type TriggerState,
} from '../memory/knownWebhooks';
import {
	currentState,
	ownerOf,
	recall,
	recallState,
	remember,
	rememberState,
} from '../memory/processMemory';
import { noteEndOfAttempt, publishDeadline } from './publishingTime';
import { isUnderWay, takeTurn, type Turn } from './turns';
import { namesOf, pauseAll } from './webhookRequests';

/**
 * Pauses every webhook of the trigger; ids and secrets are kept for the next publish.
 * Never throws: unpublishing must succeed while the service is down. What could not be paused is
 * logged, and used or paused by the next publish.
 */
export async function unpublish(context: IHookFunctions): Promise<void> {
	const staticData = context.getWorkflowStaticData('global');
	const identity = identifyDeactivated(context);
	const stored = readState(staticData, identity);
	// When a changed trigger is published, this comes first and takes its share of the time.
	const deadline = publishDeadline(ownerOf(identity));
	if (!takeCleanUp(identity, stored) || !isReplaced(identity, stored)) {
		try {
			await takeTurn(ownerOf(identity), 'unpublish', async (turn) => {
				await pauseKnown(context, identity, stored, turn, deadline);
			});
		} catch (error) {
			const { webhooks = [] } = currentState(identity, stored) ?? {};
			logLeft(context, webhooks, messageOf(error));
		}
	}
	noteEndOfAttempt(ownerOf(identity));
	const state = currentState(identity, stored);
	if (state) writeState(staticData, identity, state);
}

function isActive({ status }: KnownWebhook): boolean {
	return status !== 'paused';
}

function logLeft(context: IHookFunctions, webhooks: KnownWebhook[], why: string): void {
	const active = webhooks.filter(isActive);
	if (active.length === 0) return;
	context.logger.warn(
		`Company Registry Trigger: webhooks of "${context.getNode().name}" could not be paused and stay active: ${namesOf(active)}. ${why}`,
	);
}

/** Whether a later publish has taken the place of the failed one that this state belongs to. */
function isReplaced(identity: TriggerIdentity, stored: TriggerState | undefined): boolean {
	const latest = recallState(identity);
	return (
		isUnderWay(ownerOf(identity)) || (latest?.published === true && latest.run !== stored?.run)
	);
}

async function pauseKnown(
	context: IHookFunctions,
	identity: TriggerIdentity,
	stored: TriggerState | undefined,
	turn: Turn,
	deadline: number,
): Promise<void> {
	const state = currentState(identity, stored);
	if (state === undefined) return;
	const known = gatherKnown(identity, stored, state.account, []);
	rememberState(identity, { ...state, published: false }, stored);

	const registry = await openRegistry(context);
	if (registry.account !== state.account) {
		logLeft(
			context,
			known,
			`The node now uses another credential or base URL than ${state.account}`,
		);
		return;
	}
	turn.onOvertaken = () => registry.stopWaiting();
	registry.finishBy(deadline);
	const paused = await pauseAll(context, registry, known.filter(isActive), turn, deadline);
	const webhooks = known.map((webhook) =>
		paused.has(webhook) ? { ...webhook, status: 'paused' as const } : webhook,
	);
	for (const { reference, status, url } of webhooks) {
		const remembered = recall(reference, identity);
		if (remembered) remember({ ...remembered, status, url });
	}
	rememberState(identity, { ...state, published: false, webhooks }, stored);
}
