// One function for each row of the table of situations that a report tells: what is so, and what to do.
import { filter, flatMap, groupBy, map, size, union } from 'lodash';

import { digestOf } from '../../shared/digest';
import { eventNameOf } from '../../shared/events';
import { formatCompany, pluralise } from '../../shared/format';
import { nextStep, whyMissing } from './reasons';
import type { ReportContext } from './report';
import type { Status } from './status';
import { clockIn } from './times';
import {
	areWatched,
	explain,
	forCount,
	named,
	PAUSE,
	quote,
	RETRIES,
	sentences,
	type Part,
} from './words';

/** Something that needs a person. */
export interface Problem {
	/** Its kind, and a digest of its facts: with other facts, it is another problem. */
	key: string;
	/** Whether it is told each day while it lasts. */
	isDaily?: boolean;
	/** Whether it is told once, as long as it lasts. */
	isOnce?: boolean;
}

/** One statement of a report. */
export interface Fact {
	/** As a verdict. */
	says: string;
	parts: Part[];
	/** Undefined where no one has to act. */
	problem?: Problem;
	/** What a verdict about something worse has of it, where there is room. */
	brief?: string;
}

function daily(kind: string, facts: string[] = []): Problem {
	return { key: keyOf(kind, facts), isDaily: true };
}

function once(kind: string, facts: string[]): Problem {
	return { key: keyOf(kind, facts), isOnce: true };
}

function keyOf(kind: string, facts: string[]): string {
	return facts.length > 0 ? `${kind} ${digestOf([...facts].sort().join('\n'), 12)}` : kind;
}

/** Row 10. */
export function cannotCheck(status: Status, { timezone, at, lastEventAt }: ReportContext): Fact[] {
	const { failing, watched, desired } = status;
	if (!failing) return [];
	const clock = clockIn(timezone, at);
	const seen = `${watched.length} of ${desired.companies.length} watched`;
	const last = lastEventAt
		? `The last event that this n8n has seen came at ${clock.timeOf(lastEventAt)}`
		: 'This n8n has seen no event since it started';
	const events = `Webhooks that are set up still deliver, unless the service has stopped them. ${last}`;
	return [
		{
			says: `Could not check since ${clock.timeOf(failing.since)} (last seen: ${seen})`,
			parts: [{ words: explain(failing.reason) }, { words: events }],
			problem: daily('check', [quoteKey(failing.reason)]),
		},
	];
}

/** The words of the service may hold the id of a request. */
function quoteKey(reason: unknown): string {
	const { status, reason: code, message } = reason as Record<string, unknown>;
	return String(status ?? code ?? message ?? '');
}

/** Row 17. */
export function addressChanged({ addressQuestion, existing, desired, watched }: Status): Fact[] {
	if (addressQuestion === undefined) return [];
	const count = existing.length || watched.length || desired.companies.length;
	const deliver = forCount(count, 'delivers', 'deliver');
	return [
		{
			says: `n8n's address has changed: ${pluralise(count, 'company')} still ${deliver} to the earlier one`,
			parts: [{ words: addressQuestion }],
			problem: daily('address', [addressQuestion]),
		},
	];
}

/** Row 2, refused companies. */
export function notWatched(status: Status): Fact[] {
	const { missing, desired, isWhole } = status;
	if (missing.length === 0 || !isWhole) return [];
	const all = pluralise(desired.companies.length, 'company');
	const are = forCount(missing.length, 'is', 'are');
	return [
		{
			says: `${missing.length} of ${all} ${are} not watched`,
			parts: whyMissing(status),
			problem: daily('missing', missing),
		},
	];
}

/** Row 15. */
export function eventsNotSet(status: Status): Fact[] {
	const { unsetEvents, watched, refused, stopped, reading, isWhole } = status;
	const events = Object.keys(unsetEvents);
	if (events.length === 0 || !isWhole) return [];
	const companies = union(...Object.values(unsetEvents));
	const label = events.map((event) => eventNameOf(event) ?? event).join(' and ');
	const are = forCount(events.length, 'is', 'are');
	const reason = companies.map((one) => refused.get(one)).find(Boolean) ?? stopped;
	const step = nextStep(reason, { isKnownNumber: true, areOthersAccepted: true });
	const words = sentences([
		reason ? quote(reason) : 'The registry service did not set it up',
		step,
	]);
	return [
		{
			says: `${label} ${are} not set up for ${pluralise(companies.length, 'company')}; ${areWatched(watched.length)}`,
			parts: [{ words, list: named(companies, reading.names) }],
			problem: daily('events', [...events, ...companies]),
		},
	];
}

