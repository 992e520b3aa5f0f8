import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry } from '../../registry/registry';
import { listWebhooks } from '../../registry/webhooks';
import { identifyActivated } from '../memory/activatedTrigger';
import { readDestination, withReference } from '../memory/destination';
import { readState } from '../memory/state';
import { sameMembers } from '../memory/subscription';
import { findMemory } from '../memory/trigger';
import { testsWithSample } from '../parameters/publishOptions';
import { readWatchlist } from '../parameters/watchlist';
import { describeUnchecked } from './errors';
import { isListedAs } from './plan';

/**
 * Whether the account is already as the node wants it, so that nothing has to be done.
 * Makes one list request at most, and none when the stored state alone says no.
 * @throws NodeOperationError for parameters that cannot be used, before any request
 */
export async function checkPublished(context: IHookFunctions): Promise<boolean> {
	const identity = identifyActivated(context);
	const { companies, events } = readWatchlist(context);
	if (identity.kind === 'test' && testsWithSample(context)) return false;
	const url = readDestination(context);
	const state = readState(context.getWorkflowStaticData('global'), identity);
	const memory = findMemory(identity);
	// While a run is at work, or about to begin, the account is still changing.
	if (memory?.run) return false;
	if (!state?.published || state.url !== url || !sameMembers(state.events, events)) return false;
	// Something older has been stored over what this process stored last: publishing stores it again.
	if (memory && memory.writtenAt > state.writtenAt) return false;
	const [{ account, subscriptions }] = state.groups;
	const watched = subscriptions.filter(({ status }) => status === 'watched');
	if (
		!sameMembers(
			watched.map(({ company }) => company),
			companies,
		)
	)
		return false;

	const registry = await openRegistry(context);
	if (registry.account !== account) return false;
	return await listWebhooks(registry).then(
		({ webhooks }) =>
			watched.every(({ id, reference }) =>
				isListedAs(webhooks.get(id), events, withReference(url, reference)),
			) &&
			subscriptions.every(
				({ id, status }) => status !== 'unknown' || webhooks.get(id)?.is_active === false,
			),
		(reason: unknown) => {
			// While the service cannot be asked, what is stored is trusted, so that deliveries keep flowing.
			context.logger.warn(
				`Company Registry Trigger: ${describeUnchecked(context.getNode(), reason)}`,
			);
			return true;
		},
	);
}
