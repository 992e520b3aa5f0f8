import { compact, difference, groupBy, isEqual, map, partition, union } from 'lodash';

import { digestOf } from '../../shared/digest';
import type { Drift } from '../lifecycle/plan';
import type { Outcome } from '../lifecycle/outcome';
import { TIMES } from '../lifecycle/schedule';
import type { Known } from '../records/subscription';

export const REFUSED = 'deliveries were refused';
export const NOT_PUBLISHED = 'the workflow was not published';
export const NOT_RUNNING = 'n8n was not running';
export const NOT_SET_UP = 'new events were not set up yet';
export const NOT_VERIFIED = 'deliveries could not be verified';

/** Why events may be missing: also the names of events that were not chosen. */
export type Cause =
	| typeof REFUSED
	| typeof NOT_PUBLISHED
	| typeof NOT_RUNNING
	| typeof NOT_SET_UP
	| typeof NOT_VERIFIED
	| `${string} not chosen`;

/** A time in which events of a company may be missing, in milliseconds since the epoch. */
export interface Gap {
	/** Undefined where its beginning is not known. */
	from?: number;
	/** Undefined while it lasts. */
	to?: number;
	/** Whether n8n was not running, and nothing else. */
	isDowntime?: boolean;
	/** Whether n8n was killed: the state was stored at the beginning, perhaps long before that. */
	isKill?: boolean;
}

/** A restart of n8n is no alarm: only so long a downtime is, in milliseconds. */
export const LONG_DOWNTIME = 5 * 60_000;

/** Whether n8n was only restarted, or the trigger was unpublished and published again at once. */
export function isBrief({ gap, drift, causes }: CompanyNews): boolean {
	const { from = -Infinity, isDowntime, to = isDowntime ? Date.now() : Infinity } = gap;
	const isOther = difference(causes, [NOT_RUNNING, NOT_SET_UP]).length > 0;
	const isRestart = isDowntime || (!isOther && causes?.includes(NOT_RUNNING));
	const longest = isRestart ? LONG_DOWNTIME : TIMES.beforePausing;
	const isCertain = drift !== undefined || causes?.includes(REFUSED);
	return !isCertain && to - from < longest;
}

/** Events of one company since a person last read about it. */
export interface CompanyNews {
	gap: Gap;
	/** How someone else changed its webhook. */
	drift?: Drift;
	/** Its other reasons. */
	causes?: Cause[];
	/** Whether a person has read how the gap began. Its end is news then, but no alarm. */
	isBeginningReported?: boolean;
}

/** Whether a person has to learn of a gap. After a kill, its length is not known. */
export function isAlarm(news: CompanyNews): boolean {
	const { isDowntime, isKill } = news.gap;
	const isOfKill = isDowntime === true && isKill === true;
	return !news.isBeginningReported && !isOfKill && !isBrief(news);
}

/** News that a person has not read yet. */
export interface News {
	/** Companies that were watched when a person last read of this trigger. */
	watchedBefore: readonly string[];
	/** By company number. */
	companies: ReadonlyMap<string, CompanyNews>;
	/** Webhooks that stay active where this trigger's credential does not reach them any more. */
	leftActive: ReadonlyArray<Pick<Known, 'id' | 'company'>>;
	/** When a pass last compared all webhooks, in milliseconds since the epoch. */
	healthyAt?: number;
}

/** Whether an earlier pass has found it and did not report it, because a person had just read the same. */
function wasHeldBack({ gap, causes }: CompanyNews, { healthyAt = 0 }: News): boolean {
	const { to = Infinity } = gap;
	return to <= healthyAt && !causes?.includes(REFUSED);
}

/** Above this number, one key names all companies: keys are stored. */
const MAXIMUM_KEYS = 20;

/** Names alarms. Drift that each check finds again is the same alarm, and its end is another. */
export function alarmKeys(companies: string[], news: News): string[] {
	const alarms = companies.flatMap((company) => {
		const one = news.companies.get(company);
		return one !== undefined && isAlarm(one) ? [{ company, ...one }] : [];
	});
	// Each check may find more of them.
	const [refused, others] = partition(alarms, ({ drift, causes }) => {
		return !drift && isEqual(causes, [REFUSED]);
	});
	const keys = others.map(({ company, ...one }) => {
		const { drift, gap } = one;
		const when = wasHeldBack(one, news) ? 'no longer' : 'now';
		return { what: drift ? `${when} ${drift}` : `gap ${gap.from}-${gap.to}`, company };
	});
	return [...(refused.length > 0 ? [REFUSED] : []), ...namedKeys(keys)];
}

