import { difference, intersection, map, pick, union } from 'lodash';
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { messageOf } from '../../registry/failure';
import { openRegistry, type Registry } from '../../registry/registry';
import { waitUnlessAborted } from '../../shared/async';
import { nodeError, warn } from '../../shared/format';
import { reportItem, type WatchReport } from '../parameters/watchReport';
import { openAccount } from './account';
import { emptyDesired, type DesiredState } from './desired';
import { followLink } from './followedLink';
import {
	describeFailedPublish,
	describeOutcome,
	describeUnpaused,
	type Circumstances,
} from './messages';
import { emit, reportOnce } from './notifier';
import { isTemporary, outcomeOf, type Outcome } from './outcome';
import { reconcile, type Pass } from './reconcile';
import { isDue, nextCheck, TIMES } from './schedule';
import type { TriggerMemory } from './state';

/** An operation under way, or waiting for the previous one to end. */
interface Run {
	readonly occasion: Pass['occasion'];
	/** Never rejects. */
	readonly done: Promise<void>;
	readonly abort: () => void;
}

/** Brings the account to the desired state of one trigger, and keeps it there. */
export class Controller {
	run: Run | undefined;
	/** n8n's context of the published trigger; undefined while n8n has taken it down. */
	private context: ITriggerFunctions | undefined;
	/** When the next check is due, in milliseconds since the epoch. */
	private dueAt = 0;
	/** Since when passes fail for a reason that may pass, in the same unit. */
	private failingSince: number | undefined;
	/** When a pass last found nothing to repair. */
	private healthyAt: number | undefined;
	/** The state that Watch Report last showed, or would have; undefined until the first pass of this process. */
	private lastState: WatchReport['state'] | undefined;
	/** When n8n started this trigger, in milliseconds since the epoch, until that is reported. */
	private startedAt: number | undefined;
	/** A publish that failed: when it began, in milliseconds of `performance.now()`, and how often that was repeated. */
	private failed: { what: string; error: Error; began: number; repeats: number } | undefined;

	constructor(private readonly memory: TriggerMemory) {}

	/** n8n lets the trigger act from now on. */
	attach(context: ITriggerFunctions): void {
		this.context = context;
		this.tick(Date.now());
	}

	/** n8n takes the trigger down, or stops: the state is stored. */
	async detach(context: ITriggerFunctions): Promise<void> {
		const { run, memory } = this;
		if (this.context === context && run?.occasion !== 'unpublish') await this.stop(run);
		// A new activation may have attached meanwhile.
		if (this.context !== context) return;
		// A request that is still open may create a webhook.
		if (memory.isChanged || this.run !== undefined) this.persist();
		this.context = undefined;
	}

	/** n8n starts: the pass runs in the background and removes no watched company. */
	resume(desired: DesiredState, watched: string[]): void {
		const { memory } = this;
		memory.desired = { ...desired, companies: union(desired.companies, watched) };
		memory.updateFacts({ status: 'published' });
		this.startedAt = Date.now();
		// An unpublish that waits must not go on, also where n8n has not attached the trigger yet.
		this.run?.abort();
		this.check();
	}

	/** A minute has passed. @param at milliseconds since the epoch */
	tick(at: number): void {
		const every = this.memory.desired?.options.checkEvery ?? 'hour';
		if (this.run === undefined && isDue(this.dueAt, every, at)) this.check();
	}

	private check(): void {
		const { context, memory, startedAt, healthyAt } = this;
		const { desired, facts } = memory;
		// One that does not begin, or is aborted, is due again.
		this.dueAt = 0;
		if (!context || !desired || facts.status !== 'published') return;
		this.begin('check', async (signal) => {
			const opening = openAccount(context, desired, memory, false);
			const outcome = await this.pass(context, 'check', signal, opening);
			const circumstances = { before: desired.companies, startedAt, healthyAt };
			if (!signal.aborted) this.conclude(outcome, circumstances, 'check');
		});
	}

