import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry } from '../../shared/registry/registryApi';
import { expectCleanUp, identifyActivated } from './activation';
import { readDestination } from '../memory/destination';
import { readState, writeState } from '../memory/knownWebhooks';
import { currentState, ownerOf } from '../memory/processMemory';
import { noteEndOfAttempt, notePublished, publishDeadline } from './publishingTime';
import { PublishRun } from './publishRun';
import { takeTurn } from './turns';
import { readWatchlist } from '../parameters/watchlist';

/**
 * Brings the account to the wanted state: one active webhook for each wanted company, none for others.
 * All or nothing: what a failed publish set up is paused again and kept for the next one.
 * @throws NodeOperationError for parameters that cannot be used, before any request
 * @throws NodeApiError saying how far it came, which company failed and what to do
 */
export async function publish(context: IHookFunctions): Promise<void> {
	const identity = identifyActivated(context);
	const watchlist = readWatchlist(context);
	const url = readDestination(context);
	const staticData = context.getWorkflowStaticData('global');
	const stored = readState(staticData, identity);
	const owner = ownerOf(identity);
	const deadline = publishDeadline(owner);
	let isDone = false;
	try {
		await takeTurn(owner, 'publish', async (turn) => {
			const registry = await openRegistry(context);
			turn.onOvertaken = () => registry.stopWaiting();
			registry.finishBy(deadline);
			const before = currentState(identity, readState(staticData, identity));
			await new PublishRun({
				context,
				registry,
				identity,
				watchlist,
				url,
				before,
				turn,
				deadline,
			}).carryOut();
		});
		isDone = true;
		notePublished(owner);
	} finally {
		// What a later run that overtook this one did, too: n8n may store this static data last.
		const state = currentState(identity, readState(staticData, identity));
		if (state) writeState(staticData, identity, state);
		if (!isDone) {
			noteEndOfAttempt(owner);
			expectCleanUp(identity, stored, state);
		}
	}
}
