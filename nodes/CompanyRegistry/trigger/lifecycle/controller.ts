import { difference, union } from 'lodash';
import { sleep, type IHookFunctions, type ITriggerFunctions } from 'n8n-workflow';

import { messageOf } from '../../registry/failure';
import { openRegistry, type Registry } from '../../registry/registry';
import { waitUnlessAborted } from '../../shared/async';
import { nodeError, warn } from '../../shared/format';
import { emit } from '../reports/emission';
import {
	noteChosenAgain,
	noteDowntime,
	noteInterruption,
	noteMissedDeliveries,
	noteMissingEvents,
	noteReplaced,
	noteReturned,
	noteTakenOver,
	replacedBy,
} from '../reports/noteGaps';
import { describeFailedPublish, describeUnpaused } from '../reports/publishFailure';
import { Reporter, situationOf } from '../reports/reporter';
import { openAccount } from './account';
import { emptyDesired, followLink, type DesiredState } from './desired';
import type { Facts } from '../records/facts';
import { isTemporary } from '../records/failures';
import { urlOf } from './identity';
import { noFindings, summarise, type Findings, type Outcome } from './outcome';
import { FailedPublish, isListWatched, isRefusedAsFirst, untilAnswer } from './publishAnswer';
import { reconcile, type Pass } from './reconcile';
import { Runs, type Run } from './runs';
import { isDue, nextCheck, TIMES } from './schedule';
import { watchedBeside, type TriggerMemory } from './state';

/** A publish, as n8n asks for it. */
interface Publish {
	desired: DesiredState;
	/** Digest of the node's parameters. */
	parameters: string;
	/** Whether nothing was published before. */
	isFirst: boolean;
	/** Whether a person publishes what was not published: then a list may be confirmed. */
	isFresh: boolean;
}

/** The state of a publish that n8n waits for. */
interface PublishAnswer {
	/** The findings of its pass so far. */
	findings: Findings;
	/** Of its pass, once that has ended. */
	outcome?: Outcome;
	/** Whether n8n has its answer. */
	isGiven: boolean;
}

type PassOptions = Pick<Pass, 'kind' | 'isFirst' | 'isStart' | 'signal' | 'findings'> & {
	isFresh: boolean;
};

/** The triggers of this process that n8n lets act. */
const attached = new Set<Controller>();

/** Brings the account to the desired state of one trigger, and keeps it there. */
export class Controller {
	/** n8n's context of the published trigger; undefined while n8n has taken it down. */
	private context: ITriggerFunctions | undefined;
	/** When the next check is due, in milliseconds since the epoch. */
	private dueAt = 0;
	/** Whether no check has ended since n8n started the trigger. */
	private isStarting = false;
	private readonly failedPublish = new FailedPublish();
	private readonly reporter: Reporter;
	private readonly runs = new Runs((words) => this.context && warn(this.context, words));

	constructor(private readonly memory: TriggerMemory) {
		this.reporter = new Reporter(memory);
	}

	/** Whether the latest publish failed. */
	get hasFailed(): boolean {
		return this.failedPublish.hasFailed;
	}

	get run(): Run | undefined {
		return this.runs.current;
	}

	/** n8n lets the trigger act from now on. */
	attach(context: ITriggerFunctions): void {
		this.context = context;
		attached.add(this);
		this.tick(Date.now());
	}

	/** n8n takes the trigger down, or stops: what a person has not read yet is reported, and the state is stored. */
	async detach(context: ITriggerFunctions): Promise<void> {
		const { run, runs, memory, reporter } = this;
		const isRunning = run !== undefined && run.kind !== 'unpublish';
		if (this.context === context && isRunning) await runs.stop(run);
		// A new activation may have attached meanwhile.
		if (this.context !== context) return;

		// After a failed publish, a person has read in n8n that nothing is watched; the next publish reports the rest.
		if (!this.hasFailed) reporter.reportLeft(context, isRunning);
		// Something else may have saved an old copy, and a request that is still open may create a webhook.
		if (memory.facts.status === 'published') {
			const at = Date.now();
			memory.updateFacts({ takenDownAt: at, healthyAt: reporter.ledger.lastGood });
			// The pass would have said which chosen events it has not sent.
			if (isRunning && memory.desired) {
				noteMissingEvents(reporter.ledger, memory, memory.desired, at);
			}
			reporter.storeFailures();
			this.persist();
		}
		this.context = undefined;
		attached.delete(this);
		await this.untilSaved();
	}

