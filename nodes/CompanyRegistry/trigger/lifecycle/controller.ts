import { omit } from 'lodash';
import { sleep, type IHookFunctions, type ITriggerFunctions } from 'n8n-workflow';

import { messageOf, type RegistryFailure } from '../../registry/failure';
import { openRegistry, type Registry } from '../../registry/registry';
import { waitUnlessAborted } from '../../shared/async';
import { nodeError, warn } from '../../shared/format';
import type { DesiredState } from '../records/desired';
import type { Facts } from '../records/facts';
import { isRefusal, isTemporary } from '../records/failures';
import { deliveringCompanies, noFindings, type Findings, type Outcome } from '../records/outcome';
import { describeFailedPublish, describeUnpaused } from '../reports/publishFailure';
import { statusOf } from '../reports/status';
import { openAccount } from './account';
import { emptyDesired, followLink, type Desired } from './desired';
import { emit } from './emission';
import { urlOf } from './identity';
import { FailedPublish, untilAnswer } from './publishAnswer';
import { reconcile, type Pass } from './reconcile';
import { Runs, type Run } from './runs';
import { EARLY, isDue, nextCheck, TIMES, type Retry } from './schedule';
import type { TriggerMemory } from './state';
import { tell } from './tell';

/** A publish, as n8n asks for it. */
interface Publish {
	desired: Desired;
	/** Digest of the node's parameters. */
	parameters: string;
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

type PassOptions = Pick<Pass, 'kind' | 'signal' | 'findings'> & {
	/** Whether n8n starts: then only a link that was read just now takes a company out. */
	isStart: boolean;
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
		if (memory.facts.status === 'published') {
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
		const isEnd = () => this.memory.facts.status === 'published' && attached.size === 0;
		while (isEnd() && performance.now() < end) await sleep(20);
	}

	/** n8n starts: the pass runs in the background and removes no watched company. */
	resume(desired: Desired): void {
		const { memory } = this;
		const { takenDownAt, told } = memory.facts;
		// In this process, n8n has not stopped.
		if (memory.desired === undefined) memory.recordAbsence('n8n', takenDownAt);
		// After a kill, webhooks that it left are a new problem.
		if (memory.desired === undefined && takenDownAt === undefined) {
			memory.updateFacts({ told: withoutOthers(told) });
		}
		memory.desire(desired);
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
		const { context, memory, isStarting: isStart } = this;
		const { current, facts } = memory;
		// One that does not begin, or is aborted, is due again.
		this.dueAt = 0;
		if (!context || !current || facts.status !== 'published') return;

		this.runs.begin('check', async (signal) => {
			const opening = openAccount(context, current.desired, memory, false);
			const outcome = await this.pass(context, current, opening, {
				kind: 'check',
				isStart,
				signal,
			});
			if (signal.aborted) return;
			this.isStarting = false;
			this.conclude(outcome, 'check', true);
			// The next check stores that n8n has started.
			if (isStart) memory.stored = { ...memory.stored, isRepeated: false };
		});
	}

	/**
	 * Answers once the pass has ended, or after ten seconds with a desired company watched; after a minute with none
	 * it fails. The pass continues in the background.
	 * @throws NodeOperationError where nothing desired is watched
	 */
	async publish(context: IHookFunctions, publish: Publish): Promise<void> {
		const { memory, failedPublish } = this;
		const { desired, reading } = publish.desired;
		const began = performance.now();
		const opening = openAccount(context, desired, memory, true);
		const account = await opening.then((registry) => registry.account).catch(() => undefined);

		const what = FailedPublish.nameOf(context, account);
		failedPublish.repeatFor(what, began);
		const fail = (outcome: Outcome, isLate: boolean) => {
			const error = this.failure(context, outcome, isLate);
			failedPublish.note(what, began, error);
			return error;
		};
		const isWatching = () =>
			deliveringCompanies(memory.known, memory.desired ?? desired).length > 0;
		const isAnyInForce = deliveringCompanies(memory.known, desired).length > 0;
		if (reading.problem && !isAnyInForce) throw fail({ desired, reading, ...noFindings() }, false);

		const { facts: before } = memory;
		this.beginPublish(publish);
		const answer: PublishAnswer = { findings: noFindings(), isGiven: false };
		const run = this.runPublish(context, publish.desired, opening, answer);
		const isCurrent = () => this.run === run;
		await untilAnswer(run, began, isCurrent, isWatching);

		// A newer change has replaced this one, and n8n would undo it for an error here.
		if (!isCurrent() && answer.outcome === undefined) return;
		if (isWatching()) return this.acceptPublish(publish.desired, answer);

		run.abort();
		const soFar = { ...(memory.current ?? publish.desired), ...answer.findings };
		const error = fail(answer.outcome ?? soFar, answer.outcome === undefined);
		this.undoPublish(before);
		throw error;
	}

	/** The pass of a publish. One that ends behind the answer concludes itself. */
	private runPublish(
		context: IHookFunctions,
		desired: Desired,
		opening: Promise<Registry>,
		answer: PublishAnswer,
	): Run {
		return this.runs.begin('publish', async (signal) => {
			const { findings } = answer;
			const options = { kind: 'publish', isStart: false, signal, findings } as const;
			const outcome = await this.pass(context, desired, opening, options);
			if (signal.aborted) return;
			answer.outcome = outcome;
			if (answer.isGiven) this.conclude(outcome, 'publish', true);
		});
	}

	private beginPublish({ desired, parameters }: Publish): void {
		const { memory } = this;
		const { takenDownAt, told } = memory.facts;
		if (takenDownAt !== undefined) memory.recordAbsence('unpublished', takenDownAt);
		this.isStarting = false;
		memory.desire(desired);

		// A change takes the trigger down for a moment; after that, a person reads everything again.
		const isAgain = Date.now() - (takenDownAt ?? 0) >= TIMES.beforePausing;
		memory.updateFacts({
			status: 'published',
			told: isAgain ? undefined : withoutOthers(told),
			...(isAgain && { failingSince: undefined }),
		});
		if (desired.reading.problem) return;

		memory.updateFacts({ accepted: parameters });
		// The question about another address is asked again, so the next answer is a new one.
		const { addressChanged } = desired.desired.options;
		if (addressChanged === 'stop') memory.updateFacts({ addressChanged });
	}

	/** The publish succeeds: its pass has ended, or goes on behind the answer. */
	private acceptPublish({ desired, reading }: Desired, answer: PublishAnswer): void {
		this.failedPublish.clear();
		this.memory.updateFacts({ takenDownAt: undefined });
		// Options that could not be read are not an answer.
		const { addressChanged } = desired.options;
		if (!reading.problem) this.memory.updateFacts({ addressChanged });
		answer.isGiven = true;
		// n8n saves once this has returned.
		if (answer.outcome) this.conclude(answer.outcome, 'publish', false);
	}

	/** n8n takes the trigger down now. */
	private undoPublish({ status, accepted, list, untold }: Facts): void {
		const { memory } = this;
		const undone = status === 'new' ? 'new' : 'unpublished';
		memory.updateFacts({ status: undone, accepted, list, untold });
		memory.current = undefined;
	}

	private failure(context: IHookFunctions, outcome: Outcome, isLate: boolean) {
		const at = Date.now();
		const status = statusOf(this.memory, outcome, at);
		return nodeError(context, describeFailedPublish(status, isLate));
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
		const { memory, persist } = this;
		let failure: unknown;
		for (const wait of [TIMES.beforePausing, ...TIMES.pauseAgain]) {
			await waitUnlessAborted(wait, signal);
			if (signal.aborted) return '';
			if (opened instanceof Error) return messageOf(opened);

			const pass = { memory, desired, registry: opened, signal, persist, mayPause: true };
			({ failure } = await reconcile({ ...pass, kind: 'unpublish' }));
			if (!isTemporary(failure) && !isRefusal(failure)) break;
		}
		return failure === undefined ? '' : messageOf(failure);
	}

	/** One pass, and what has to be read before it: what cannot be read is the failure of its outcome. */
	private async pass(
		context: IHookFunctions | ITriggerFunctions,
		read: Desired,
		opening: Promise<Registry>,
		{ isStart, ...options }: PassOptions,
	): Promise<Outcome> {
		const { memory, persist } = this;
		const isPublish = options.kind === 'publish';
		try {
			const registry = await opening;
			const keep = (problem: Error): Desired => ({
				...read,
				reading: { ...read.reading, problem },
			});
			const following = followLink(context, read, memory, isPublish);
			const followed = await following.catch(keep);
			if (options.signal.aborted) return { ...read, ...noFindings() };

			memory.accept(followed);
			const { desired, reading } = followed;
			if (desired.companies.length === 0)
				return { ...followed, ...noFindings({ failure: reading.problem }) };
			// A link that was read just now says who has left.
			const mayPause = !isStart || (desired.followsLink && !reading.problem);
			const pass = { memory, desired, registry, persist, mayPause };
			const findings = await reconcile({ ...pass, ...options });
			return { desired, reading, ...findings };
		} catch (reason) {
			return { ...read, ...noFindings({ failure: reason }) };
		}
	}

	/** Plans the next check, reports what a pass came to, and stores it unless n8n saves anyway. */
	private conclude(outcome: Outcome, kind: 'publish' | 'check', stores: boolean): void {
		const { memory, context } = this;
		const { revision, isRepeated } = memory.stored;
		const at = Date.now();
		memory.rememberResult(outcome, at);

		const { checkEvery } = outcome.desired.options;
		this.dueAt = nextCheck(
			memory.identity.node,
			checkEvery,
			at,
			retryOf(outcome, memory.facts, at),
		);
		// A check reports it as soon as n8n lets the trigger act.
		if (!context) this.dueAt = 0;
		else if (!this.mayPassSoon(outcome, at)) tell(context, memory, outcome, kind, at);

		// A report has stored it already.
		const isOnceMore = kind === 'check' && !isRepeated && memory.stored.revision === revision;
		if (stores && (memory.isChanged || isOnceMore)) this.persist();
	}

	/** Whether it is too early to report a failure. */
	private mayPassSoon({ failure, reading }: Outcome, at: number): boolean {
		const { check, list } = this.memory.facts.failingSince ?? {};
		const since = check ?? list;
		const mayPass = isTemporary(failure ?? reading.problem);
		return mayPass && since !== undefined && at - since < TIMES.beforeReport - EARLY;
	}

	/** After an unpublish, n8n saves nothing. */
	private readonly persist = (): void => {
		const { context, memory } = this;
		if (context && memory.facts.status === 'published') emit(context, memory);
	};
}

/** When to try again what may succeed then; undefined where only the regular check helps. */
function retryOf(outcome: Outcome, { failingSince = {} }: Facts, at: number): Retry | undefined {
	const { desired, reading, failure } = outcome;
	const { check, list } = failingSince;
	// Parameters are read at a publish only.
	const since = check ?? (desired.followsLink && reading.problem ? list : undefined);
	if (since === undefined) return undefined;
	const { retryAfter = 0 } = (failure ?? {}) as Partial<RegistryFailure>;
	return { since, earliest: at + retryAfter };
}

/** Other active webhooks are named again after a publish or a kill. */
function withoutOthers(told: Facts['told']): Facts['told'] {
	return told && omit(told, 'others');
}
