import { TIMES } from './schedule';

/** Stores after this many creates, or after this share of all of them, whichever is more. */
const CREATES_PER_STORE = { least: 25, share: 1 / 20 };

/** A secret is shown once, so a kill must not lose many. Each store is an execution of the workflow. */
export class PeriodicStore {
	private readonly createsPerStore: number;
	private creates = 0;
	/** In milliseconds of `performance.now()`. */
	private storedAt = performance.now();

	/** @param creates how many are expected */
	constructor(
		creates: number,
		private readonly persist?: () => void,
	) {
		const { least, share } = CREATES_PER_STORE;
		this.createsPerStore = Math.max(least, Math.ceil(creates * share));
	}

	/** Counts one create, and stores if that is due. */
	countCreate(): void {
		this.creates++;
		const now = performance.now();
		const isDue = this.creates >= this.createsPerStore || now - this.storedAt >= TIMES.store;
		if (!isDue) return;

		this.creates = 0;
		this.storedAt = now;
		this.persist?.();
	}
}