	/** n8n saves behind this, and at its end closes its database right after the last trigger. */
	private async untilSaved(): Promise<void> {
		const end = performance.now() + TIMES.save;
		const isEnd = () => this.memory.facts.status === 'published' && attached.size === 0;
		while (isEnd() && performance.now() < end) await sleep(20);
	}

	/** n8n starts: the pass runs in the background and removes no watched company. */
	resume(desired: DesiredState): void {
		const { memory, reporter } = this;
		// In this process, n8n has not stopped.
		if (memory.desired === undefined) noteDowntime(reporter.ledger, memory, desired);
		noteReturned(reporter.ledger, memory, desired);
		// A start drops no event; a webhook that could not be changed may still have more.
		memory.desire({ ...desired, dropped: memory.desired?.dropped ?? [] });
		memory.updateFacts({ takenDownAt: undefined, healthyAt: undefined });

		// An unpublish that waits must not go on, also where n8n has not attached the trigger yet.
		this.run?.abort();
		this.isStarting = true;
		this.check();
	}

	/** A minute has passed. @param at milliseconds since the epoch */
	tick(at: number): void {
		const every = this.memory.desired?.options.checkEvery ?? 'hour';
		if (this.run === undefined && isDue(this.dueAt, every, at)) this.check();
	}

	private check(): void {
		const { context, memory, isStarting: isStart } = this;
		const { desired, facts } = memory;
		// One that does not begin, or is aborted, is due again.
		this.dueAt = 0;
		if (!context || !desired || facts.status !== 'published') return;

		this.runs.begin('check', async (signal) => {
			const opening = openAccount(context, desired, memory, false);
			const options = { kind: 'check', isFirst: false, isStart, isFresh: false, signal } as const;
			const outcome = await this.pass(context, opening, options);
			if (signal.aborted) return;
			this.isStarting = false;
			this.conclude(outcome, 'check', true);
			// The next check stores that n8n has started.
			if (isStart) memory.stored = { ...memory.stored, isRepeated: false };
		});
	}

	/**
	 * Answers once the pass has ended, or after ten seconds with a company of the list watched; after a minute with none
	 * it fails. The pass continues in the background.
	 * @throws NodeOperationError where nothing desired is watched; also for refusals where a first publish ends in time
	 */
	async publish(context: IHookFunctions, publish: Publish): Promise<void> {
		const { memory, failedPublish, reporter } = this;
		const { desired, isFirst } = publish;
		const began = performance.now();
		const opening = openAccount(context, desired, memory, true);
		const account = await opening.then((registry) => registry.account).catch(() => undefined);

		const what = FailedPublish.nameOf(context, account);
		failedPublish.repeatFor(what, began);
		if (desired.problem && !isListWatched(memory, desired)) {
			const outcome = summarise(memory, desired, noFindings());
			const error = this.failure(context, outcome, isFirst, false);
			failedPublish.note(what, began, error);
			throw error;
		}

		const { facts: before, desired: previous } = memory;
		this.beginPublish(publish);
		const answer: PublishAnswer = { findings: noFindings(), isGiven: false };
		const run = this.runPublish(context, publish, opening, answer);
		const isCurrent = () => this.run === run;
		const isWatching = () => isListWatched(memory, memory.desired ?? desired);
		await untilAnswer(run, began, isCurrent, isWatching);

		// A newer change has replaced this one, and n8n would undo it for an error here.
		if (!isCurrent() && answer.outcome === undefined) return;
		const isStrict = isFirst && answer.outcome !== undefined && isRefusedAsFirst(answer.outcome);
		if (isWatching() && !isStrict) return this.acceptPublish(desired, answer);

		run.abort();
		const soFar = summarise(memory, memory.desired ?? desired, answer.findings);
		const outcome = answer.outcome ?? soFar;
		const error = this.failure(context, outcome, isFirst, answer.outcome === undefined);
		reporter.keepRefused(outcome);
		this.undoPublish(before, previous);
		failedPublish.note(what, began, error);
		throw error;
	}

