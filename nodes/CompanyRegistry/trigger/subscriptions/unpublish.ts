import type { IHookFunctions } from 'n8n-workflow';

import { messageOf } from '../../registry/failure';
import { openRegistry } from '../../registry/registry';
import { waitUnlessAborted } from '../../shared/async';
import { warn } from '../../shared/words';
import { addressOf } from '../identity/destination';
import { identify, identifyTest, type TriggerIdentity } from '../identity/identity';
import { next } from '../memory/phase';
import { readState } from '../memory/state';
import { findMemory, memoryOf, writeAll } from '../memory/trigger';
import { messagesEnded } from '../messages/sendMessage';
import { pauseLater } from './pause';
import { WAITS } from './waits';

/**
 * Has every subscription of the trigger paused in the background, unless it is published again soon; a test's
 * at once. Never throws: unpublishing must succeed while the service is down.
 */
export async function unpublish(context: IHookFunctions): Promise<void> {
	const identity = identifyDeactivated(context);
	if (identity === undefined) return;
	const staticData = context.getWorkflowStaticData('global');
	const memory = memoryOf(identity);
	memory.load(readState(staticData, identity));
	const { run } = memory;
	// While pausing is planned, another unpublish changes nothing: n8n undoes each failed publish with one.
	if (run?.kind !== 'pause' && (memory.all.length > 0 || run !== undefined)) {
		run?.abort();
		memory.phase = next(memory.phase, 'unpublish', 0);
		// The credential has to be read before this returns; requests may be sent later.
		const registry = await openRegistry(context).catch((reason: unknown) => {
			warn(context, `its credential cannot be used: ${messageOf(reason)}`);
			return undefined;
		});
		await messagesEnded(identity);
		// What is being made is stored with the rest, if its answer comes soon.
		await Promise.race([
			run?.done.catch(() => undefined),
			waitUnlessAborted(run ? WAITS.takeOver : 0),
		]);
		const isSuperseded = memory.run !== undefined && memory.run !== run;
		if (!isSuperseded) pauseLater({ context, identity, memory, registry });
	}
	writeAll(staticData, identity);
}

/** What n8n is taking down, which only the URL tells. Undefined for a test that another main process has begun. */
function identifyDeactivated(context: IHookFunctions): TriggerIdentity | undefined {
	const test = identifyTest(context);
	if (test !== undefined) return test;
	const production = identify(context, 'production');
	const staticData = context.getWorkflowStaticData('global');
	const known = findMemory(production)?.url || readState(staticData, production)?.url;
	const url = context.getNodeWebhookUrl('default') ?? '';
	return known && endpointOf(known) !== endpointOf(url) ? undefined : production;
}

/** Under which n8n serves published workflows, or tests. Their hosts may differ, too. */
function endpointOf(url: string): string {
	return addressOf(url).split('/').pop() ?? '';
}
