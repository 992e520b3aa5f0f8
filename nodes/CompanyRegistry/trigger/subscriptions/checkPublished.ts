import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry, type Registry } from '../../registry/registry';
import type { Webhook } from '../../registry/schemas';
import { listWebhooks } from '../../registry/webhooks';
import { identifyActivated } from '../memory/activatedTrigger';
import { readDestination, withReference } from '../memory/destination';
import { readState } from '../memory/savedState';
import { findMemory } from '../memory/triggers';
import { testsWithSample } from '../parameters/publishOptions';
import { readWatchlist } from '../parameters/watchlist';
import { isListedAs, sameEvents } from './plan';
import { describeUnchecked } from './publishErrors';

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
	if (memory?.runner) return false;
	// Another trigger has overwritten what this process stored last: publishing stores it again.
	if (memory && !memory.isSaved(state?.runId)) return false;
	if (!state?.published || state.url !== url || !sameEvents(state.events, events)) return false;
	const watched = state.webhooks.filter(({ status }) => status === 'watched');
	const known = new Set(watched.map(({ company }) => company));
	if (known.size !== companies.length || !companies.every((company) => known.has(company))) {
		return false;
	}
	if (state.webhooks.some(({ status }) => status === 'unconfirmed')) return false;

	const registry = await openRegistry(context);
	if (registry.account !== state.account) return false;
	const listed = await listOrTrust(context, registry);
	if (listed === 'unknown') return true;
	return watched.every(({ id, reference }) =>
		isListedAs(listed.get(id), events, withReference(url, reference)),
	);
}

/** While the service cannot be reached, trust the stored state, so that deliveries keep flowing. */
async function listOrTrust(
	context: IHookFunctions,
	registry: Registry,
): Promise<Map<string, Webhook> | 'unknown'> {
	try {
		return (await listWebhooks(registry)).webhooks;
	} catch (error) {
		context.logger.warn(`Company Registry Trigger: ${describeUnchecked(context.getNode(), error)}`);
		return 'unknown';
	}
}
