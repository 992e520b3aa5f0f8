import { isEmpty, pickBy } from 'lodash';
import type { ITriggerFunctions } from 'n8n-workflow';

import { DAY } from '../../shared/durations';
import { warn } from '../../shared/format';
import { isTemporary } from '../records/failures';
import type { Outcome } from '../records/outcome';
import { rhythmOf, type Problem } from '../reports/statement';
import { reportOn, type Report } from '../reports/report';
import { reportItem } from '../reports/reportItem';
import { statusOf, type Status } from '../reports/status';
import { emit, emitFailure } from './emission';
import type { TriggerMemory } from './memory';
import { EARLY, TIMES } from './schedule';

/** n8n wakes the trigger once a minute, and checks may come early. */
const NEARLY_A_DAY = DAY - 120_000;

/**
 * Reports what a pass came to, unless a person knows it: as an item of *Watch Report* or as a failed execution, and in
 * n8n's log. What is reported counts as told from then on.
 * @param at milliseconds since the epoch
 */
export function sendReport(
	context: ITriggerFunctions,
	memory: TriggerMemory,
	outcome: Outcome,
	kind: 'publish' | 'check',
	at: number,
): void {
	if (mayPassSoon(outcome, memory, at)) return;
	const status = statusOf(memory, outcome, at);
	const report = reportOn(status, {
		workflow: context.getWorkflow().name ?? '',
		timezone: context.getTimezone(),
		at,
		lastEventAt: memory.lastEventAt,
	});
	const { reportedAt = {} } = memory.facts;
	const due = report.problems.filter((problem) => isToBeReported(problem, reportedAt, at));
	const { hasEnded, hasChanged } = report;
	const isNews = due.length > 0 || hasEnded || hasChanged || kind === 'publish';
	if (!isNews) return;

	markReported(memory, status, report, due, at);
	const { isChosen, isLiteral } = outcome.desired.reports;
	const isRepeated = due.some((problem) => problem in reportedAt);
	const isFailure = due.length > 0 && (!isChosen || !isLiteral || isRepeated);
	if (isFailure) emitFailure(context, memory, { title: report.verdict, description: report.text });
	if (isChosen) emit(context, memory, [reportItem(report, status, at)]);
	log(context, report, due.length > 0);
}

/** Whether it is too early to report a failure. */
function mayPassSoon({ failure, reading }: Outcome, { facts }: TriggerMemory, at: number): boolean {
	const { check, list } = facts.failingSince ?? {};
	const since = check ?? list;
	const mayPass = isTemporary(failure ?? reading.problem);
	return mayPass && since !== undefined && at - since < TIMES.beforeReport - EARLY;
}

function isToBeReported(problem: Problem, reportedAt: Record<string, number>, at: number): boolean {
	if (!(problem in reportedAt)) return true;
	return rhythmOf(problem) !== 'once' && at - reportedAt[problem] >= NEARLY_A_DAY;
}

/** Before the emission, which stores it. */
function markReported(
	memory: TriggerMemory,
	status: Status,
	{ problems }: Report,
	due: Problem[],
	at: number,
): void {
	const { reportedAt = {} } = memory.facts;
	const now = Object.fromEntries(due.map((problem) => [problem, at]));
	// What a pass that failed did not look at is as it was.
	const isOfToday = (last: number) => at - last < NEARLY_A_DAY;
	const lasts = (last: number, problem: Problem) =>
		problems.includes(problem) ||
		!status.isFinished ||
		(rhythmOf(problem) === 'again' && isOfToday(last));
	const still = { ...pickBy(reportedAt, lasts), ...now };
	memory.updateFacts({ reportedAt: isEmpty(still) ? undefined : still });
	if (!status.isFinished) return;

	memory.updateFacts({ unreported: undefined });
	const watched = new Set(status.watched);
	const removed = new Set(status.removed);
	for (const one of memory.subscriptions) {
		if (watched.has(one.company)) one.isAnnounced = true;
		if (removed.has(one.company)) one.isAnnounced = false;
		if (watched.has(one.company) && one.gap?.to !== undefined) delete one.gap;
	}
}

function log(context: ITriggerFunctions, { verdict, text }: Report, isProblem: boolean): void {
	if (isProblem) warn(context, `${verdict}. ${text}`);
	else context.logger.info(`Company Registry Trigger "${context.getNode().name}": ${verdict}`);
}
