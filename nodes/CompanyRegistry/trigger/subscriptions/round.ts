import { RegistryFailure } from '../../registry/failure';
import type { Registry } from '../../registry/registry';
import { waitUnlessAborted } from '../../shared/async';
import type { Store, SubscriptionSet } from '../memory/store';
import type { Keeper } from './keeper';
import { NotProven, reconcile } from './reconcile';
import { GivenUp, isPassing, Standings } from './standings';
import { TIMES } from './times';
import type { Wish } from './wish';

/** So many webhooks may be made before they are stored. */
const MAXIMUM_UNWRITTEN = 100;

/**
 * What begins a round. `publish`: a person; `check`: a start of n8n, or its clock; `pause`: nothing is wanted any
 * more; `test`: *Execute step* waits for the next real event.
 */
export type Occasion = 'publish' | 'check' | 'pause' | 'test';

/** One round of bringing the account to what is wanted, in as many tries as it takes. Times are those of `performance.now()`. */
export class Round {
	readonly store: Store;
	readonly standings: Standings;
	/** The set that was the current one when the round began. */
	readonly before: SubscriptionSet | undefined;
	/** When the service let something through last, or the round began. */
	throughAt = performance.now();
	/** How many webhooks were replaced because the service does not know them. */
	replaced = 0;
	private storedAt = performance.now();

	constructor(
		readonly occasion: Occasion,
		readonly keeper: Keeper,
		readonly wish: Wish,
		readonly registry: Registry,
		/** Aborted once something else is wanted, or nothing can be answered any more. */
		readonly signal: AbortSignal,
		/** Whether n8n has its answer, so that only the trigger itself stores what is made. */
		private readonly isAnswered = () => true,
	) {
		this.store = keeper.store;
		this.before = this.store.current;
		this.standings = new Standings(wish, this.store);
		if (occasion !== 'pause') this.store.adopt(wish);
	}

	/** New webhooks are being made. @param isMany whether they are more than are made twice without asking */
	noteCreating(isMany: boolean): void {
		this.store.isOpen = true;
		if (this.occasion === 'check') this.keeper.teller.showGoingOn(this.standings, Date.now());
		// After a kill these companies are known to have webhooks that nobody can use.
		if (isMany) this.write();
	}

	/** The service has let a change through. */
	noteThrough(): void {
		this.throughAt = performance.now();
		this.store.unwritten++;
		const every = this.isAnswered() ? TIMES.storeBehind : TIMES.storeBefore;
		const isDue = performance.now() - this.storedAt >= every;
		if (isDue || this.store.unwritten >= MAXIMUM_UNWRITTEN) this.write();
	}

	/**
	 * Tries until all is done that can be, with growing pauses.
	 * @param onFailure is called after each that failed and may succeed later
	 */
	async persevere(onFailure = () => {}): Promise<void> {
		const { standings, signal, store } = this;
		const isPatient = this.occasion === 'pause';
		let through = this.throughAt;
		for (let pause = TIMES.firstPause; ; pause *= 2) {
			await reconcile(this).catch((failure: unknown) => (standings.failure = failure));
			if (signal.aborted || standings.failure === undefined) return;
			if (!isWorthAnotherTry(standings.failure, isPatient)) return;
			onFailure();
			if (this.throughAt !== through) pause = TIMES.firstPause;
			through = this.throughAt;
			// n8n's clock wakes the trigger after longer ones, but not one that is not published.
			if (pause > TIMES.longestPause && !isPatient) return;
			if (performance.now() - through >= TIMES.patience) return;
			if (store.unwritten > 0) this.write();
			await waitUnlessAborted(Math.min(pause, TIMES.longestPause), signal);
			if (signal.aborted) return;
		}
	}

	private write(): void {
		this.storedAt = performance.now();
		this.keeper.hands.store();
	}
}

function isWorthAnotherTry(failure: unknown, isPatient: boolean): boolean {
	if (isPassing(failure) || failure instanceof NotProven) return true;
	if (!isPatient || failure instanceof GivenUp) return false;
	// Nobody is there to be told. A key that is not accepted is no better later on.
	return !(failure instanceof RegistryFailure && failure.status === 401);
}
