import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry } from '../../registry/registry';
import { identifyDeactivated } from '../memory/activatedTrigger';
import { readState, writeState } from '../memory/savedState';
import type { TriggerMemory } from '../memory/triggerMemory';
import { memoryOf } from '../memory/triggers';
import { mayBeActive } from '../memory/webhookLines';
import { testsWithSample } from '../parameters/publishOptions';
import { endSample } from '../samples/awaitedSample';
import { keepAccountBefore } from './pausing/leftAccounts';
import { pauseGoal } from './pausing/pauseGoal';
import { WAIT, want } from './reconciler';

/**
 * Has every webhook of the trigger paused in the background, unless it is published again within five
 * seconds; a test's at once. Ids and secrets are kept for the next publish.
 * Never throws: unpublishing must succeed while the service is down. What could not be paused is
 * logged, and used or paused by the next publish.
 */
export async function unpublish(context: IHookFunctions): Promise<void> {
	const staticData = context.getWorkflowStaticData('global');
	const identity = identifyDeactivated(context);
	const memory = memoryOf(identity);
	if (identity.kind === 'test' && testsWithSample(context)) {
		endSample(identity);
		// The sample may have taken the place of a test that listens for a real event: n8n tells of one end.
		if (!mayListen(memory)) return;
	}
	const stored = readState(staticData, identity);
	memory.load(stored);
	// The publish that failed has already said what is wanted now, and so may a later one have.
	const isAnythingToPause = memory.webhooks.size > 0 || memory.runner !== undefined;
	if (isAnythingToPause && !memory.takeExpectedCleanUp(stored?.runId)) {
		memory.beginRun();
		memory.published = false;
		const delay = identity.kind === 'test' ? 0 : WAIT.forChange;
		// The credential has to be read before this returns; requests may be sent later.
		const registry = keepAccountBefore(memory, openRegistry(context));
		const isRead = registry.catch(() => undefined);
		want(memory, pauseGoal(context, memory)(registry, delay));
		await isRead;
	}
	const state = memory.toState();
	if (state) writeState(staticData, identity, state);
}

/** Whether webhooks of a test are active, or about to be. */
function mayListen(memory: TriggerMemory): boolean {
	return memory.runner !== undefined || [...memory.webhooks.values()].some(mayBeActive);
}
