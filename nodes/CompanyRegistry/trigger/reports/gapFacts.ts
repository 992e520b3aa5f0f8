import { compact, groupBy, map, max, partition, uniq } from 'lodash';

import { MINUTE } from '../../shared/durations';
import { formatCompany, pluralise } from '../../shared/format';
import { REGISTER } from '../../shared/itemText';
import { isDrift, type Cause, type Gap } from '../records/gap';
import { problemOf, type Fact, type ReportContext } from './fact';
import type { Status } from './status';
import { clockIn, type Clock } from './times';

/** Companies with the address of their filing history. */
const MAXIMUM_ADDRESSES = 20;

const CAUSES: Record<Cause, string> = {
	n8n: 'n8n was not running',
	unpublished: 'The trigger was not published',
	unlisted: 'The company was not on your list',
	paused: 'had been paused',
	events: 'had other events',
	redirected: 'had been redirected to another address',
	removed: 'had been removed',
};
const SOMEONE =
	'Someone changed these webhooks, perhaps the service itself after failed deliveries. The trigger has restored those that are watched';

/** Gaps by their kind: changes by others first, then n8n, then what the user did. */
export function gapFacts(status: Status, { timezone, at }: ReportContext): Fact[] {
	const clock = clockIn(timezone, at);
	const [drifted, others] = partition(status.gaps, ({ gap }) => isDrift(gap.cause));
	const byCause = groupBy(others, 'gap.cause');
	const groups = [drifted, byCause.n8n ?? [], byCause.unpublished ?? [], byCause.unlisted ?? []];
	return groups.filter(({ length }) => length > 0).map((some) => gapFact(status, some, clock));
}

function gapFact({ reading }: Status, some: Status['gaps'], clock: Clock): Fact {
	const [{ gap }] = some;
	const count = some.length;
	const range = commonRange(map(some, 'gap'));
	const isKill = gap.cause === 'n8n' && gap.from === undefined;
	const when = isKill ? beforeKill(some, clock) : range && clock.rangeOf(range);
	const what = `vents may be missing for ${pluralise(count, 'company')}`;

	const lineOf = ({ company, gap: own }: Status['gaps'][number], place: number) => {
		const why = [isDrift(own.cause) && CAUSES[own.cause], !range && clock.rangeOf(own)];
		const address = place < MAXIMUM_ADDRESSES && `${REGISTER}${company}/filing-history`;
		const details = compact([compact(why).join(' '), address]).join('; ');
		return compact([formatCompany(company, reading.names), details]).join(': ');
	};
	return {
		says: compact([`E${what}`, when]).join(' '),
		brief: `e${what}`,
		parts: [{ words: `${wordsFor(gap.cause, isKill)}. ${lookUp(count)}`, list: some.map(lineOf) }],
		problem: gapProblem(some),
	};
}

function wordsFor(cause: Cause, isKill: boolean): string {
	if (isDrift(cause)) return SOMEONE;
	if (isKill) return 'n8n ended without notice, so the beginning is not known';
	return `${CAUSES[cause]}. It is over now`;
}

function lookUp(count: number): string {
	const links = `; the first ${MAXIMUM_ADDRESSES} have a link to their filings`;
	return `Look up these companies${count > MAXIMUM_ADDRESSES ? links : ''}`;
}

/** What a user did needs no one. */
function gapProblem(some: Status['gaps']): Fact['problem'] {
	const [{ gap }] = some;
	if (isDrift(gap.cause)) return problemOf('drift', map(some, 'company'));
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
