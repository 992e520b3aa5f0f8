import { difference, intersection, isEmpty, pick, reject, union } from 'lodash';
import type { FunctionsBase, ITriggerFunctions } from 'n8n-workflow';

import { warn } from '../../shared/format';
import { digestOfCompanies, listedCompanies, type DesiredState } from '../lifecycle/desired';
import type { Facts } from '../records/facts';
import { isTemporary } from '../records/failures';
import { failingIn, noFindings, summarise, type Outcome } from '../lifecycle/outcome';
import { EARLY, TIMES } from '../lifecycle/schedule';
import type { TriggerMemory } from '../lifecycle/state';
import { emit, emitFailure } from './emission';
import { Ledger, type News } from './ledger';
import {
	endGaps,
	noteMissedDeliveries,
	noteMissingEvents,
	noteUnverifiable,
	noteWithoutWebhook,
} from './noteGaps';
import { reportOn, type Report } from './report';
import { isUnread, reportedAfter, withoutEnded } from './reported';
import { reportItem } from './reportItem';
import { areRemovalsTold, type Situation } from './situation';
import { mayPass } from './words';

const INTERRUPTED = 'The trigger was interrupted. It continues when n8n starts or you publish';

/** The ways in which one report reaches a person. */
interface HowToTell {
	/** Whether it is a failed execution. */
	isFailure: boolean;
	/** Whether it is an item of *Watch Report*, where the user chose that. */
	isShown: boolean;
	/** Whether it has what the last one had not. */
	hasChanged: boolean;
	/** Whether its news waits for the next day: drift that each check finds again, until one does not find it. */
	isHeldBack: boolean;
}

/** Tells a person what one trigger has come to: as failed executions, items of *Watch Report*, and in n8n's log. */
export class Reporter {
	readonly ledger = new Ledger();
	/** Since when checks fail, the list cannot be read, or answers are lost or pauses fail, in milliseconds since the epoch. */
	private since: NonNullable<Facts['failingSince']> = {};
	/** When this process first knew the trigger: its retries begin then. */
	private readonly startedAt = Date.now();
	/** The state that was last reported, with its problems; undefined until the first report of this process. */
	private lastState: string | undefined;
	/** The part that the last pass could not do; undefined where it could do both. */
	private lastFailing: 'check' | 'list' | undefined;

	constructor(private readonly memory: TriggerMemory) {}

	/** A first publish begins: what an earlier one left is no news. */
	forgetPrevious(): void {
		for (const one of this.memory.known) delete one.silentSince;
		this.ledger.clear([]);
	}

	/** For the next process, which goes on with them. */
	storeFailures(): void {
		if (!isEmpty(this.since)) this.memory.updateFacts({ failingSince: this.since });
	}

	/** A failure after an unpublish is another one. */
	forgetFailures(): void {
		this.since = {};
		this.memory.updateFacts({ failingSince: undefined });
	}

	/** @returns since when passes of this process fail and may be tried again; undefined where a retry would not help */
	noteResult(outcome: Outcome, at: number): number | undefined {
		const { memory, startedAt } = this;
		const { failingSince } = memory.facts;
		const { desired, failure, failedPauses, lost, watched } = outcome;
		const reason = failure ?? desired.problem;
		// The list may soon show that a lost webhook was never created.
		const isUnfinished = difference(lost, watched).length > 0;
		const isOfPauses = failure !== undefined && failure === failedPauses?.failure;
		const earlier = { ...failingSince, ...this.since };
		const { check = at, account = at, list = at, lost: lostSince = at } = earlier;

		// A clock that was ahead must not silence a failure.
		this.since = {
			...(failure !== undefined && !isOfPauses && { check: Math.min(check, at) }),
			...(failure !== undefined && !outcome.isChecked && { account: Math.min(account, at) }),
			...(desired.problem && { list: Math.min(list, at) }),
			...((isUnfinished || isOfPauses) && { lost: Math.min(lostSince, at) }),
		};
		// It is stored with a report or as n8n ends, and forgotten once it is over.
		const lasting = pick(failingSince, Object.keys(this.since));
		memory.updateFacts({ failingSince: isEmpty(lasting) ? undefined : lasting });
		const earliest = Math.max(this.failingSince ?? at, Math.min(startedAt, at));
		return isTemporary(reason) || isUnfinished ? earliest : undefined;
	}

