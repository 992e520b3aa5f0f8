import {
	sleep,
	type IHookFunctions,
	type ITriggerFunctions,
	type NodeOperationError,
} from 'n8n-workflow';

import { openRegistry, type Registry } from '../../registry/registry';
import { nodeError, warn } from '../../shared/format';
import { deliveringCompanies, noFindings, type Outcome } from '../records/outcome';
import { describeFailedPublish, describeUnpaused } from '../reports/publishFailure';
import { statusOf } from '../reports/status';
import { openAccount } from './account';
import { emptyDesired, type Configuration } from './configuration';
import { store } from './emission';
import { urlOf } from './identity';
import { runPass } from './pass';
import { pauseAll } from './pauseAll';
import { FailedPublish, untilAnswer } from './publishAnswer';
import {
	acceptPublish,
	beginPublish,
	nameOthersAgain,
	undoPublish,
	type Publish,
} from './publishState';
import { Runs, type Run } from './runs';
import { checkAfter, isDue, TIMES } from './schedule';
import type { TriggerMemory } from './memory';
import { sendReport } from './sendReport';

/** The state of a publish that n8n waits for. */
interface PublishAnswer {
	/** Of its pass, once that has ended. */
	outcome?: Outcome;
	/** Whether n8n has its answer. */
	isGiven: boolean;
}

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
	private readonly runs = new Runs((words) => this.context && warn(this.context, words));

	constructor(private readonly memory: TriggerMemory) {}

	get run(): Run | undefined {
		return this.runs.current;
	}

	/** n8n lets the trigger act from now on. */
	attach(context: ITriggerFunctions): void {
		this.context = context;
		attached.add(this);
		this.tick(Date.now());
	}

	/** n8n takes the trigger down, or stops: the state is stored. */
	async detach(context: ITriggerFunctions): Promise<void> {
		const { run, runs, memory } = this;
		const isRunning = run !== undefined && run.kind !== 'unpublish';
		if (this.context === context && isRunning) await runs.stop(run);
		// A new activation may have attached meanwhile.
		if (this.context !== context) return;

		// Something else may have saved an old copy, and a request that is still open may create a webhook.
		if (memory.facts.phase === 'published') {
			memory.updateFacts({ takenDownAt: Date.now() });
			this.persist();
		}
		this.context = undefined;
		attached.delete(this);
		await this.untilSaved();
	}

	/** n8n saves behind this, and at its end closes its database right after the last trigger. */
	private async untilSaved(): Promise<void> {
		const end = performance.now() + TIMES.save;
		const isEnd = () => this.memory.facts.phase === 'published' && attached.size === 0;
		while (isEnd() && performance.now() < end) await sleep(20);
	}

	/** n8n starts: the pass runs in the background and removes no watched company. */
	resume(configuration: Configuration): void {
		const { memory } = this;
		const { takenDownAt } = memory.facts;
		// In this process, n8n has not stopped.
		if (memory.desired === undefined) {
			memory.recordAbsence('n8n', takenDownAt);
			if (takenDownAt === undefined) nameOthersAgain(memory);
		}
		memory.desire(configuration);
		memory.updateFacts({ takenDownAt: undefined });

		// An unpublish that waits must not go on, also where n8n has not attached the trigger yet.
		this.run?.abort();
		this.isStarting = true;
		this.check();
	}

	/** A minute has passed. @param at milliseconds since the epoch */
	tick(at: number): void {
		if (this.run === undefined && isDue(this.dueAt, at)) this.check();
	}

	private check(): void {
		const { context, memory, persist, isStarting: isStart } = this;
		const { configuration, facts } = memory;
		// One that does not begin, or is aborted, is due again.
		this.dueAt = 0;
		if (!context || !configuration || facts.phase !== 'published') return;

		this.runs.begin('check', async (signal) => {
			const opening = openAccount(context, configuration.desired, memory, false);
			const outcome = await runPass(context, configuration, opening, {
				...{ memory, persist, signal, kind: 'check', isStart },
			});
			if (signal.aborted) return;
			this.isStarting = false;
			this.conclude(outcome, 'check', true);
			// The next check stores that n8n has started.
			if (isStart) memory.stored = { ...memory.stored, isStoredTwice: false };
		});
	}

	/**
	 * Answers once the pass has ended, or after ten seconds with a desired company watched; after a minute with none
	 * it fails. The pass continues in the background.
	 * @throws NodeOperationError where nothing desired is watched
	 */
	async publish(context: IHookFunctions, publish: Publish): Promise<void> {
		const { failedPublish, memory } = this;
		const began = performance.now();
		const opening = openAccount(context, publish.configuration.desired, memory, true);
		const account = await opening.then((registry) => registry.account).catch(() => undefined);
		const what = FailedPublish.nameOf(context, account);
		failedPublish.repeatFor(what, began);

		const error = await this.tryPublish(context, publish, opening, began);
		failedPublish.note(what, began, error);
		if (error) throw error;
	}

	/** @returns why nothing desired is watched; undefined where something is */
	private async tryPublish(
		context: IHookFunctions,
		publish: Publish,
		opening: Promise<Registry>,
		began: number,
	): Promise<NodeOperationError | undefined> {
		const { memory } = this;
		const { desired, reading } = publish.configuration;
		const nothing = { desired, reading, ...noFindings() };
		const isAnyInForce = deliveringCompanies(memory.subscriptions, desired).length > 0;
		if (reading.problem && !isAnyInForce) {
			return this.failure(context, nothing, false);
		}

		const { facts: before } = memory;
		this.isStarting = false;
		beginPublish(memory, publish);
		const answer: PublishAnswer = { isGiven: false };
		const run = this.runPublish(context, publish.configuration, opening, answer);
		const isCurrent = () => this.run === run;
		const isWatching = () =>
			deliveringCompanies(memory.subscriptions, memory.desired ?? desired).length > 0;
		await untilAnswer(run, began, isCurrent, isWatching);

		// A newer change has replaced this one, and n8n would undo it for an error here.
		if (!isCurrent() && answer.outcome === undefined) return undefined;
		if (isWatching()) {
			acceptPublish(memory, publish.configuration);
			answer.isGiven = true;
			// n8n saves once this has returned.
			if (answer.outcome) this.conclude(answer.outcome, 'publish', false);
			return undefined;
		}

		run.abort();
		const error = this.failure(context, answer.outcome ?? nothing, answer.outcome === undefined);
		undoPublish(memory, before);
		return error;
	}

	/** The pass of a publish. One that ends behind the answer concludes itself. */
	private runPublish(
		context: IHookFunctions,
		configuration: Configuration,
		opening: Promise<Registry>,
		answer: PublishAnswer,
	): Run {
		return this.runs.begin('publish', async (signal) => {
			const { memory, persist } = this;
			const outcome = await runPass(context, configuration, opening, {
				...{ memory, persist, signal, kind: 'publish', isStart: false },
			});
			if (signal.aborted) return;
			answer.outcome = outcome;
			if (answer.isGiven) this.conclude(outcome, 'publish', true);
		});
	}

	private failure(context: IHookFunctions, outcome: Outcome, isLate: boolean) {
		const at = Date.now();
		const status = statusOf(this.memory, outcome, at);
		return nodeError(context, describeFailedPublish(status, isLate));
	}

	/** Webhooks are paused later, unless a publish begins before that. */
	async unpublish(context: IHookFunctions): Promise<void> {
		const { memory, runs, run } = this;
		if (memory.facts.phase === 'published') {
			memory.updateFacts({ phase: 'unpublished', takenDownAt: Date.now() });
		}
		// n8n undoes each attempt of a failed publish with an unpublish.
		if (run?.kind === 'unpublish') return;

		// The credential can be read only before this returns.
		const opened = await openRegistry(context).catch((reason: Error) => reason);
		await runs.stop(run);
		if (memory.subscriptions.length === 0 || (this.run !== undefined && this.run !== run)) return;

		const desired = emptyDesired(urlOf(context));
		runs.begin('unpublish', async (signal) => {
			const why = await pauseAll(memory, desired, opened, signal);
			const active = memory.subscriptions.filter(({ state }) => state !== 'paused');
			if (why !== '' && active.length > 0) warn(context, describeUnpaused(active, why));
		});
	}

	/** Plans the next check, reports what a pass came to, and stores it unless n8n saves anyway. */
	private conclude(outcome: Outcome, kind: 'publish' | 'check', stores: boolean): void {
		const { memory, context } = this;
		const { revision, isStoredTwice } = memory.stored;
		const at = Date.now();
		memory.rememberResult(outcome, at);

		// A check reports it as soon as n8n lets the trigger act.
		this.dueAt = context ? checkAfter(outcome, memory, at) : 0;
		if (context) sendReport(context, memory, outcome, kind, at);

		// A report has stored it already.
		const isOnceMore = kind === 'check' && !isStoredTwice && memory.stored.revision === revision;
		if (stores && (memory.isUnsaved || isOnceMore)) this.persist();
	}

	/** After an unpublish, n8n saves nothing. */
	private readonly persist = (): void => {
		const { context, memory } = this;
		if (context && memory.facts.phase === 'published') store(context, memory);
	};
}
