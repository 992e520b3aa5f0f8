import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry } from '../../registry/registry';
import { listWebhooks } from '../../registry/webhooks';
import { identifyActivated } from '../memory/identity';
import { readDestination } from '../memory/destination';
import { readState } from '../memory/state';
import { sameMembers } from '../memory/subscription';
import { memoryOf } from '../memory/trigger';
import { readWatchlist } from '../parameters/watchlist';
import { describeUnchecked } from './errors';
import { makePlan } from './plan';

/**
 * Whether the account is already as the node wants it, so that nothing has to be done.
 * Makes one list request at most, and none when what is known here alone says no.
 * @throws NodeOperationError for parameters that cannot be used, before any request
 */
export async function checkPublished(context: IHookFunctions): Promise<boolean> {
	const { companies, events } = readWatchlist(context);
	const url = readDestination(context);
	const identity = identifyActivated(context);
	const memory = memoryOf(identity);
	const stored = readState(context.getWorkflowStaticData('global'), identity);
	// Something older may have been stored over what this process stored last: publishing stores it again.
	if (!stored?.published || memory.writtenAt > stored.writtenAt) return false;
	memory.load(stored);
	const { run, current } = memory;
	const watched = memory.known.filter((one) => memory.isAsWanted(one));
	const isAsWanted =
		memory.url === url &&
		sameMembers(memory.events, events) &&
		sameMembers(
			watched.map(({ company }) => company),
			companies,
		);
	// While a run is at work, or about to begin, the account is still changing.
	if (!isAsWanted || run !== undefined) return false;

	const registry = await openRegistry(context);
	if (registry.account !== current?.account) return false;
	return await listWebhooks(registry).then(
		({ webhooks }) => {
			const plan = makePlan({ companies, events, url }, memory.known, webhooks);
			return plan.resume.length + plan.create.length + plan.pause.length === 0;
		},
		(reason: unknown) => {
			// While the service cannot be asked, what is stored is trusted, so that deliveries keep flowing.
			context.logger.warn(
				`Company Registry Trigger: ${describeUnchecked(context.getNode(), reason)}`,
			);
			return true;
		},
	);
}