/** Row 9. */
export function cannotRead({ unread, watched, desired }: Status, context: ReportContext): Fact[] {
	if (!unread) return [];
	const { reason, since } = unread;
	const clock = clockIn(context.timezone, context.at);
	const what = desired.followsLink ? 'your list' : "this trigger's list or settings";
	return [
		{
			says: `Could not read ${what} since ${clock.timeOf(since)}; ${areWatched(watched.length)} as before`,
			parts: [{ words: sentences([explain(reason), desired.followsLink && RETRIES]) }],
			problem: daily('list', [reason.message]),
		},
	];
}

/** Row 7. */
export function largeRemoval({ waiting, reading }: Status): Fact[] {
	const companies = map(filter(waiting, { why: 'large' }), 'company');
	if (companies.length === 0) return [];
	const stay = forCount(companies.length, 'stays', 'stay');
	const words =
		"Put them back on your list to keep them. To stop watching them, publish with 'Allow Large Removals' (under Options) on";
	return [
		{
			says: `${pluralise(companies.length, 'company')} left your list and ${stay} watched`,
			parts: [{ words, list: named(companies, reading.names) }],
			problem: daily('large', companies),
		},
	];
}

/** Row 8. */
export function rowHidesCompany({ waiting, reading, watched }: Status): Fact[] {
	const companies = map(filter(waiting, { why: 'row' }), 'company');
	if (companies.length === 0) return [];
	const rows = mistypedRows(reading);
	const was = forCount(companies.length, 'was', 'were');
	const removed = `so ${pluralise(companies.length, 'company')} ${was} not removed`;
	return [
		{
			says: `${areWatched(watched.length)}; ${pluralise(rows.length, 'row')} not read, ${removed}`,
			parts: [
				{ words: 'Correct these rows, or remove them', list: map(rows, 'words') },
				{ words: 'These companies stay watched until then', list: named(companies, reading.names) },
			],
			problem: daily('row', [...companies, ...map(rows, rowKey)]),
		},
	];
}

/** Row 18. */
export function otherAccount({ elsewhere, watched, reading }: Status): Fact[] {
	if (elsewhere.length === 0) return [];
	const earlier = pluralise(elsewhere.length, 'earlier webhook');
	const words =
		'Your API key opens another account, so the trigger made new webhooks. If the earlier ones are still active, pause them in their own account';
	return [
		{
			says: `${areWatched(watched.length)}; ${earlier} may still be active elsewhere`,
			parts: [{ words, list: elsewhere.map((one) => webhookLine(one, reading.names)) }],
			problem: once('account', map(elsewhere, 'id')),
		},
	];
}

/** Row 19. */
export function otherWebhooks({ others, watched, reading }: Status): Fact[] {
	const count = size(others);
	if (count === 0) return [];
	const have = forCount(count, 'has', 'have');
	const list = flatMap(others, (ids, company) =>
		ids.map((id) => webhookLine({ id, company }, reading.names)),
	);
	const words = `Your account has these besides: of another workflow, of an earlier n8n, or of a setup that was interrupted. Events may arrive twice. ${PAUSE}`;
	return [
		{
			says: `${areWatched(watched.length)}; ${count} ${have} another active webhook`,
			parts: [{ words, list }],
			problem: { key: 'others', isOnce: true },
		},
	];
}

function webhookLine(
	{ id, company }: { id: string; company: string },
	names: ReadonlyMap<string, string>,
): string {
	return `${id} (${formatCompany(company, names)})`;
}

/** Row 2, rows that look mistyped. */
export function rowsNotRead({ reading, waiting, watched }: Status): Fact[] {
	const rows = mistypedRows(reading);
	if (rows.length === 0 || waiting.some(({ why }) => why === 'row')) return [];
	const brief = `${pluralise(rows.length, 'row')} not read`;
	return [
		{
			says: `${areWatched(watched.length)}; ${brief}`,
			brief,
			parts: [{ words: 'Correct these rows, or remove them', list: map(rows, 'words') }],
			problem: once('rows', map(rows, rowKey)),
		},
	];
}

