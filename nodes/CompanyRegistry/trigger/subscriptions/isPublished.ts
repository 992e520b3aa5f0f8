import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry, type Registry } from '../../shared/registry/registryApi';
import { RegistryFailure } from '../../shared/registry/registryFailure';
import type { Webhook } from '../../shared/registry/schemas';
import { identifyActivated } from './activation';
import { readDestination } from '../memory/destination';
import { readState, type KnownWebhook } from '../memory/knownWebhooks';
import { sameEvents } from './plan';
import { currentState, ownerOf } from '../memory/processMemory';
import { isUnderWay } from './turns';
import { readWatchlist } from '../parameters/watchlist';
import { listWebhooks } from './webhookRequests';

/**
 * Whether the account is already as the node wants it, so that nothing has to be done.
 * Makes one list request at most, and none when the stored state alone says no.
 * @throws NodeOperationError for parameters that cannot be used, before any request
 */
export async function isPublished(context: IHookFunctions): Promise<boolean> {
	const identity = identifyActivated(context);
	const { companies, events } = readWatchlist(context);
	const url = readDestination(context);
	// A run that n8n has abandoned may still change what a look at the account would show.
	if (isUnderWay(ownerOf(identity))) return false;

	const state = readState(context.getWorkflowStaticData('global'), identity);
	// Something else has been stored over what this process stored last: publishing puts it right.
	const current = currentState(identity, state);
	if (state?.run !== current?.run || !current?.published) return false;
	if (!state?.published || state.url !== url || !sameEvents(state.events, events)) return false;
	const watched = state.webhooks.filter(({ status }) => status === 'watched');
	const known = new Set(watched.map(({ company }) => company));
	if (known.size !== companies.length || !companies.every((company) => known.has(company)))
		return false;
	if (state.webhooks.some(({ status }) => status === 'unpaused')) return false;

	const registry = await openRegistry(context);
	if (registry.account !== state.account) return false;
	const listed = await listOrTrust(context, registry);
	return listed === 'unknown' || watched.every((webhook) => isAsWanted(listed, webhook, events));
}

/** While the service is out of reach the stored state is trusted, so that deliveries keep flowing. */
async function listOrTrust(
	context: IHookFunctions,
	registry: Registry,
): Promise<Map<string, Webhook> | 'unknown'> {
	try {
		return await listWebhooks(registry);
	} catch (error) {
		const message = error instanceof RegistryFailure ? error.message : String(error);
		context.logger.warn(
			`Company Registry Trigger: "${context.getNode().name}" goes on with the webhooks it has, without having checked them: ${message}`,
		);
		return 'unknown';
	}
}

function isAsWanted(listed: Map<string, Webhook>, { id }: KnownWebhook, events: string[]): boolean {
	const webhook = listed.get(id);
	return webhook?.is_active === true && sameEvents(webhook.events, events);
}