	/** Reports what a pass came to, unless it is a failure that may pass soon. */
	report(
		context: ITriggerFunctions,
		outcome: Outcome,
		kind: 'publish' | 'check',
		at: number,
	): void {
		const { ledger, memory } = this;
		const { desired } = outcome;
		this.keepRefused(outcome);
		ledger.forget(desired.corrected);
		noteUnverifiable(ledger, outcome, this.since.list ?? at, at);
		const isPassing = kind === 'check' && this.mayPassSoon(outcome, at);
		// Urgent news does not wait, and is reported above that failure.
		if (isPassing && !ledger.isUrgent) return;

		if (kind === 'publish') noteMissingEvents(ledger, memory, desired, at);
		noteWithoutWebhook(ledger, outcome, at);
		endGaps(ledger, outcome, at);
		const report = this.describe(context, outcome, isPassing, at);
		const how = this.howToTell(report, outcome, kind, at);
		this.noteReported(report, outcome, how.isFailure, at);

		if (how.isFailure) this.fail(context, report, desired);
		if (how.isShown) this.show(context, report, outcome, at);
		if (report.needsPerson) this.log(context, report);
		else if (how.hasChanged && !desired.showsReport) logQuietly(context, report);

		if (how.isHeldBack) {
			ledger.watchedBefore = this.watchedFor(outcome);
			ledger.forget(report.lists.removed);
		} else ledger.clear(this.watchedFor(outcome), outcome);
		if (memory.desired) memory.desired = { ...memory.desired, corrected: [], dropped: [] };
	}

	/** A pass that did not come to its end has tried only some of the companies that were refused before. */
	keepRefused({ isChecked, failure, watched, refused }: Outcome): void {
		const isWhole = isChecked && failure === undefined;
		const before = isWhole ? [] : [...this.memory.refused];
		const stillRefused = before.filter(([company]) => !watched.includes(company));
		this.memory.refused = new Map([...stillRefused, ...refused]);
	}

	private get failingSince(): number | undefined {
		const { check, list, lost } = this.since;
		return check ?? list ?? lost;
	}

	/** Whether it is too early to report a failure. */
	private mayPassSoon({ failure, desired }: Outcome, at: number): boolean {
		const { failingSince } = this;
		const reason = failure ?? desired.problem;
		const mayPass = reason === undefined || isTemporary(reason);
		return mayPass && failingSince !== undefined && at - failingSince < TIMES.beforeReport - EARLY;
	}

	private howToTell(
		report: Report,
		outcome: Outcome,
		kind: 'publish' | 'check',
		at: number,
	): HowToTell {
		const { ledger, memory, lastState, lastFailing } = this;
		const isFailure = report.needsPerson && isUnread(report.keys, memory.facts.reported, at);

		// Another problem may keep the state, and a person has to learn that a failure is over.
		const failing = failingIn(outcome);
		const isOver = lastFailing !== undefined && failing !== lastFailing;
		const isTold = failing !== undefined && !ledger.hasUnread;
		const hasNew = isTold ? hasListChanged(report) : hasNews(report);
		const hasChanged = stateAndProblems(report) !== lastState || isOver || hasNew;

		const isHeldBack = !isFailure && report.keys.happened.length > 0;
		const isSame = stateAndProblems(report) === lastState && !isOver && !hasListChanged(report);
		const isRepeated = isHeldBack && isSame;
		const isShown = isFailure || kind === 'publish' || (hasChanged && !isRepeated);
		return { isFailure, isShown, hasChanged, isHeldBack };
	}

	/** The whole report on a pass. */
	private describe(
		context: ITriggerFunctions,
		outcome: Outcome,
		mayPassSoon: boolean,
		at: number,
	): Report {
		const { ledger, memory, failingSince } = this;
		// It does not change, so it is said once.
		const hasMorePages = outcome.hasMorePages && !memory.facts.arePagesReported;
		const isFirst = ledger.watchedBefore.length === 0;
		const unreadSince = this.since.list;
		const more = { failingSince, unreadSince, mayPassSoon, isFirst, at };
		return reportOn(situationOf(context, { ...outcome, hasMorePages }, ledger, more));
	}

	/** A publish goes on behind its answer: nothing is concluded yet. */
	showSetup(context: ITriggerFunctions, outcome: Outcome): void {
		const at = Date.now();
		const situation = situationOf(context, outcome, this.ledger, { at, isSettingUp: true });
		const report = reportOn(situation);
		this.lastState = stateAndProblems(report);
		this.show(context, report, outcome, at);
	}