function namedKeys(keys: Array<{ what: string; company: string }>): string[] {
	if (keys.length <= MAXIMUM_KEYS) return keys.map(({ what, company }) => `${what} ${company}`);

	return map(groupBy(keys, 'what'), (some, what) => {
		// Of webhooks that the list lacks, each check finds others.
		if (what.endsWith('removed')) return what;
		return `${what} ${digestOf(map(some, 'company').sort().join(), 16)}`;
	});
}

/** The news of one trigger. A pass adds to it at once, so that an aborted one loses nothing; a kill loses it. */
export class Ledger implements News {
	watchedBefore: string[] = [];
	companies = new Map<string, CompanyNews>();
	leftActive: Known[] = [];
	healthyAt: number | undefined;

	/** Whether a person has not read yet how a gap began. */
	get hasUnread(): boolean {
		return [...this.companies.values()].some(
			({ isBeginningReported, gap }) => !isBeginningReported || gap.to !== undefined,
		);
	}

	/** Whether a person has to learn of it, whatever the next pass finds. */
	get isUrgent(): boolean {
		const isUrgent = (news: CompanyNews) => isAlarm(news) && !wasHeldBack(news, this);
		return this.leftActive.length > 0 || [...this.companies.values()].some(isUrgent);
	}

	/** When a pass last compared all webhooks; a clock that was set back makes it useless. */
	get lastGood(): number | undefined {
		return (this.healthyAt ?? Infinity) <= Date.now() ? this.healthyAt : undefined;
	}

	/** Someone else has changed the webhook of a company. @param from undefined where it is not known */
	noteDrift(company: string, drift: Drift, from: number | undefined): void {
		const gap = widened(this.companies.get(company)?.gap, { from });
		this.companies.set(company, { drift, gap });
	}

	/** The service has confirmed the webhook of a company again. */
	noteActive(company: string, silentSince: number | undefined): void {
		const { gap } = this.companies.get(company) ?? {};
		const isOpen = gap !== undefined && gap.to === undefined;
		const from = silentSince ?? (isOpen ? gap.from : undefined);
		if (isOpen || silentSince !== undefined) this.noteGap(company, { from, to: Date.now() });
	}

	/** Widens the gap that is known already. */
	noteGap(company: string, gap: Gap, cause?: Cause): void {
		const news = this.companies.get(company);
		const causes = compact(union(news?.causes, [cause]));
		this.companies.set(company, { ...news, gap: widened(news?.gap, gap), causes });
	}

	/** The same, and it is news although a person has read of an earlier gap. */
	noteAnotherGap(company: string, gap: Gap, cause: Cause): void {
		this.noteGap(company, gap, cause);
		const news = this.companies.get(company);
		if (news) this.companies.set(company, { ...news, isBeginningReported: false });
	}

	/** A gap goes on whose beginning an earlier process has reported. */
	noteOpenGap(company: string, from: number, causes: Cause[] = []): void {
		this.companies.set(company, { gap: { from }, causes, isBeginningReported: true });
	}

	/**
	 * A person has read all of it.
	 * @param watched the companies that were reported as watched
	 * @param outcome which says whose gaps go on
	 */
	clear(watched: string[], outcome?: Outcome): void {
		this.watchedBefore = watched;
		this.companies = outcome ? this.openGaps(outcome) : new Map();
		this.leftActive = [];
	}

	/** Desired companies may still be without deliveries. */
	private openGaps({ desired, watched, delivering }: Outcome): Map<string, CompanyNews> {
		const isLeft = new Set(difference(desired.companies, desired.isUnverifiable ? [] : watched));
		const isDelivering = new Set(delivering);

		const open = [...this.companies].filter(([company, { gap }]) => {
			const isSilent = gap.to === undefined || !isDelivering.has(company);
			return isLeft.has(company) && isSilent;
		});
		return new Map(
			open.map(([company, news]) => [
				company,
				{ ...news, gap: { ...news.gap, to: undefined }, isBeginningReported: true },
			]),
		);
	}

	/** Their end is no news, because a person has read it or a slip was corrected. */
	forget(companies: string[]): void {
		this.watchedBefore = difference(this.watchedBefore, companies);
		for (const company of companies) this.companies.delete(company);
	}
}

function widened(before: Gap | undefined, gap: Gap): Gap {
	const { from, to, isDowntime = false, isKill = false } = gap;
	if (before === undefined) return { from, to, isDowntime, isKill };
	const isKnown = before.from !== undefined && from !== undefined;
	const earliest = isKnown ? Math.min(before.from!, from!) : undefined;
	return {
		from: earliest,
		to,
		isDowntime: isDowntime && before.isDowntime === true,
		isKill: isKill || before.isKill === true,
	};
}