function mistypedRows({ unreadable }: Status['reading']) {
	return filter(unreadable, 'looksMistyped');
}

/** A row that moves is the same row. */
function rowKey({ cell, name }: { cell: string; name: string }): string {
	return `${cell}\t${name}`;
}

/** Rows 5 and 6: changes since the last report. */
export function changes(status: Status): Fact[] {
	const { added, removed, changed, watched, reading, isWhole } = status;
	if (!isWhole || added.length + removed.length + changed.length === 0) return [];
	// All companies of a first publish are new.
	const isFirst = added.length === watched.length && removed.length === 0;
	const counts = changeCounts({ added: isFirst ? [] : added, removed, changed });
	const lists = [
		{ words: 'Check the changed numbers', list: changed.map(changedLine) },
		{ words: 'Added', list: isFirst ? [] : named(added, reading.names) },
		{ words: 'No longer watched', list: named(removed, reading.names) },
	];
	return [
		{
			says: counts ? `${areWatched(watched.length)}: ${counts}` : areWatched(watched.length),
			parts: filter(lists, 'list.length') as Part[],
			problem: changed.length > 0 ? once('changed', changed.map(changedLine)) : undefined,
			brief: removed.length > 0 ? `${removed.length} removed` : undefined,
		},
	];
}

/** `3 added, 2 removed, 1 changed number`; a changed number is counted once. */
export function changeCounts(change: Pick<Status, 'added' | 'removed' | 'changed'>): string {
	const { changed } = change;
	const olds = new Set(map(changed, 'before'));
	const news = new Set(map(changed, 'now'));
	const added = change.added.filter((company) => !news.has(company)).length;
	const removed = change.removed.filter((company) => !olds.has(company)).length;
	return [
		...(added > 0 ? [`${added} added`] : []),
		...(removed > 0 ? [`${removed} removed`] : []),
		...(changed.length > 0 ? [pluralise(changed.length, 'changed number')] : []),
	].join(', ');
}

export function changedLine({ name, before, now }: Status['changed'][number]): string {
	return `${name}: ${before} → ${now}`;
}

/** Rows 1 and 21. */
export function allWatched({ watched, isWhole }: Status): Fact[] {
	return isWhole ? [{ says: areWatched(watched.length), parts: [] }] : [];
}

/** What needs no one and never leads. */
export function notes({ reading, isWhole, desired }: Status): Fact[] {
	if (!isWhole) return [];
	const lists: Part[] = [
		{ words: 'These rows have no company number', list: map(rowsWithoutDigits(reading), 'words') },
		{ words: completedWords(reading.completed), list: reading.completed },
		{ words: 'Rows that repeat a company', list: reading.repeats },
		{ words: 'Numbers with several names: the first one is used', list: sharedNumbers(reading) },
		{ words: 'Columns left out, because the list is too large', list: reading.leftOut },
	];
	const parts = filter(lists, 'list.length') as Part[];
	if (reading.isWindows1252) parts.push({ words: WINDOWS_1252 });
	if (desired.options.allowLargeRemovals) parts.push({ words: REMOVALS_ALLOWED });
	return parts.length > 0 ? [{ says: '', parts }] : [];
}

export function rowsWithoutDigits({ unreadable }: Status['reading']) {
	return filter(unreadable, ({ looksMistyped }) => !looksMistyped);
}

/** Numbers in several rows whose names differ, so that one of them may be another company's. */
export function sharedNumbers({ unclearNames }: Status['reading']): string[] {
	const rows = groupBy(unclearNames, ([company]) => company);
	return map(rows, (some, company) => `${company}: ${map(some, 1).join(', ')}`);
}

export function completedWords({ length }: string[]): string {
	return `${pluralise(length, 'number')} completed with zeros`;
}

export const WINDOWS_1252 =
	'The list was read as windows-1252, because it is not UTF-8: check the names';
export const REMOVALS_ALLOWED =
	"'Allow Large Removals' is on: your next publish may stop watching most companies";
