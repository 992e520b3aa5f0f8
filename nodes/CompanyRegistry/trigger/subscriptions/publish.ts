import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { openRegistry } from '../../registry/registry';
import { identifyActivated } from '../memory/activatedTrigger';
import { addressOf, readDestination } from '../memory/destination';
import { forgetLeftBehind } from '../memory/leftBehind';
import { readState, writeState } from '../memory/savedState';
import type { TriggerMemory } from '../memory/triggerMemory';
import { memoryOf } from '../memory/triggers';
import {
	leavesOutRefused,
	readAddressChanged,
	testsWithSample,
} from '../parameters/publishOptions';
import { readWatchlist } from '../parameters/watchlist';
import { startSample } from '../samples/startSample';
import { keepAccountBefore } from './pausing/leftAccounts';
import { pauseGoal } from './pausing/pauseGoal';
import { explainPublishFailure, isOutOfTime } from './publishErrors';
import { WAIT, want } from './reconciler';
import { subscribe } from './subscribe';

/**
 * How long n8n 2.40 waits for a workflow to be published, all attempts together, in milliseconds: 70 %
 * of its lease of two minutes. The secrets of a publish that succeeds after that are not saved.
 */
const PATIENCE_OF_N8N = 84_000;
/**
 * A publish that is not done by then fails by itself, so that n8n saves its secrets. It also shows why: it
 * tries four times more, which takes 15 seconds, and past its patience shows only words of its own.
 */
const TIME_LIMIT = 62_000;

/**
 * Brings the account to the wanted state: one active webhook for each wanted company, none for others.
 * A test run with a sample event needs none of that.
 * What a failed publish has set up is kept for the next one, and paused unless that comes soon.
 * @throws NodeOperationError for parameters that cannot be used, before any request
 * @throws NodeApiError saying how far it came, which companies failed and what to do
 */
export async function publish(context: IHookFunctions): Promise<void> {
	const identity = identifyActivated(context);
	const watchlist = readWatchlist(context);
	if (identity.kind === 'test' && testsWithSample(context)) {
		return await startSample(context, identity, watchlist);
	}
	const url = readDestination(context);
	const staticData = context.getWorkflowStaticData('global');
	const stored = readState(staticData, identity);
	const memory = memoryOf(identity);
	memory.load(stored);
	useAddress(context, memory, url);
	memory.beginRun();
	memory.published = false;

	const registry = openRegistry(context);
	const usable = keepAccountBefore(memory, registry);
	const isUsable = usable.then(
		() => true,
		() => false,
	);
	const pauseAfter = pauseGoal(context, memory);
	const deadline = beginAttempt(memory);
	const hasTime = Date.now() < deadline;
	const { kind } = identity;
	const leavesOut = leavesOutRefused(context);
	const goal = want(memory, {
		companies: watchlist.companies,
		registry,
		carryOut: async (service, current) =>
			await subscribe(memory, current, {
				context,
				registry: service,
				kind,
				watchlist,
				url,
				leavesOut,
				deadline,
			}),
		onFailure: (reason) => {
			const delay = isOutOfTime(reason) ? WAIT.afterTimeOut : WAIT.forNextAttempt;
			return pauseAfter(usable, delay);
		},
	});
	try {
		await goal.outcome;
		memory.publishing = undefined;
	} catch (reason) {
		if (await isUsable) memory.expectCleanUp(stored?.runId);
		const error = explainPublishFailure(context.getNode(), reason);
		// n8n does not show it if it has stopped waiting by the end of its last attempt.
		if (hasTime && isOutOfTime(reason)) {
			context.logger.warn(
				`Company Registry Trigger: "${context.getNode().name}": ${error.message}`,
			);
		}
		throw error;
	} finally {
		if (memory.publishing) memory.publishing.ended = Date.now();
		// Also write what a later, overlapping publish did: n8n may save this run's static data last.
		const state = memory.toState();
		if (state) writeState(staticData, identity, state);
		forgetLeftBehind(staticData, identity);
	}
}

/** When this attempt has to be through, in milliseconds since the epoch. */
function beginAttempt(memory: TriggerMemory): number {
	const now = Date.now();
	const { began, ended } = memory.publishing ?? { began: 0, ended: 0 };
	const goesOn = now - ended < WAIT.forNextAttempt && now - began < PATIENCE_OF_N8N;
	memory.publishing = { began: goesOn ? began : now, ended: now };
	return memory.publishing.began + TIME_LIMIT;
}

/**
 * From now on the trigger's webhooks are to deliver to this URL.
 * @throws NodeOperationError where they deliver to another n8n and the user has not said what that is
 */
function useAddress(context: IHookFunctions, memory: TriggerMemory, url: string): void {
	const [before, now] = [addressOf(memory.url), addressOf(url)];
	const isChanged = memory.current.length > 0 && before !== now;
	if (isChanged || memory.addressAnswer !== undefined) {
		const answer = readAddressChanged(context);
		const isOld = answer === memory.addressAnswer;
		if (!isOld) memory.addressAnswer = undefined;
		if (isChanged) {
			if (answer === 'ask' || isOld) {
				throw new NodeOperationError(context.getNode(), askAboutAddress(before, now, isOld));
			}
			if (answer === 'copy') memory.setAsideCurrent(before);
			memory.addressAnswer = answer;
			context.logger.warn(
				`Company Registry Trigger: the webhooks of "${context.getNode().name}" delivered to ${before}. By 'Address Changed' they ${answer === 'copy' ? `are left alone, and new ones deliver to ${now}` : `deliver to ${now} from now on`}.`,
			);
		}
	}
	memory.url = url;
}

function askAboutAddress(before: string, now: string, isAnsweredBefore: boolean): string {
	const where = `The webhooks of this trigger deliver to ${before}, and this n8n's address is ${now}.`;
	const choice =
		"'N8n Has Moved' to have them deliver here, or to 'This Is a Copy' to leave them alone and create new ones";
	return isAnsweredBefore
		? `${where} 'Options' > 'Address Changed' is still set from an earlier change, so it may not be meant for this one. Set it to 'Ask' and publish, which fails once more. Then set it to ${choice}, and publish again.`
		: `${where} Set 'Options' > 'Address Changed' to ${choice}. Then publish again.`;
}
