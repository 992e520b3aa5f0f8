import type { IDataObject, IHookFunctions } from 'n8n-workflow';

import { openRegistry } from '../shared/registryApi';
import { identify } from './destination';
import { gatherKnown } from './gatherKnown';
import { readState, writeState, type TriggerIdentity, type TriggerState } from './knownWebhooks';
import {
	currentState,
	ownerOf,
	recall,
	recallState,
	remember,
	rememberState,
	takeFailedRun,
} from './processMemory';
import { isUnderWay, takeTurn, type Turn } from './turns';
import { pauseAll } from './webhookRequests';

/**
 * Pauses every webhook of the trigger; ids and secrets are kept for the next publish.
 * Never throws: unpublishing must succeed while the service is down. What could not be paused is
 * logged, and used or paused by the next publish.
 */
export async function unpublish(context: IHookFunctions): Promise<void> {
	const staticData = context.getWorkflowStaticData('global');
	const identity = identifyUnpublished(context, staticData);
	const state = readState(staticData, identity);
	if (state && takeFailedRun(state.run) && isReplaced(identity, state)) return;
	try {
		await takeTurn(ownerOf(identity), 'unpublish', async (turn) => {
			await pauseKnown(context, identity, state, turn);
		});
	} catch (error) {
		context.logger.warn(
			`Company Registry Trigger: the webhooks of "${context.getNode().name}" could not be paused: ${error instanceof Error ? error.message : String(error)}`,
		);
	}
	const written = recallState(identity);
	if (written) writeState(staticData, identity, written);
}

/** A test run has static data of its own, which names the test URL; all else is the published workflow. */
function identifyUnpublished(context: IHookFunctions, staticData: IDataObject): TriggerIdentity {
	const test = identify(context, 'test');
	const isTest = readState(staticData, test)?.url === context.getNodeWebhookUrl('default');
	return isTest ? test : identify(context, 'production');
}

/** Whether a later publish has taken the place of the failed one that this state belongs to. */
function isReplaced(identity: TriggerIdentity, state: TriggerState): boolean {
	const latest = recallState(identity);
	return isUnderWay(ownerOf(identity)) || (latest?.published === true && latest.run !== state.run);
}

async function pauseKnown(
	context: IHookFunctions,
	identity: TriggerIdentity,
	stored: TriggerState | undefined,
	turn: Turn,
): Promise<void> {
	const state = currentState(identity, stored);
	if (state === undefined) return;
	rememberState(identity, { ...state, published: false });

	const registry = await openRegistry(context);
	if (registry.account !== state.account) {
		context.logger.warn(
			`Company Registry Trigger: "${context.getNode().name}" now uses another credential or base URL; the webhooks of ${state.account} stay as they are`,
		);
		return;
	}
	const known = gatherKnown(identity, stored, registry.account, []);
	const active = known.filter(({ status }) => status !== 'paused');
	const paused = await pauseAll(context, registry, active, turn);
	for (const { reference } of paused) {
		const remembered = recall(reference, identity);
		if (remembered) remember({ ...remembered, status: 'paused' });
	}
	rememberState(identity, {
		...state,
		published: false,
		webhooks: known.map((webhook) => (paused.has(webhook) ? { ...webhook, status: 'paused' } : webhook)),
	});
}