	/**
	 * Answers once the pass has ended, or after ten seconds with a desired company watched; after a minute with none it
	 * fails. The pass continues in the background.
	 * @throws NodeOperationError where nothing desired is watched; also for refusals where a first publish ends in time
	 */
	async publish(context: IHookFunctions, read: DesiredState): Promise<void> {
		const { memory, failed, startedAt, healthyAt } = this;
		const began = performance.now();
		const isFirst = memory.facts.status === 'new';
		const opening = openAccount(context, read, memory, true);
		const account = await opening.then((registry) => registry.account).catch(() => undefined);
		if (read.problem && outcomeOf(memory, read).delivering.length === 0) {
			throw nodeError(context, messageOf(read.problem));
		}
		// The question about another address is asked again, so the next answer is a new one.
		if (read.options.addressChanged === 'stop') memory.updateFacts({ addressChanged: 'stop' });
		// n8n's four other attempts share its time, and after the last one it would show its own words.
		const what = JSON.stringify([context.getNode().parameters, account]);
		const isRecent = failed?.what === what && began - failed.began < TIMES.allAttempts;
		if (isRecent && failed.repeats < 4) {
			failed.repeats++;
			throw failed.error;
		}

		const before = map(memory.withStatus('active'), 'company');
		const circumstances = { before, gap: this.gapBefore(read), startedAt, healthyAt };
		memory.desired = read;
		memory.updateFacts({ status: 'published', reported: undefined });
		let ended: Outcome | undefined;
		let isAnswered = false;
		const run = this.begin('publish', async (signal) => {
			const outcome = await this.pass(context, isFirst ? 'first' : 'publish', signal, opening);
			if (signal.aborted) return;
			ended = outcome;
			if (isAnswered) this.conclude(outcome, circumstances, 'publish');
		});
		const current = () => ended ?? outcomeOf(memory, memory.desired ?? read);
		const isLate = () => {
			const elapsed = performance.now() - began;
			const isWatching = elapsed >= TIMES.earlyAnswer && current().delivering.length > 0;
			return isWatching || elapsed >= TIMES.latestAnswer;
		};
		while (this.run === run && !isLate()) await Promise.race([run.done, waitUnlessAborted(100)]);
		// A newer change has replaced this one, and n8n would undo it for an error here.
		if (this.run !== run && ended === undefined) return;
		const outcome = current();
		if (failsPublish(outcome, isFirst)) {
			run.abort();
			memory.updateFacts({ status: isFirst ? 'new' : 'unpublished' });
			const error = nodeError(context, describeFailedPublish(outcome, ended === undefined));
			this.failed = { what, error, began, repeats: 0 };
			throw error;
		}
		this.failed = undefined;
		memory.updateFacts({ takenDownAt: undefined });
		if (ended) return this.conclude(outcome, circumstances, 'answer');
		isAnswered = true;
		const { status } = describeOutcome(outcome, { ...circumstances, isSettingUp: true });
		this.show(status, outcome, true);
	}

	/** Webhooks are paused later, unless a publish begins before that. */
	async unpublish(context: IHookFunctions): Promise<void> {
		const { memory, run } = this;
		if (memory.facts.status === 'published') {
			memory.updateFacts({ status: 'unpublished', takenDownAt: Date.now() });
		}
		// n8n undoes each attempt of a failed publish with an unpublish.
		if (run?.occasion === 'unpublish') return;
		// The credential can be read only before this returns.
		const opened = await openRegistry(context).catch((reason: Error) => reason);
		await this.stop(run);
		if (memory.all.length === 0 || (this.run !== undefined && this.run !== run)) return;
		const desired = emptyDesired(context.getNodeWebhookUrl('default') ?? '', memory.facts.events);
		this.begin('unpublish', async (signal) => {
			const why = await this.pauseAll(desired, opened, signal);
			const active = memory.all.filter(({ status, id }) => status !== 'paused' && id !== '');
			if (why !== '' && active.length > 0) warn(context, describeUnpaused(active, why));
		});
	}

	/** A few attempts. @returns why webhooks may stay active; empty if none does, or a publish begins */
	private async pauseAll(desired: DesiredState, opened: Registry | Error, signal: AbortSignal) {
		const { memory, persist } = this;
		let why = '';
		for (const wait of [TIMES.beforePausing, ...TIMES.pauseAgain]) {
			await waitUnlessAborted(wait, signal);
			if (signal.aborted) return '';
			if (opened instanceof Error) return messageOf(opened);
			const pass = { memory, desired, registry: opened, signal, persist };
			const { failedPauses, failure } = await reconcile({ ...pass, occasion: 'unpublish' });
			why = failedPauses?.why ?? (failure === undefined ? '' : messageOf(failure));
			const mayPass = failure === undefined || isTemporary(failure);
			if (why === '' || !mayPass) return why;
		}
		return why;
	}

