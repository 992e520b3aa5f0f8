import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry } from '../shared/registryApi';
import { identifyDeactivated, takeCleanUp } from './activation';
import { gatherKnown } from './gatherKnown';
import { readState, writeState, type TriggerIdentity, type TriggerState } from './knownWebhooks';
import { currentState, ownerOf, recall, recallState, remember, rememberState } from './processMemory';
import { noteEndOfAttempt, publishDeadline } from './publishingTime';
import { isUnderWay, takeTurn, type Turn } from './turns';
import { pauseAll } from './webhookRequests';

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
	publishDeadline(ownerOf(identity));
	if (!takeCleanUp(identity, stored) || !isReplaced(identity, stored)) {
		try {
			await takeTurn(ownerOf(identity), 'unpublish', async (turn) => {
				await pauseKnown(context, identity, stored, turn);
			});
		} catch (error) {
			context.logger.warn(
				`Company Registry Trigger: the webhooks of "${context.getNode().name}" could not be paused: ${error instanceof Error ? error.message : String(error)}`,
			);
		}
	}
	noteEndOfAttempt(ownerOf(identity));
	const state = currentState(identity, stored);
	if (state) writeState(staticData, identity, state);
}

/** Whether a later publish has taken the place of the failed one that this state belongs to. */
function isReplaced(identity: TriggerIdentity, stored: TriggerState | undefined): boolean {
	const latest = recallState(identity);
	return isUnderWay(ownerOf(identity)) || (latest?.published === true && latest.run !== stored?.run);
}

async function pauseKnown(
	context: IHookFunctions,
	identity: TriggerIdentity,
	stored: TriggerState | undefined,
	turn: Turn,
): Promise<void> {
	const state = currentState(identity, stored);
	if (state === undefined) return;
	const known = gatherKnown(identity, stored, state.account, []);
	rememberState(identity, { ...state, published: false }, stored);

	const registry = await openRegistry(context);
	turn.onOvertaken = () => registry.stopWaiting();
	if (registry.account !== state.account) {
		context.logger.warn(
			`Company Registry Trigger: "${context.getNode().name}" now uses another credential or base URL; the webhooks of ${state.account} stay as they are`,
		);
		return;
	}
	const active = known.filter(({ status }) => status !== 'paused');
	const paused = await pauseAll(context, registry, active, turn);
	const webhooks = known.map((webhook) =>
		paused.has(webhook) ? { ...webhook, status: 'paused' as const } : webhook,
	);
	for (const { reference, status, url } of webhooks) {
		const remembered = recall(reference, identity);
		if (remembered) remember({ ...remembered, status, url });
	}
	rememberState(identity, { ...state, published: false, webhooks }, stored);
}
