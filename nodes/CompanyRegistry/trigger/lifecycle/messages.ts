import { compact, difference, groupBy, map, sortBy } from 'lodash';

import { describeUnreadable } from '../../lists/words';
import { messageOf, RegistryFailure } from '../../registry/failure';
import { called, counted, named } from '../../shared/words';
import { SKIP } from '../parameters/watchlist';
import { renumbered, type Changes, type WatchStatus } from '../parameters/watchStatus';
import { reasonKey, isTemporary, Stopped, type Outcome } from './outcome';
import type { Drift } from './plan';
import type { Subscription } from './state';

/** Reasons of refusals that a message quotes. */
const MAXIMUM_REASONS = 3;
const DRIFTS: Record<Drift, string> = {
	paused: 'Paused',
	events: 'Given other events',
	redirected: 'Redirected to another address',
	removed: 'Removed',
};
const PAUSE_STEP = 'Pause them with Webhook → Pause, unless something else uses them';

/** Something that a person may have to know. */
interface Finding {
	words: string;
	/** Companies or webhooks that it concerns. */
	names?: string[];
	/** A key that stays the same while the finding does; words and names unless it is given. */
	key?: string;
	/** Only Watch Status and the log have it. */
	isQuiet?: boolean;
}

/** The circumstances of a pass. Times are milliseconds since the epoch. */
export interface Circumstances {
	changes: Changes;
	/** Whether the pass goes on behind the answer to a publish. */
	isSettingUp?: boolean;
	/** Between which times companies were not watched. */
	gap?: { from: number; to: number };
	/** When n8n was started, in the first report after it. */
	startedAt?: number;
	/** When a pass last found nothing to repair. */
	healthyAt?: number;
}

export interface Report {
	status: WatchStatus;
	/** For a person; empty if there is nothing to do. */
	words: string;
	key: string;
}

/** A pass in words. */
export function describeOutcome(outcome: Outcome, circumstances: Circumstances): Report {
	const { desired, watched, repaired, refused, failure } = outcome;
	const { changes, isSettingUp = false, gap, startedAt, healthyAt } = circumstances;
	const step = isSettingUp ? 'Setting up continues' : 'The trigger tries again by itself';
	const open = findingsIn(outcome, step, isSettingUp);
	const slips = renumbered(changes.removed, desired.companies, desired.names);
	const findings = [
		...repairsIn(outcome, healthyAt),
		...open,
		...finding('Another number has the same name. Correct it if it is mistyped', slips),
	];
	const reported = findings.filter(({ isQuiet }) => !isQuiet);
	const isDone =
		watched.length === desired.companies.length && open.every(({ isQuiet }) => isQuiet);
	const counts = countsOf(outcome);
	const left = difference(desired.companies, watched);
	const reasonOf = (company: string) =>
		refused.has(company)
			? refusalIn(refused.get(company))
			: failureIn(failure ?? new Error('Not set up yet'));
	const summary = sentences([
		counts,
		gap && `Not watched between ${timeOf(gap.from)} and ${timeOf(gap.to)}: events may be missing`,
		startedAt !== undefined &&
			`n8n was started at ${timeOf(startedAt)}: events that were delivered while it was down may be missing`,
		...findings.map(textOf),
		...othersIn(outcome).map(textOf),
	]);
	const state = isDone ? (repaired.size > 0 ? 'repaired' : 'complete') : 'incomplete';
	return {
		status: {
			state: isSettingUp ? 'settingUp' : state,
			summary,
			wanted: desired.companies.length,
			watched: watched.length,
			...changes,
			repaired: new Map([...repaired].map(([company, drift]) => [company, DRIFTS[drift]])),
			left: new Map(left.map((company) => [company, reasonOf(company)])),
		},
		words: reported.length > 0 ? sentences([counts, ...reported.map(textOf)]) : '',
		key: reported.map(({ key, words, names }) => key ?? `${words} ${names?.join()}`).join('\n'),
	};
}

/** Why a publish failed. n8n shows only this message, so it has the next step. @param isLate after a minute */
export function describeFailedPublish(outcome: Outcome, isLate: boolean): string {
	const { desired, alreadyWatched, watched, refused } = outcome;
	const maySkip = desired.options.unwatchable === 'stop' && refused.size > 0 && watched.length > 0;
	const asked = finding(
		`${alreadyWatched.length} of ${desired.companies.length} companies have an active webhook that another workflow or program may use. Unpublish that workflow, or set 'Options' > 'Already Watched' to 'Watch Anyway'`,
		calledIn(outcome, alreadyWatched),
	);
	const step = 'Publish again: existing webhooks are reused';
	return sentences([
		watched.length === 0 && asked.length === 0 && 'No company is watched',
		maySkip && `Not all companies can be watched. ${SKIP}`,
		isLate && 'The registry service did not let enough requests through within a minute',
		isLate && 'The registry service confirmed no webhook within a minute',