	/** One pass, and what has to be read before it: what cannot be read is the failure of its outcome. */
	private async pass(
		context: IHookFunctions | ITriggerFunctions,
		occasion: Pass['occasion'],
		signal: AbortSignal,
		opening: Promise<Registry>,
	): Promise<Outcome> {
		const { memory, persist } = this;
		const read = memory.desired as DesiredState;
		try {
			const registry = await opening;
			const isFresh = occasion !== 'check' && context.getActivationMode() === 'activate';
			const keep = (problem: Error): DesiredState => ({ ...read, problem });
			const desired = await followLink(context, read, memory, isFresh).catch(keep);
			if (signal.aborted) return outcomeOf(memory, read);
			memory.desired = desired;
			const { companies, options, refusal, problem, followed } = desired;
			if (!problem) memory.updateFacts({ list: followed && pick(followed, 'digest', 'text') });
			const isRefused = occasion === 'first' && options.unwatchable === 'stop' && refusal !== '';
			if (isRefused) return outcomeOf(memory, { ...desired, unreadable: [] }, new Error(refusal));
			if (companies.length === 0) return outcomeOf(memory, desired, problem);
			return await reconcile({ memory, desired, registry, occasion, signal, persist });
		} catch (reason) {
			return outcomeOf(memory, read, reason);
		}
	}

	/** Between which times desired companies were not watched, in milliseconds since the epoch. */
	private gapBefore({ companies }: DesiredState): Circumstances['gap'] {
		const { all, facts } = this.memory;
		const [from, to] = [facts.takenDownAt ?? Infinity, Date.now()];
		const wasWatched = intersection(companies, map(all, 'company')).length > 0;
		return wasWatched && to - from >= TIMES.beforePausing ? { from, to } : undefined;
	}

	/**
	 * Plans the next check, and reports, shows and stores what a pass came to.
	 * @param occasion `answer`: a publish that n8n still waits for, and saves afterwards
	 */
	private conclude(
		outcome: Outcome,
		circumstances: Circumstances,
		occasion: 'answer' | 'publish' | 'check',
	): void {
		const { memory, context } = this;
		const { desired, drift, failure, leftActive, lost, watched } = outcome;
		const at = Date.now();
		const reason = failure ?? desired.problem;
		// The list may soon show that a lost webhook was never created.
		const mayPass = isTemporary(reason) || difference(lost, watched).length > 0;
		this.failingSince = mayPass ? (this.failingSince ?? at) : undefined;
		this.dueAt = nextCheck(memory.identity.node, desired.options.checkEvery, at, this.failingSince);
		// A failure that passes soon is not reported, unless it is that of a publish.
		const isReported = occasion !== 'check' || drift.size + leftActive.length > 0;
		if (isReported || at - (this.failingSince ?? -Infinity) >= TIMES.beforeReport) {
			const report = describeOutcome(outcome, circumstances);
			if (context) reportOnce(context, memory, report, at);
			this.startedAt = undefined;
			const { added, removed } = report.status;
			const hasChanged = added.length + removed.length > 0 || circumstances.startedAt !== undefined;
			this.show(report.status, outcome, isReported || hasChanged);
		}
		if (reason === undefined && drift.size === 0) this.healthyAt = at;
		if (occasion !== 'answer' && memory.isChanged) this.persist();
	}

	/** @param isNews whether Watch Report shows it even if the state is the same */
	private show(status: WatchReport, { desired }: Outcome, isNews: boolean): void {
		const { context, memory, lastState } = this;
		this.lastState = status.state === 'repaired' ? 'complete' : status.state;
		const isShown = desired.showsReport && (isNews || this.lastState !== lastState);
		if (context && isShown) emit(context, memory, reportItem(status, desired.names, Date.now()));
	}

	/** After an unpublish, n8n saves nothing. */
	private readonly persist = (): void => {
		const { context, memory } = this;
		if (context && memory.facts.status === 'published') emit(context, memory);
	};

	/** Ends a run, so that what it has under way can be stored. */
	private async stop(run: Run | undefined): Promise<void> {
		run?.abort();
		if (run) await Promise.race([run.done, waitUnlessAborted(TIMES.stop)]);
	}

	/** Replaces the current run, and starts once that has ended: two passes side by side would create twice. */
	private begin(occasion: Pass['occasion'], act: (signal: AbortSignal) => Promise<void>): Run {
		const before = this.run;
		before?.abort();
		const controller = new AbortController();
		const { signal } = controller;
		const work = async () => {
			try {
				await before?.done;
				if (!signal.aborted) await act(signal);
			} catch (reason) {
				if (this.context && !signal.aborted) warn(this.context, messageOf(reason));
			}
			// In the same tick as its end, so that a newer run is never cleared.
			if (this.run === run) this.run = undefined;
		};
		const run: Run = { occasion, done: work(), abort: () => controller.abort() };
		this.run = run;
		return run;
	}
}

/** A first publish that ends in time is strict, because nothing is lost yet by stopping. */
function failsPublish(outcome: Outcome, isFirst: boolean): boolean {
	const { delivering, desired, refused, alreadyWatched } = outcome;
	const isRefused = refused.size > 0 && desired.options.unwatchable === 'stop';
	return delivering.length === 0 || (isFirst && (isRefused || alreadyWatched.length > 0));
}
