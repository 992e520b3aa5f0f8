import { compact, filter, map, reject, uniq } from 'lodash';

import { plainLine } from '../../shared/itemText';
import { addressInQuestion, cannotCheck, cannotRead } from './aboutChecks';
import {
	KINDS,
	kindOf,
	rhythmOf,
	type Statement,
	type Problem,
	type ReportContext,
} from './statement';
import { gapStatements } from './aboutGaps';
import {
	allWatched,
	changes,
	largeRemoval,
	notes,
	rowHidesCompany,
	rowsNotRead,
} from './aboutLists';
import type { Status } from './status';
import { clockIn } from './times';
import { eventsNotSet, notWatched, otherAccount, otherWebhooks } from './aboutWebhooks';
import { linesOf, MAXIMUM_VERDICT } from './words';

const MAXIMUM_NAME = 100;

/** A report on a trigger, as a person reads it by email or in a list of executions. */
export interface Report {
	/** The worst statement, in one line of at most 120 characters. */
	verdict: string;
	/** The workflow, the next step, and then all else that is so. */
	text: string;
	problems: Problem[];
	/** Whether a problem that an earlier report named is over. */
	hasEnded: boolean;
	/** Whether companies were added or removed since the last report. */
	hasChanged: boolean;
	state: 'complete' | 'incomplete' | 'repaired';
}

type TableRow = (status: Status, context: ReportContext) => Statement[];

/** The worst comes first: it leads the verdict, and the text has the others in this order. */
const RANKING: readonly TableRow[] = [
	cannotCheck,
	addressInQuestion,
	notWatched,
	eventsNotSet,
	cannotRead,
	largeRemoval,
	rowHidesCompany,
	gapStatements,
	otherAccount,
	otherWebhooks,
	rowsNotRead,
	changes,
	allWatched,
	notes,
];

export function reportOn(status: Status, context: ReportContext): Report {
	const all = RANKING.flatMap((row) => row(status, context));
	// What is reported once stands in no later verdict.
	const isOld = ({ problem }: Statement) =>
		problem !== undefined && rhythmOf(problem) === 'once' && status.reported.has(problem);
	const current = reject(all, isOld);
	const statements = [...current, ...filter(all, isOld)];
	const problems = compact(map(statements, 'problem')) as Problem[];
	const kinds = map(problems, kindOf);
	const lasting = [...status.reported].filter((one) => rhythmOf(one) === 'daily').map(kindOf);
	const { isFinished, gaps, added, removed } = status;
	const isOpen = !isFinished || map(problems, rhythmOf).includes('daily');
	return {
		verdict: verdictOf(current, status),
		text: textOf(statements, status, context),
		problems,
		hasEnded: isFinished && lasting.some((kind) => !kinds.includes(kind)),
		hasChanged: isFinished && added.length + removed.length > 0,
		state: isOpen ? 'incomplete' : gaps.length > 0 ? 'repaired' : 'complete',
	};
}

/** The worst statement, and behind it what else matters, where there is room. */
function verdictOf([first, ...others]: Statement[], status: Status): string {
	const over = first.problem ? '' : overWords(status);
	const says = compact([over, first.says]).join(', ');
	const verdict = compact(map(others, 'brief')).reduce((line, brief) => {
		const longer = `${line}; ${brief}`;
		return longer.length <= MAXIMUM_VERDICT ? longer : line;
	}, says);
	return plainLine(verdict, MAXIMUM_VERDICT);
}

/** What an earlier report named, and this pass no longer finds: `Over: checks work again`; empty if there is none. */
function overWords({ reported, isFinished, unreadList }: Status): string {
	if (!isFinished || unreadList) return '';
	const kinds = uniq(map([...reported], kindOf));
	const ends = compact(kinds.map((kind) => KINDS[kind].end));
	return ends.length > 0 ? `Over: ${ends.join(', ')}` : '';
}

function textOf(statements: Statement[], status: Status, context: ReportContext): string {
	const { workflow, timezone, at } = context;
	const [first, ...others] = statements;
	const over = first.problem && overWords(status);
	const paragraphs = filter(others, 'parts.length').flatMap(({ says, parts }) => [
		says && linesOf({ words: says }),
		...parts.map(linesOf),
	]);
	const text = compact([
		`Workflow: ${plainLine(workflow, MAXIMUM_NAME)}`,
		...first.parts.map(linesOf),
		over && linesOf({ words: over }),
		...uniq(paragraphs),
	]).join('\n\n');

	const hasTime = /\b\d\d:\d\d\b/.test(`${first.says}\n${text}`);
	return hasTime ? `${text}\n\nTime zone: ${clockIn(timezone, at).zone}` : text;
}
