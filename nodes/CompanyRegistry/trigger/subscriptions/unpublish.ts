import type { IHookFunctions } from 'n8n-workflow';

import { messageOf } from '../../registry/failure';
import { openRegistry } from '../../registry/registry';
import { warn } from '../../shared/warn';
import { identifyDeactivated } from '../memory/identity';
import { readState, writeState } from '../memory/state';
import { memoryOf } from '../memory/trigger';
import { pauseLater } from './pause';
import { WAITS } from './waits';

/**
 * Has every subscription of the trigger paused in the background, unless it is published again within
 * twelve seconds; a test's at once. Ids and secrets are kept for the next publish.
 * Never throws: unpublishing must succeed while the service is down.
 */
export async function unpublish(context: IHookFunctions): Promise<void> {
	const staticData = context.getWorkflowStaticData('global');
	const identity = identifyDeactivated(context);
	if (identity === undefined) return;
	const memory = memoryOf(identity);
	memory.load(readState(staticData, identity));
	memory.published = false;
	const { run } = memory;
	// While pausing is planned, another unpublish changes nothing: n8n undoes each failed publish with one.
	if (run?.kind !== 'pause' && (memory.size > 0 || run !== undefined)) {
		// The credential has to be read before this returns; requests may be sent later.
		const registries = await openRegistry(context).then(
			(registry) => [registry],
			(reason: unknown) => {
				warn(context, `its credential cannot be used: ${messageOf(reason)}`);
				return [];
			},
		);
		const wait = identity.kind === 'test' ? 0 : WAITS.beforePausing;
		const isSuperseded = memory.run !== undefined && memory.run !== run;
		if (!isSuperseded) pauseLater({ context, identity, memory, registries, wait });
	}
	const state = memory.toState();
	if (state) writeState(staticData, identity, state);
}
