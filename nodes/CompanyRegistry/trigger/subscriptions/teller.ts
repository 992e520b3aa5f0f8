import { createHash } from 'crypto';

import { statusItem, type WatchStatus } from '../parameters/watchStatus';
import type { Hands } from './hands';
import {
	describeMended,
	describeShortfall,
	gistOf,
	stateOf,
	statusOf,
	type Changes,
} from './report';
import type { Occasion } from './round';
import { isPassing, type Standings } from './standings';
import type { Store } from '../memory/store';
import { TIMES } from './times';

const DAY = 86_400_000;
/** An item that says that work goes on comes at most so often, in milliseconds. */
const SETTING_UP_EVERY = 600_000;
/** A webhook that somebody has changed so often within a day is left alone. */
const MAXIMUM_REVERSALS = 2;
const NO_CHANGES: Changes = { added: [], removed: [] };

/** Says what a person has to know of one trigger, and no more often than that. Times are milliseconds since the epoch. */
export class Teller {
	/** When all was right last, as this process has seen, and when it began. */
	private rightAt: number | undefined;
	private readonly startedAt = Date.now();
	/** When somebody else's changes of a company's webhook were put right. */
	private reversals = new Map<string, number[]>();
	private readonly pending: string[] = [];
	private shown: { state: WatchStatus['state']; at: number } | undefined;
	/** Since when the service cannot be used, in milliseconds of `performance.now()`. */
	private failingSince: number | undefined;

	constructor(
		private readonly store: Store,
		private readonly hands: () => Hands | undefined,
	) {}

	log(words: string): void {
		this.hands()?.log(words);
	}

	/** Becomes a failed execution; the log has the same words. */
	tell(words: string): void {
		const hands = this.hands();
		if (!hands) return void this.pending.push(words);
		hands.log(words);
		hands.tell(words);
	}

	/** n8n lets the trigger tell something now. */
	tellPending(): void {
		for (const words of this.pending.splice(0)) this.tell(words);
	}

	isDisputed(company: string): boolean {
		return (this.reversals.get(company) ?? []).length >= MAXIMUM_REVERSALS;
	}

	/** A person publishes: what was told before is told again, and what somebody else has changed is settled. */
	forget(): void {
		this.reversals.clear();
		this.store.told = undefined;
	}

	/** A person has published what cannot be used. */
	tellAnew(standings: Standings): void {
		this.forget();
		this.tellShortfall(standings, Date.now(), true);
	}

	/** Where *Watch Status* is chosen, says that work goes on. */
	showGoingOn(standings: Standings, at: number, changes = NO_CHANGES): void {
		const { state, at: since } = this.shown ?? { state: 'complete', at: 0 };
		if (state === 'settingUp' && Math.abs(at - since) < SETTING_UP_EVERY) return;
		this.show(standings, at, changes, true);
	}

	/** n8n has its answer to a publish, and work goes on: what stands in its way is told now. */
	concludeAnswer(standings: Standings, at: number, changes: Changes): void {
		this.showGoingOn(standings, at, changes);
		if (gistOf(standings) !== '') this.tellShortfall(standings, at, true);
	}

	/**
	 * A round has ended: what is to be told of it is told, shown and stored.
	 * @param isSaved whether n8n saves what is known a moment later
	 */
	conclude(
		standings: Standings,
		{
			occasion,
			at,
			changes = NO_CHANGES,
			isSaved = false,
		}: { occasion: Occasion; at: number; changes?: Changes; isSaved?: boolean },
	): void {
		const { store } = this;
		const isPublish = occasion === 'publish';
		// Cleared here, and set again by whatever is stored from here on.
		const wasDoubtful = store.isDoubtful && occasion === 'check';
		store.isDoubtful = false;
		if (store.isOpen) {
			store.isOpen = false;
			store.unwritten++;
		}
		this.noteReversals(standings, at);
		if (standings.mended.length > 0) this.tell(describeMended(standings.mended, this.since));
		const isWaiting = this.isWaiting(standings) && !isPublish;
		if (!isWaiting) this.tellShortfall(standings, at, isPublish);
		const state = stateOf(standings, false);
		const isNews = isPublish || standings.mended.length > 0;
		// Mended is complete, once it has been said.
		const before = this.shown?.state === 'mended' ? 'complete' : this.shown?.state;
		const isOther = !isWaiting && state !== (before ?? 'complete');
		if (isNews || isOther) this.show(standings, at, changes, false);
		if (standings.isDone) this.rightAt = at;
		if (standings.failure === undefined) store.wasInterrupted = false;
		if (isSaved || store.isDoubtful) return;
		if (store.unwritten > 0) return this.hands()?.store();
		if (!wasDoubtful) return;
		// What was stored is stored once more by the next check: an older copy may have been saved over it.
		this.hands()?.store();
		store.isDoubtful = false;
	}

	private tellShortfall(standings: Standings, at: number, isPublish: boolean): void {
		const { store } = this;
		const words = describeShortfall(standings, isPassing(standings.failure));
		const gist = createHash('sha256').update(gistOf(standings)).digest('base64url').slice(0, 16);
		const isTold = store.told?.what === gist && Math.abs(at - store.told.at) < DAY;
		const isToTell = words !== undefined && (isPublish || gistOf(standings) !== '');
		if (!isToTell) {
			store.told = undefined;
		} else if (isTold) {
			this.log(words);
		} else {
			store.told = { what: gist, at };
			this.tell(words);
		}
	}

	/** Whether a service that cannot be used may be usable soon, so that nobody has to know. */
	private isWaiting({ failure }: Standings): boolean {
		if (!isPassing(failure)) {
			this.failingSince = undefined;
			return false;
		}
		this.failingSince ??= performance.now();
		return performance.now() - this.failingSince < TIMES.untilTold;
	}

	private noteReversals(standings: Standings, at: number): void {
		for (const [company, times] of this.reversals) {
			const lately = times.filter((time) => Math.abs(at - time) < DAY);
			if (lately.length > 0) this.reversals.set(company, lately);
			else this.reversals.delete(company);
		}
		for (const one of standings.mended) {
			const times = this.reversals.get(one.company) ?? [];
			one.isAgain = times.length > 0;
			this.reversals.set(one.company, [...times, at]);
		}
	}

	private show(standings: Standings, at: number, changes: Changes, isGoingOn: boolean): void {
		this.shown = { state: stateOf(standings, isGoingOn), at };
		if (!standings.wish.showsStatus) return;
		const { names } = standings.wish;
		this.hands()?.show(statusItem(statusOf(standings, changes, isGoingOn), names, at));
	}

	/** When what was changed was right last, in words. */
	private get since(): string {
		const iso = (time: number) => new Date(time).toISOString();
		return this.rightAt === undefined
			? `at a time that is not known: nothing is known from before n8n was started at ${iso(this.startedAt)}`
			: `after ${iso(this.rightAt)}, when all was last seen to be right`;
	}
}
