import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry } from '../../registry/registry';
import { identifyActivated } from '../memory/activatedTrigger';
import { readDestination } from '../memory/destination';
import { readState, writeState } from '../memory/state';
import type { Subscription } from '../memory/subscription';
import { memoryOf, type TriggerMemory } from '../memory/trigger';
import { leavesOutRefused, testsWithSample } from '../parameters/publishOptions';
import { readWatchlist } from '../parameters/watchlist';
import { startSample } from '../samples/startSample';
import { useAddress } from './address';
import { describeLost, explainFailure, type Progress } from './errors';
import { pauseLater, pauseRest } from './pause';
import { outcomeOf, want } from './runner';
import { subscribe } from './subscribe';
import { N8N_WAITS, WAITS } from './waits';

/**
 * Brings the account to the wanted state: one active webhook for each wanted company, none for others.
 * A test run with a sample event needs none of that.
 * What a failed publish has set up is kept for the next one, and paused unless that comes soon.
 * @throws NodeOperationError for parameters that cannot be used, before any request
 * @throws NodeApiError saying how far it came, which companies failed and what to do
 */
export async function publish(context: IHookFunctions): Promise<void> {
	const identity = identifyActivated(context);
	const { companies, events } = readWatchlist(context);
	if (identity.kind === 'test' && testsWithSample(context)) {
		return await startSample(context, identity, { companies, events });
	}
	const url = readDestination(context);
	const staticData = context.getWorkflowStaticData('global');
	const memory = memoryOf(identity);
	memory.load(readState(staticData, identity));
	useAddress(context, memory, url);
	const registry = await openRegistry(context);
	const deadline = beginAttempt(memory);

	memory.published = false;
	memory.url = url;
	memory.events = events;
	memory.companies = new Set(companies);
	const leavesOut = leavesOutRefused(context);
	const progress: Progress = { done: 0, of: companies.length, lost: [] };
	let unwanted: Subscription[] = [];
	const run = want(memory, 'publish', [registry], async ({ signal: superseded }) => {
		const signal = AbortSignal.any([superseded, deadline]);
		const wanted = { companies, events, url, leavesOut };
		unwanted = await subscribe({ ...wanted, context, memory, registry, signal, progress });
		memory.published = true;
	});
	try {
		await outcomeOf(memory, run);
		memory.publishing = undefined;
		if (!run.signal.aborted) pauseRest(context, memory, run.registries, unwanted);
	} catch (reason) {
		const isLate = deadline.aborted;
		const error = explainFailure(context.getNode(), reason, progress, isLate);
		endAttempt(memory, isLate ? error : undefined);
		if (isLate) logWarning(context, `"${context.getNode().name}": ${error.message}`);
		if (memory.run === undefined) {
			const untilNext = isLate ? WAITS.afterTimeOut : WAITS.beforePausing;
			// Of a test, n8n makes no further attempt.
			const wait = identity.kind === 'test' ? 0 : untilNext;
			pauseLater({ context, identity, memory, registries: run.registries, wait });
		}
		throw error;
	} finally {
		// If n8n's own next attempt succeeds, it shows nothing of this one.
		if (progress.lost.length > 0) logWarning(context, describeLost(progress.lost));
		const state = memory.toState();
		if (state) writeState(staticData, identity, state);
	}
}

/**
 * n8n's attempts of one publish share its patience: what a later one sets up in a time of its own would
 * not be saved. One after there was no time left says the same again, because n8n shows the last.
 * @returns aborted once this attempt has no time left
 */
function beginAttempt(memory: TriggerMemory): AbortSignal {
	const now = Date.now();
	const { began, ended, failure } = memory.publishing ?? { began: 0, ended: 0 };
	const isNext = now - ended < WAITS.beforePausing && now - began < N8N_WAITS.forPublish;
	memory.publishing = { began: isNext ? began : now, ended: now, failure };
	if (isNext && failure !== undefined) throw failure;
	return AbortSignal.timeout(Math.max(0, memory.publishing.began + WAITS.forPublish - now));
}

function endAttempt(memory: TriggerMemory, failure: Error | undefined): void {
	if (memory.publishing) memory.publishing = { ...memory.publishing, ended: Date.now(), failure };
}

function logWarning(context: IHookFunctions, message: string): void {
	context.logger.warn(`Company Registry Trigger: ${message}`);
}
