import { digestOf } from '../../shared/digest';
import { statusItem, type Changes } from '../parameters/watchStatus';
import type { Hands } from './hands';
import { describeMended, reportOf, type Report } from './report';
import { isPassing, type Standings } from './standings';
import type { Store } from '../memory/store';
import { TIMES } from './times';

const DAY = 86_400_000;
/** An item that says that work goes on comes at most so often, in milliseconds. */
const SETTING_UP_EVERY = 600_000;
/** A webhook that somebody has changed so often within a day is left alone. */
const MAXIMUM_REVERSALS = 2;

/** Says what a person has to know of one trigger, and no more often than that. Times are milliseconds since the epoch. */
export class Teller {
	/** When events were missed that are missing, in words: by when this process has seen that all was right. */
	private missed = `at a time that is not known: nothing is known from before n8n was started at ${new Date().toISOString()}`;
	/** How often somebody else's changes of a company's webhook were put right, and when last. */
	private readonly reversals = new Map<string, { count: number; at: number }>();
	/** What was mended is complete once it has been shown. */
	private shown = { state: 'complete', at: 0 };
	/** Since when the service cannot be used, in milliseconds of `performance.now()`. */
	private failingSince = Infinity;

	constructor(
		private readonly store: Store,
		private readonly hands: Hands,
	) {}

	/** Whether somebody keeps changing a company's webhook: it is left alone then. */
	isDisputed(company: string): boolean {
		return (this.reversals.get(company)?.count ?? 0) >= MAXIMUM_REVERSALS;
	}

	/** A person publishes: what was told before is told again, and what somebody else has changed is settled. */
	forget(): void {
		this.reversals.clear();
		this.store.told = undefined;
	}

	/**
	 * Shows that work goes on.
	 * @param changes of a publish that n8n has its answer to: what stands in its way is told now
	 */
	showGoingOn(standings: Standings, at: number, changes?: Changes): void {
		const report = reportOf(standings, changes, true);
		if (changes) this.tell(report, at, false);
		const { state, at: since } = this.shown;
		if (state === 'settingUp' && Math.abs(at - since) < SETTING_UP_EVERY) return;
		this.show(standings, report, at);
	}

	/**
	 * A round has ended: what is to be told of it is told, shown and stored.
	 * @param changes of a publish
	 * @param isSaved whether n8n saves what is known a moment later
	 */
	conclude(standings: Standings, at: number, changes?: Changes, isSaved = false): void {
		const { store } = this;
		const { failure } = standings;
		const isPublish = changes !== undefined;
		// Cleared here, and set again by whatever is stored from here on.
		const wasDoubtful = store.isDoubtful && !isPublish;
		store.isDoubtful = false;
		store.close();
		const report = reportOf(standings, changes);
		const isMended = this.tellMended(standings, at);
		const now = performance.now();
		const isFailing = isPassing(failure);
		this.failingSince = isFailing ? Math.min(this.failingSince, now) : Infinity;
		// Perhaps the service can be used again before anybody has to know.
		const isWaiting = isFailing && !isPublish && now - this.failingSince < TIMES.untilTold;
		if (!isWaiting) this.tell(report, at, isPublish);
		const isOther = !isWaiting && report.status.state !== this.shown.state;
		if (isPublish || isMended || isOther) this.show(standings, report, at);
		// A company that is refused has no events to miss.
		if (failure === undefined && store.drifts.size + standings.in('disputed').length === 0) {
			this.missed = `after ${new Date(at).toISOString()}, when all was last seen to be right`;
		}
		if (failure === undefined) {
			store.wasInterrupted = false;
			store.madeAgain.clear();
		}
		const isNew = store.unwritten > 0;
		if (store.isDoubtful || !(isNew || wasDoubtful)) return;
		if (!isSaved) this.hands.store();
		// What was stored is stored once more by the next check: an older copy may have been saved over it.
		store.isDoubtful = isNew;
	}

	/** Becomes a failed execution, unless it has been told within a day; the log has the same words each time. */
	private tell({ hasFindings, gist, status }: Report, at: number, isPublish: boolean): void {
		const { store, hands } = this;
		const what = digestOf(gist, 16);
		const isTold = store.told?.what === what && Math.abs(at - store.told.at) < DAY;
		const isToTell = hasFindings && (isPublish || gist !== '');
		// Without hands, the check that those begin with tells it.
		if (!isToTell || !hands.context) return void (store.told = undefined);
		if (isTold) return hands.log(status.summary);
		store.told = { what, at };
		hands.tell(status.summary);
	}

	/**
	 * Tells what somebody else had changed and was put right. Without hands, a later round does.
	 * @returns whether there is any
	 */
	tellMended(standings: Standings, at: number): boolean {
		const { reversals, store, hands } = this;
		const { mended } = standings;
		for (const [company, last] of reversals) {
			if (Math.abs(at - last.at) >= DAY) reversals.delete(company);
		}
		if (mended.size === 0 || !hands.context) return mended.size > 0;
		const again = [...mended.keys()].filter((company) => reversals.has(company));
		for (const company of mended.keys()) {
			reversals.set(company, { count: (reversals.get(company)?.count ?? 0) + 1, at });
			store.drifts.delete(company);
		}
		hands.tell(describeMended(store, mended, again, this.missed));
		return true;
	}

	private show({ wish, store }: Standings, { status }: Report, at: number): void {
		this.shown = { state: status.state === 'mended' ? 'complete' : status.state, at };
		if (wish.showsStatus) this.hands.show(statusItem(status, store.names, at));
	}
}