	/** The pass of a publish. One that ends behind the answer concludes itself. */
	private runPublish(
		context: IHookFunctions,
		{ isFirst, isFresh }: Publish,
		opening: Promise<Registry>,
		answer: PublishAnswer,
	): Run {
		return this.runs.begin('publish', async (signal) => {
			const { findings } = answer;
			const options = { kind: 'publish', isFirst, isStart: false, isFresh, signal } as const;
			const outcome = await this.pass(context, opening, { ...options, findings });
			if (signal.aborted) return;
			answer.outcome = outcome;
			if (answer.isGiven) this.conclude(outcome, 'publish', true);
		});
	}

	private beginPublish(publish: Publish): void {
		const { parameters, isFirst } = publish;
		const { memory } = this;
		const { status } = memory.facts;
		this.noteEndedGaps(publish);

		// The events of a trigger that this one replaces count as its own.
		const replaced = isFirst ? replacedBy(memory) : undefined;
		if (replaced) memory.updateFacts({ unchosen: replaced.facts.unchosen });
		const dropped = difference(replaced?.desired?.events, publish.desired.events);
		const desired = {
			...publish.desired,
			dropped: union(publish.desired.dropped, dropped),
			// Reports name the companies that have left.
			names: new Map([...(replaced?.desired?.names ?? []), ...publish.desired.names]),
		};
		this.isStarting = false;
		memory.desire(desired);
		memory.updateFacts({ status: 'published' });
		// Each publish by a person reports again what it could not do.
		if (status !== 'published') memory.updateFacts({ reported: undefined });
		if (desired.problem) return;

		memory.updateFacts({ accepted: parameters });
		// The question about another address is asked again, so the next answer is a new one.
		const { addressChanged } = desired.options;
		if (addressChanged === 'stop') memory.updateFacts({ addressChanged });
	}

	/** Records the times without deliveries that this publish ends. */
	private noteEndedGaps(publish: Publish): void {
		const { desired, isFirst } = publish;
		const { memory, reporter } = this;
		const { ledger } = reporter;
		const { takenDownAt } = memory.facts;

		if (isFirst) {
			reporter.forgetPrevious();
			noteReplaced(ledger, memory);
		} else if (noteInterruption(ledger, memory, publish, takenDownAt)) {
			reporter.forgetFailures();
		}
		noteTakenOver(ledger, memory, desired);
		noteReturned(ledger, memory, desired);
	}

	/** The publish succeeds: its pass has ended, or goes on behind the answer. */
	private acceptPublish({ problem, options }: DesiredState, answer: PublishAnswer): void {
		const { memory, failedPublish, context, reporter } = this;
		failedPublish.clear();
		memory.updateFacts({ takenDownAt: undefined, healthyAt: undefined });
		// Options that could not be read are not an answer.
		if (!problem) memory.updateFacts({ addressChanged: options.addressChanged });
		const desired = memory.desired as DesiredState;
		noteChosenAgain(reporter.ledger, memory, desired);
		memory.acceptEvents(desired);

		answer.isGiven = true;
		// n8n saves once this has returned.
		if (answer.outcome) return this.conclude(answer.outcome, 'publish', false);
		const outcome = summarise(memory, desired, answer.findings);
		if (context) reporter.showSetup(context, outcome);
	}

	/** n8n takes the trigger down now, which is not how a person confirms a list. */
	private undoPublish(
		{ status, accepted, list, kept, exchanged }: Facts,
		before: DesiredState | undefined,
	): void {
		const { memory } = this;
		const previous = { accepted, list, kept, exchanged, removalsReported: undefined };
		const isFirst = status === 'new';
		memory.updateFacts({ status: isFirst ? 'new' : 'unpublished', ...previous });
		// Its events were never in force.
		const { events = [], dropped = [] } = before ?? {};
		const isKnown = isFirst || before !== undefined;
		memory.desired = isKnown && memory.desired ? { ...memory.desired, events, dropped } : undefined;
	}

	private failure(context: IHookFunctions, outcome: Outcome, isFirst: boolean, isLate: boolean) {
		const { reporter, memory } = this;
		const isWatchedBeside = watchedBeside(memory).length > 0;
		const more = { isFirst, isWatchedBeside, at: Date.now() };
		const situation = situationOf(context, outcome, reporter.ledger, more);
		return nodeError(context, describeFailedPublish(situation, isLate));
	}

