// Facts about gaps, changes of the list, and the present state.
import {
	compact,
	difference,
	flatMap,
	intersection,
	isEqual,
	map,
	partition,
	pickBy,
	reject,
	sortBy,
	upperFirst,
} from 'lodash';

import { pluralise } from '../../shared/format';
import { alarmKeys, isAlarm, isBrief, NOT_RUNNING, REFUSED, type Gap } from './ledger';
import { rowsOf } from './otherProblems';
import type { View } from './view';
import { forCount, PAUSE, sentences, type Fact, type Part } from './words';

const MINUTE = 60_000;

/** Gaps that are longer than a restart takes. */
export function gaps(view: View): Fact[] {
	return gapFacts(view, false);
}

/** Gaps while n8n was restarted, or the trigger was unpublished for some seconds. */
export function shortGaps(view: View): Fact[] {
	return gapFacts(view, true);
}

/** Gaps because of changes that others made at the service, and the rest: their times and reasons differ. */
function gapFacts(view: View, areShort: boolean): Fact[] {
	const { companies } = view.situation.news;
	const isChanged = (company: string) => companies.get(company)?.drift !== undefined;
	const groups = partition(view.headings.gap, isChanged)
		.filter(({ length }) => length > 0)
		.filter((some) => some.every((company) => isBriefly(view, company)) === areShort);
	const missing = missingEvents(view);
	const verdict = missing && upperFirst(missing.full);
	return sortBy(groups, ({ length }) => -length).map((some) => ({
		...gapFact(view, some),
		verdict,
	}));
}

/** Whether events of a company may be missing only for a moment. */
function isBriefly({ situation }: View, company: string): boolean {
	const news = situation.news.companies.get(company);
	return news !== undefined && isBrief(news);
}

/** For all companies with a gap but those that are not watched: `events may be missing for 2 companies since 05:10`. */
export function missingEvents(view: View): { full: string; brief: string } | undefined {
	const { gap, shrunk, renumbered, unreadable } = view.headings;
	const kept = [...shrunk, ...renumbered, ...unreadable];
	const withNews = [...gap, ...kept.filter((company) => view.newsOf(company) !== '')];
	// The webhook of one that has left may still be active.
	const listed = intersection(view.situation.outcome.desired.companies, withNews);
	const all = [...listed, ...changedBeforeRemoval(view)];
	// A restart, which concerns all, must not hide how many an alarm concerns.
	const long = reject(all, (company) => isBriefly(view, company));
	const counted = long.length > 0 ? long : all;
	return counted.length > 0 ? missingFor(view, counted) : undefined;
}

function missingFor({ situation, clock }: View, companies: string[]) {
	const { news } = situation;
	const common = commonRange(companies.map((company) => news.companies.get(company)?.gap ?? {}));
	const brief = `events may be missing for ${pluralise(companies.length, 'company')}`;
	return { full: compact([brief, clock.rangeOf(common)]).join(' '), brief, common };
}

function gapFact(view: View, companies: string[]): Fact {
	const { situation, newsOf, nameOf } = view;
	const { news } = situation;
	const all = compact(companies.map((company) => news.companies.get(company)));
	const isChanged = all.every(({ drift }) => drift !== undefined);
	const isDown = all.every(({ gap }) => gap.isDowntime);
	const isKill = all.some(({ gap }) => gap.isKill);
	const count = companies.length;

	const someone = `someone changed ${pluralise(count, 'webhook')} at the service, perhaps this workflow in another n8n`;
	const down = isKill ? 'n8n was killed at some time in between' : NOT_RUNNING;
	const [{ causes = [] }] = all;
	const isCommon = all.every((one) => isEqual(one.causes ?? [], causes));
	const reason = isChanged ? someone : isDown ? down : isCommon && causes.join(' and ');
	const look = `Look ${forCount(count, 'this company', 'these companies')} up in the register`;
	const areRefused = all.some((one) => one.causes?.includes(REFUSED));
	const why = areRefused && "Failed executions and n8n's log say why deliveries were refused";

	// The first words have said what all of them have in common.
	const { full, common } = missingFor(view, companies);
	const isSame = !isChanged && (isCommon || isDown) && (common.from ?? common.to) !== undefined;
	const lineOf = (company: string) => {
		const isHidden = situation.outcome.desired.kept.get(company)?.reason === 'unreadable';
		const details = [!isSame && newsOf(company), isHidden && 'may have left your list'];
		return compact([nameOf(company), compact(details).join('; ')]).join(': ');
	};
	return {
		says: upperFirst(full),
		count,
		parts: [
			{
				words: sentences([reason ? `${look}, because ${reason}` : look, why]),
				list: companies.map(lineOf),
			},
		],
		key: alarmKeys(companies, news).join('\n') || undefined,
		isOver: true,
		isRepair: isChanged,
	};
}

/** From one time on, until the latest; without times where they began at different ones. */
function commonRange(all: Gap[]): Gap {
	const minuteOf = (at?: number) => (at === undefined ? undefined : Math.floor(at / MINUTE));
	const [{ from }] = all;
	if (all.some((gap) => minuteOf(gap.from) !== minuteOf(from))) return {};
	const ends = compact(map(all, 'to'));
	// A loop, because a list may be too long for the arguments of a call.
	const latest = ends.reduce((one, other) => Math.max(one, other), 0);
	if (ends.length < all.length) return ends.length === 0 ? { from } : {};
	return { from, to: latest };
}

