import { compact, map, partition, uniq } from 'lodash';

import { digestOf } from '../../shared/digest';
import { plainLine } from '../../shared/itemText';
import { hiddenKey, rowsOf } from './otherProblems';
import { alarmKeys } from './ledger';
import type { Situation } from './situation';
import { clockIn } from './times';
import { factsOf, verdictIn } from './verdict';
import { viewOf } from './view';
import { linesOf, MAY_PASS, mayPass, quote, type Fact } from './words';

const MAXIMUM_NAME = 100;

/** A report on a trigger, as a person reads it by email or in a list of executions. */
export interface Report {
	/** The same for the item and the failed execution of one situation. */
	id: string;
	/** The worst fact, in one line of at most 120 characters. */
	verdict: string;
	/** The workflow, the next step, and then all else that is so. */
	text: string;
	/**
	 * Names of all that needs a person: they stay the same while that lasts, or while each check finds it again. Those
	 * that wait count below a worse fact, and again once they lead.
	 */
	keys: { lasting: string[]; happened: string[]; waiting: string[] };
	/** Whether it becomes a failed execution, which starts the error workflow. */
	needsPerson: boolean;
	/** Rows that the trigger skips, as the user has chosen. */
	skipped: string[];
	state: 'settingUp' | 'complete' | 'incomplete' | 'repaired';
	/** Companies; of those that were repaired and those that are left, with the reason. */
	lists: {
		added: string[];
		removed: string[];
		repaired: ReadonlyMap<string, string>;
		left: ReadonlyMap<string, string>;
	};
}

export function reportOn(situation: Situation): Report {
	const { isSettingUp } = situation;
	const facts = factsOf(situation);
	const verdict = verdictIn(facts);
	const needsPerson = !isSettingUp && facts.some(({ key }) => key !== undefined);
	const keys = keysOf(situation, facts);

	return {
		id: reportId(situation, [...keys.lasting, ...keys.happened].join('\n') || verdict),
		verdict,
		text: textOf(situation, facts, verdict),
		keys,
		needsPerson,
		skipped: map(rowsOf(situation.outcome)[1], 'words'),
		state: isSettingUp ? 'settingUp' : stateOf(facts),
		lists: listsOf(situation),
	};
}

function keysOf(situation: Situation, facts: Fact[]): Report['keys'] {
	const [waits, told] = partition(facts, ({ needsVerdict, leads }) => needsVerdict && !leads);
	const [over, open] = partition(told, 'isOver');
	const [happened, lasting, waiting] = [over, open, waits].map((some) =>
		some.flatMap(({ key }) => key?.split('\n') ?? []),
	);
	// Their news is in their lines, because a company is under one heading only.
	const { left, shrunk, renumbered } = viewOf(situation).headings;
	const hidden = hiddenKey(situation);
	const elsewhere = [...left, ...shrunk, ...renumbered];
	const named = lasting.map((key) => key || MAY_PASS);
	// Below another fact, a failure that may pass soon does not count as read.
	const leading = map(facts[0].key?.split('\n'), (key) => key || MAY_PASS);
	const isRead = (key: string) => leading.includes(key) || !mayPass(key);
	const read = situation.mayPassSoon ? named.filter(isRead) : named;
	return {
		lasting: uniq(compact([...read, hidden, ...waiting.map((key) => `below ${key}`)])),
		happened: uniq(compact([...happened, ...alarmKeys(elsewhere, situation.news)])),
		waiting,
	};
}

/** The same for one trigger, situation and day. */
function reportId({ outcome, workflow, at }: Situation, what: string): string {
	const day = new Date(at).toISOString().slice(0, 10);
	return digestOf([outcome.desired.url, workflow, what, day].join('\n'), 12);
}

function textOf({ workflow, timezone, at }: Situation, facts: Fact[], verdict: string): string {
	const [first, ...others] = facts;
	const paragraphs = others
		// The verdict has the total already.
		.filter(({ says, parts }) => says === '' || parts.length > 0 || !verdict.startsWith(says))
		.flatMap(({ says, parts: [part, ...more] }) => [
			linesOf(part ?? { words: '' }, says),
			...more.map((one) => linesOf(one)),
		]);
	// The verdict may say it of more companies, or in brief.
	const isSaid = verdict.toLowerCase().includes(first.says.toLowerCase());
	const text = [
		`Workflow: ${plainLine(workflow, MAXIMUM_NAME)}`,
		...first.parts.map((part, index) => linesOf(part, isSaid || index > 0 ? '' : first.says)),
		...paragraphs,
	].join('\n\n');

	const hasTime = /\b\d\d:\d\d\b/.test(`${verdict}\n${text}`);
	return hasTime ? `${text}\n\nTime zone: ${clockIn(timezone, at).zone}` : text;
}

function stateOf(facts: Fact[]): Report['state'] {
	const isOpen = facts.some(({ key, isOver }) => key !== undefined && !isOver);
	if (isOpen) return 'incomplete';
	return facts.some(({ isRepair }) => isRepair) ? 'repaired' : 'complete';
}

function listsOf(situation: Situation): Report['lists'] {
	const { outcome } = situation;
	const { headings, newsOf } = viewOf(situation);
	const whyLeft = (company: string) => {
		const reason = outcome.refused.get(company) ?? outcome.failure ?? 'Not watched yet';
		return compact([quote(reason), newsOf(company)]).join('; ');
	};

	const withReason = (companies: string[], reasonOf: (company: string) => string) =>
		new Map(companies.map((company) => [company, reasonOf(company)]));
	return {
		added: headings.added,
		removed: headings.removed,
		repaired: withReason(outcome.isChecked ? headings.gap : [], newsOf),
		left: withReason(headings.left, whyLeft),
	};
}
