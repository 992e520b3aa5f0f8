import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry } from '../../registry/registry';
import { listWebhooks } from '../../registry/webhooks';
import { warn } from '../../shared/warn';
import { identifyActivated } from '../memory/identity';
import { readDestination } from '../memory/destination';
import { readState } from '../memory/state';
import { memoryOf } from '../memory/trigger';
import { readOptions } from '../parameters/options';
import { readWatchlist } from '../parameters/watchlist';
import { describeUnchecked } from './errors';
import { findUnconfirmed, makePlan } from './plan';

/**
 * Whether the account is already as the node wants it, so that nothing has to be done.
 * Makes one list request at most, and none when what is known here alone says no.
 * @throws NodeOperationError for parameters that cannot be used, before any request
 */
export async function checkPublished(context: IHookFunctions): Promise<boolean> {
	const wanted = { ...readWatchlist(context, readOptions(context)), url: readDestination(context) };
	const identity = identifyActivated(context);
	const memory = memoryOf(identity);
	const stored = readState(context.getWorkflowStaticData('global'), identity);
	// Something older may have been stored over what this process stored last: publishing stores it again.
	if (!stored?.published || memory.writtenAt > stored.writtenAt) return false;
	memory.load(stored);
	// While a run is at work, or about to begin, the account is still changing.
	if (memory.run !== undefined || findUnconfirmed(wanted, memory.known).length > 0) return false;
	const registry = await openRegistry(context);
	if (registry.account !== memory.current?.account) return false;
	return await listWebhooks(registry).then(
		({ webhooks }) => {
			const plan = makePlan(wanted, memory.known, webhooks);
			return plan.resume.length + plan.create.length + plan.pause.length === 0;
		},
		(reason: unknown) => {
			// While the service cannot be asked, what is stored is trusted, so that deliveries keep flowing.
			warn(context, describeUnchecked(reason));
			return true;
		},
	);
}