/** Companies that were removed after someone had changed their webhooks. */
function changedBeforeRemoval({ situation, headings }: View): string[] {
	const { companies } = situation.news;
	return headings.removed.filter((company) => {
		const news = companies.get(company);
		return news?.drift !== undefined && isAlarm(news);
	});
}

/** Changes of the list, where events of removed companies may be missing. */
export function changesWithGaps(view: View): Fact[] {
	return changeFacts(view).filter(({ key }) => key !== undefined);
}

export function changes(view: View): Fact[] {
	return changeFacts(view).filter(({ key }) => key === undefined);
}

/** Companies that were added to the list or removed. */
function changeFacts(view: View): Fact[] {
	const { situation, headings, total, nameOf, lineOf } = view;
	const { added, removed } = headings;
	const { dropped } = situation.outcome.desired;
	const changed = changedBeforeRemoval(view);
	const missing = changed.length > 0 ? missingEvents(view) : undefined;
	// All companies of a first publish are new.
	const counts = compact([
		!situation.isFirst && added.length > 0 && `${added.length} added`,
		...endings(removed, dropped),
		...skippedRows(view),
	]);
	const lists = {
		Added: added.map(nameOf),
		Removed: removed.map(lineOf),
		[NO_LONGER_CHOSEN]: dropped,
	};
	const parts = map(pickBy(lists, 'length'), (list, words) => ({ words, list }));
	if (parts.length === 0) return [];

	return [
		{
			says: '',
			verdict: missing ? upperFirst(missing.full) : compact([total, counts.join(', ')]).join(': '),
			key: missing && `removed ${changed.join()}`,
			count: added.length + removed.length + dropped.length,
			parts,
			isOver: true,
		},
	];
}

/** `2 rows not read`, where the user lets the trigger skip them. */
function skippedRows({ situation }: View): string[] {
	const [, { length }] = rowsOf(situation.outcome);
	return length > 0 ? [`${pluralise(length, 'row')} not read`] : [];
}

export const NO_LONGER_CHOSEN = 'Events that are no longer chosen';

/** `2 removed` and `1 event no longer chosen`, as far as there are any. */
export function endings(removed: string[], dropped: string[]): string[] {
	return compact([
		removed.length > 0 && `${removed.length} removed`,
		dropped.length > 0 && `${pluralise(dropped.length, 'event')} no longer chosen`,
	]);
}

/** Said only after a complete check. */
export function allWatched(view: View): Fact[] {
	const { situation, headings, total } = view;
	const { isChecked, failure, desired, watched } = situation.outcome;
	const isWhole = isChecked && failure === undefined;
	const isWell = isWhole && !desired.problem && headings.left.length === 0;
	const verdict = [total, ...skippedRows(view)].join(': ');
	return isWell ? [{ says: total, verdict, count: watched.length, parts: [] }] : [];
}

/** Facts that need no one: they never lead. */
export function notes({ situation, nameOf }: View): Fact[] {
	const { outcome } = situation;
	const { desired, others, unverified, isChecked, notEnded, failedPauses, refused } = outcome;
	const isWhole = outcome.failure === undefined;
	// A pass that goes on, or has failed, may pause them itself.
	const isLeft = isWhole && !situation.isSettingUp && !failedPauses;
	const stillActive = isLeft ? notEnded.map(nameOf) : [];
	const { followsLink, followed, completed, repeats } = desired;
	const [, skipped] = rowsOf(outcome);
	const extended = isWhole ? difference(outcome.extended, [...refused.keys()]) : [];
	const twice = flatMap(others, (ids, company) =>
		difference(ids, unverified[company] ?? []).map((id) => `${id} (${nameOf(company)})`),
	);

	const read: Record<string, string[]> = {
		'Skipped, because these rows have no company number': map(skipped, 'words'),
		// The preview has shown those of a pasted list, which may be many.
		'Zero added, so check these numbers': followsLink ? completed : [],
		'Rows that repeat a company': repeats,
		'Someone had added events to these webhooks, and the trigger has taken them away':
			extended.map(nameOf),
		'No longer on your list, and the next check pauses their webhooks': stillActive,
		[EARLIER_IS_BACK]: desired.corrected.map(nameOf),
		[`Other active webhooks exist for these companies, so their events may arrive twice. ${PAUSE}`]:
			twice,
	};
	const parts: Part[] = map(pickBy(read, 'length'), (list, words) => ({ words, list }));
	if (followed?.isWindows1252) parts.push({ words: WINDOWS_1252 });
	const isRead = isChecked && !desired.problem && parts.length > 0;
	return isRead ? [{ says: '', count: 0, parts, isRepair: extended.length > 0 }] : [];
}

export const EARLIER_IS_BACK = 'These end, because their names have the earlier numbers again';
export const WINDOWS_1252 =
	'The list was read as windows-1252, because it is not UTF-8: check the names';