	/** Webhooks are paused later, unless a publish begins before that. */
	async unpublish(context: IHookFunctions): Promise<void> {
		const { memory, runs, run } = this;
		if (memory.facts.status === 'published') {
			memory.updateFacts({ status: 'unpublished', takenDownAt: Date.now() });
		}
		// n8n undoes each attempt of a failed publish with an unpublish.
		if (run?.kind === 'unpublish') return;

		// The credential can be read only before this returns.
		const opened = await openRegistry(context).catch((reason: Error) => reason);
		await runs.stop(run);
		if (memory.all.length === 0 || (this.run !== undefined && this.run !== run)) return;

		const desired = emptyDesired(urlOf(context));
		runs.begin('unpublish', async (signal) => {
			const why = await this.pauseAll(desired, opened, signal);
			const active = memory.known.filter(({ said }) => said !== 'paused');
			if (why !== '' && active.length > 0) warn(context, describeUnpaused(active, why));
		});
	}

	/** A few attempts. @returns why webhooks may stay active; empty if none does, or a publish begins */
	private async pauseAll(desired: DesiredState, opened: Registry | Error, signal: AbortSignal) {
		const { memory, persist, reporter } = this;
		let why = '';
		for (const wait of [TIMES.beforePausing, ...TIMES.pauseAgain]) {
			await waitUnlessAborted(wait, signal);
			if (signal.aborted) return '';
			if (opened instanceof Error) return messageOf(opened);

			const { failedPauses, failure } = await reconcile({
				...{ memory, desired, registry: opened, ledger: reporter.ledger, signal, persist },
				...{ kind: 'unpublish', isFirst: false, isStart: false },
			});
			why = failedPauses?.why ?? (failure === undefined ? '' : messageOf(failure));
			const mayPass = failure === undefined || isTemporary(failure);
			if (why === '' || !mayPass) return why;
		}
		return why;
	}

	/** One pass, and what has to be read before it: what cannot be read is the failure of its outcome. */
	private async pass(
		context: IHookFunctions | ITriggerFunctions,
		opening: Promise<Registry>,
		{ isFresh, ...options }: PassOptions,
	): Promise<Outcome> {
		const { memory, persist, reporter } = this;
		// The pass may end some of their companies.
		noteMissedDeliveries(reporter.ledger, memory);
		const read = memory.desired as DesiredState;
		const failed = (failure: unknown, desired = read) =>
			summarise(memory, desired, noFindings({ failure }));
		try {
			const registry = await opening;
			const keep = (problem: Error): DesiredState => ({ ...read, problem });
			const desired = await followLink(context, read, memory, isFresh).catch(keep);
			if (options.signal.aborted) return failed(undefined);

			noteReturned(reporter.ledger, memory, desired);
			memory.accept(desired);
			const { companies, problem, refusal } = desired;
			const isStrict = options.isFirst && desired.options.unwatchable === 'stop';
			if (isStrict && refusal) return failed(new Error(refusal), { ...desired, unreadable: [] });
			if (companies.length === 0) return failed(problem, desired);

			const { ledger } = reporter;
			return await reconcile({ memory, desired, registry, ledger, persist, ...options });
		} catch (reason) {
			return failed(reason);
		}
	}

	/** Plans the next check, reports what a pass came to, and stores it unless n8n saves anyway. */
	private conclude(outcome: Outcome, kind: 'publish' | 'check', stores: boolean): void {
		const { memory, context, reporter } = this;
		const { checkEvery } = outcome.desired.options;
		const { revision, isRepeated } = memory.stored;
		const at = Date.now();

		const failingSince = reporter.noteResult(outcome, at);
		this.dueAt = nextCheck(memory.identity.node, checkEvery, at, failingSince);
		if (context) reporter.report(context, outcome, kind, at);
		// A check reports it as soon as n8n lets the trigger act.
		else this.dueAt = 0;
		// After the report, which compares this time with what the pass has found.
		if (outcome.isChecked && outcome.failure === undefined) reporter.ledger.healthyAt = at;

		// A report has stored it already.
		const isOnceMore = kind === 'check' && !isRepeated && memory.stored.revision === revision;
		if (stores && (memory.isChanged || isOnceMore)) this.persist();
	}

	/** After an unpublish, n8n saves nothing. */
	private readonly persist = (): void => {
		const { context, memory } = this;
		if (context && memory.facts.status === 'published') emit(context, memory);
	};
}
