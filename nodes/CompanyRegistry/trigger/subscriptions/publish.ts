import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry } from '../../registry/registry';
import { warn } from '../../shared/warn';
import { identifyActivated } from '../memory/identity';
import { readDestination } from '../memory/destination';
import { readState, writeState } from '../memory/state';
import type { Subscription } from '../memory/subscription';
import { memoryOf, type Run, type TriggerMemory } from '../memory/trigger';
import { readOptions } from '../parameters/options';
import { readWatchlist } from '../parameters/watchlist';
import { useAddress } from './address';
import { describeLost, explainFailure, type Progress } from './errors';
import { pauseLater } from './pause';
import { outcomeOf, want } from './runner';
import { subscribe } from './subscribe';
import { N8N_WAITS, WAITS } from './waits';

/**
 * Brings the account to the wanted state: one active webhook for each wanted company, none for others.
 * What a failed publish has set up is kept for the next one, and paused unless that comes soon.
 * @throws NodeOperationError for parameters that cannot be used, before any request
 * @throws NodeApiError saying how far it came, which companies failed and what to do
 */
export async function publish(context: IHookFunctions): Promise<void> {
	const options = readOptions(context);
	const wanted = { ...readWatchlist(context, options), url: readDestination(context) };
	const leavesOut = options.refusedCompanies === 'leaveOut';
	const identity = identifyActivated(context);
	const staticData = context.getWorkflowStaticData('global');
	const memory = memoryOf(identity);
	memory.load(readState(staticData, identity));
	useAddress(context, memory, wanted.url, options.addressChanged);
	const registry = await openRegistry(context);
	const deadline = beginAttempt(memory);

	memory.published = false;
	memory.url = wanted.url;
	memory.events = wanted.events;
	memory.companies = new Set(wanted.companies);
	const progress: Progress = { done: 0, of: wanted.companies.length, lost: [] };
	let unwanted: Subscription[] | undefined;
	const setUp = async ({ signal: superseded }: Run) => {
		const signal = AbortSignal.any([superseded, deadline]);
		unwanted = await subscribe({ context, memory, registry, wanted, leavesOut, signal, progress });
		memory.published = true;
	};
	const run = want(memory, 'publish', [registry], setUp);
	const failure = await outcomeOf(memory, run).then(
		() => undefined,
		(reason: unknown) => explainFailure(context.getNode(), reason, progress, deadline.aborted),
	);
	const isLate = failure !== undefined && deadline.aborted;
	const { began = 0 } = memory.publishing ?? {};
	memory.publishing = failure && {
		began,
		ended: Date.now(),
		failure: isLate ? failure : undefined,
	};
	// If n8n's own next attempt succeeds, it shows nothing of this one.
	if (isLate) warn(context, failure.message);
	if (progress.lost.length > 0) warn(context, describeLost(progress.lost));

	if (!run.signal.aborted) {
		const untilNext = isLate ? WAITS.afterTimeOut : WAITS.beforePausing;
		// Of a test, n8n makes no further attempt.
		const isLast = failure === undefined || identity.kind === 'test';
		const { registries } = run;
		pauseLater({ context, identity, memory, registries, unwanted, wait: isLast ? 0 : untilNext });
	}
	const state = memory.toState();
	if (state) writeState(staticData, identity, state);
	if (failure !== undefined) throw failure;
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
	const left = memory.publishing.began + WAITS.forPublish - now;
	return left > 0 ? AbortSignal.timeout(left) : AbortSignal.abort();
}