	/** n8n takes the trigger down: this is the last chance to report what is left. */
	reportLeft(context: ITriggerFunctions, isRunning: boolean): void {
		const { ledger, memory } = this;
		const { desired } = memory;
		if (desired === undefined || memory.facts.status === 'new') return;

		noteMissedDeliveries(ledger, memory);
		const at = Date.now();
		const failure = isRunning ? new Error(INTERRUPTED) : undefined;
		const isChecked = this.since.check === undefined;
		const findings = noFindings({ isChecked, failure, refused: memory.refused });
		const outcome = summarise(memory, desired, findings);
		const isSettingUp = isRunning && !ledger.isUrgent;
		const { check: failingSince } = this.since;
		const more = { at, isSettingUp, isInterrupted: isRunning, failingSince, mayPassSoon: true };
		const report = withoutPassing(reportOn(situationOf(context, outcome, ledger, more)));
		const hasNew = ledger.hasUnread ? hasNews(report) : hasListChanged(report);
		if (!ledger.isUrgent && !hasNew) return;

		const isFailure = ledger.isUrgent || isUnread(report.keys, memory.facts.reported, at);
		if (report.needsPerson && isFailure) {
			this.fail(context, report, desired);
			this.log(context, report);
		}
		this.show(context, report, outcome, at);
		ledger.clear(this.watchedFor(outcome), outcome);
	}

	/** Companies that a report has called watched. A removed one is no news while its webhook is still active. */
	private watchedFor({ watched, delivering, notEnded, isChecked, desired }: Outcome): string[] {
		// Without a check, no company has lost what it had.
		const maybeActive = [...delivering, ...notEnded, ...(isChecked ? [] : desired.companies)];
		return union(watched, intersection(this.ledger.watchedBefore, maybeActive));
	}

	/** Before the emission, which stores it. @param isFailure whether a person reads all of it now */
	private noteReported(report: Report, outcome: Outcome, isFailure: boolean, at: number): void {
		const { memory } = this;
		const { desired } = outcome;
		const { keys } = report;
		const read = reportedAfter(keys, memory.facts.reported, at, isFailure);
		const reported = withoutEnded(keys, read, outcome);
		const { kept, exchanged } = desired;
		const canConfirm = kept.size + exchanged.length > 0 && areRemovalsTold(outcome);
		// What waits below a worse fact is read only where it was told with it.
		const isRead = isFailure || keys.waiting.length === 0;
		const told = isRead
			? digestOfCompanies(listedCompanies(desired))
			: memory.facts.removalsReported;
		const removalsReported = canConfirm ? told : undefined;

		const state = report.state === 'repaired' ? 'complete' : report.state;
		this.lastState = stateAndProblems({ ...report, state });
		this.lastFailing = failingIn(outcome);
		memory.updateFacts({
			reported: isEmpty(reported) ? undefined : reported,
			failingSince: isEmpty(this.since) ? undefined : this.since,
			...(outcome.hasMorePages && { arePagesReported: true }),
			// A list that could not be read now was reported before.
			...(!desired.problem && { removalsReported }),
		});
	}

	private fail(
		context: ITriggerFunctions,
		{ verdict, text, id }: Report,
		{ showsReport }: DesiredState,
	): void {
		// The error workflow leaves a failure with an id to the mail of the report.
		const description = showsReport ? `${text}\n\nReport ID: ${id}` : text;
		emitFailure(context, this.memory, { title: verdict, description });
	}

	private show(context: ITriggerFunctions, report: Report, outcome: Outcome, at: number): void {
		if (!outcome.desired.showsReport) return;
		emit(context, this.memory, reportItem(report, outcome, at));
	}

	/** The same words as in the failed execution, in one line. */
	private log(context: ITriggerFunctions, { verdict, text }: Report): void {
		warn(context, `${verdict}. ${text.replace(/\s*\n\s*/g, ' ')}`);
	}
}

/** A result that needs no action. */
function logQuietly(context: ITriggerFunctions, { verdict }: Report): void {
	context.logger.info(`Company Registry Trigger "${context.getNode().name}": ${verdict}`);
}

function withoutPassing(report: Report): Report {
	const lasting = reject(report.keys.lasting, mayPass);
	return { ...report, keys: { ...report.keys, lasting } };
}

/** One of several problems may end, and other rows may be skipped. */
function stateAndProblems({ state, keys, skipped }: Report): string {
	return [state, ...keys.lasting, ...skipped].join('\n');
}

function hasNews(report: Report): boolean {
	return report.lists.repaired.size > 0 || hasListChanged(report);
}

function hasListChanged({ lists: { added, removed } }: Report): boolean {
	return added.length + removed.length > 0;
}

/** The situation of the trigger in whose context it is described. */
export function situationOf(
	context: FunctionsBase,
	outcome: Outcome,
	news: News,
	more: Partial<Situation> & Pick<Situation, 'at'>,
): Situation {
	const workflow = context.getWorkflow().name ?? '';
	const timezone = context.getTimezone();
	return { outcome, news, isSettingUp: false, isFirst: false, workflow, timezone, ...more };
}
