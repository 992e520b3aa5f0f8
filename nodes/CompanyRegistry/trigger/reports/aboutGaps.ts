import { compact, groupBy, map, max, uniq } from 'lodash';

import { MINUTE } from '../../shared/durations';
import { formatCompany, pluralise } from '../../shared/format';
import { REGISTER } from '../../shared/itemText';
import type { Cause, Gap } from '../records/gap';
import { problemOf, type Statement, type ReportContext } from './statement';
import type { Status } from './status';
import { clockIn, type Clock } from './times';

/** Companies with the address of their filing history. */
const MAXIMUM_ADDRESSES = 20;

/** Changes by others come first, then n8n, then what the user did. */
const CAUSES: Record<Cause, string> = {
	changed:
		'Someone changed these webhooks, perhaps the service itself after failed deliveries. The trigger has restored those that are watched',
	n8n: 'n8n was not running. It is over now',
	unpublished: 'The trigger was not published. It is over now',
	unlisted: 'The company was not on your list. It is over now',
};

const KILL = 'n8n ended without notice, so the beginning is not known';

/** Gaps by their cause. */
export function gapStatements(status: Status, { timezone, at }: ReportContext): Statement[] {
	const clock = clockIn(timezone, at);
	const byCause = groupBy(status.gaps, 'gap.cause');
	const groups = compact(Object.keys(CAUSES).map((cause) => byCause[cause]));
	return groups.map((some) => gapStatement(status, some, clock));
}

function gapStatement({ reading }: Status, some: Status['gaps'], clock: Clock): Statement {
	const [{ gap }] = some;
	const count = some.length;
	const range = commonRange(map(some, 'gap'));
	const isKill = gap.cause === 'n8n' && gap.from === undefined;
	const when = isKill ? beforeKill(some, clock) : range && clock.rangeOf(range);
	const what = `vents may be missing for ${pluralise(count, 'company')}`;

	const lineOf = ({ company, gap: own }: Status['gaps'][number], place: number) => {
		const address = place < MAXIMUM_ADDRESSES && `${REGISTER}${company}/filing-history`;
		const details = compact([!range && clock.rangeOf(own), address]).join('; ');
		return compact([formatCompany(company, reading.names), details]).join(': ');
	};
	return {
		says: compact([`E${what}`, when]).join(' '),
		brief: `e${what}`,
		parts: [
			{ words: `${isKill ? KILL : CAUSES[gap.cause]}. ${lookUp(count)}`, list: some.map(lineOf) },
		],
		problem: gapProblem(some),
	};
}

function lookUp(count: number): string {
	const links = `; the first ${MAXIMUM_ADDRESSES} have a link to their filings`;
	return `Look up these companies${count > MAXIMUM_ADDRESSES ? links : ''}`;
}

/** What a user did needs no one. */
function gapProblem(some: Status['gaps']): Statement['problem'] {
	const [{ gap }] = some;
	if (gap.cause === 'changed') return problemOf('drift', map(some, 'company'));
	return gap.cause === 'n8n' ? problemOf('away', [`${gap.from}-${gap.to}`]) : undefined;
}

function beforeKill(some: Status['gaps'], clock: Clock): string {
	const latest = max(map(some, 'gap.to')) ?? 0;
	return `before ${clock.timeOf(latest)}, because n8n ended without notice`;
}

/** The time that all have in common, to the minute; undefined where they differ in their beginning. */
function commonRange(all: Gap[]): Pick<Gap, 'from' | 'to'> | undefined {
	const minutes = uniq(all.map(({ from }) => from && Math.floor(from / MINUTE)));
	if (minutes.length > 1) return undefined;
	const isOver = all.every(({ to }) => to !== undefined);
	return { from: all[0].from, to: isOver ? max(map(all, 'to')) : undefined };
}
