import type { IWebhookFunctions } from 'n8n-workflow';

import { keepNewest } from '../../shared/dropOldest';
import { OCCASIONS, type Occasion } from './occasions';

/** Far more than one n8n has. */
const MAXIMUM_TRIGGERS = 1000;
/** Of one trigger. */
const MAXIMUM_WEBHOOKS = 20_000;
const MAXIMUM_DELIVERIES = 5000;
/** Anybody can make references up. */
const MAXIMUM_STRANGERS = 1000;

/** Of an id that has come with several bodies. */
const SEVERAL = '';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/**
 * What one process remembers of one trigger's deliveries: what was verified, refused and told, and when. Bounded.
 * Moments are milliseconds of a clock that is never set back; whoever asks brings them.
 */
export class TrackRecord {
	/** By reference, what was refused since something was accepted. */
	private readonly doubts = new Map<string, { count: number; since: number }>();

	/** The same of references that are not known. */
	private readonly strangers: typeof this.doubts = new Map();

	/** By id that may name deliveries, the digest of the body that it came with. */
	private readonly bodies = new Map<string, string>();

	/** Deliveries that are being answered, or until when an accepted one is remembered. */
	private readonly deliveries = new Map<string, Promise<void> | number>();

	/** How often something was told since when. */
	private readonly told = new Map<string, { began: number; count: number }>();

	/** @param proven by reference, the scheme by which the latest genuine delivery of a webhook was verified */
	constructor(readonly proven = new Map<string, string>()) {}

	noteVerified(reference: string, verifiedBy: string): void {
		for (const doubts of [this.doubts, this.strangers]) doubts.delete(reference);
		keepNewest(this.proven, reference, verifiedBy, MAXIMUM_WEBHOOKS);
	}

	/** How many deliveries of this webhook were refused since one was accepted, with this one, and for how long. */
	noteRefused(reference: string, isKnown: boolean, now: number): { count: number; ms: number } {
		const doubts = isKnown ? this.doubts : this.strangers;
		const { count, since } = doubts.get(reference) ?? { count: 0, since: now };
		const most = isKnown ? MAXIMUM_WEBHOOKS : MAXIMUM_STRANGERS;
		keepNewest(doubts, reference, { count: count + 1, since }, most);
		return { count: count + 1, ms: now - since };
	}

	/** Whether an id names this delivery, as far as is known: one that has come with two bodies names none. */
	isNamedBy(id: string, digest: string): boolean {
		const known = this.bodies.get(id) ?? digest;
		keepNewest(this.bodies, id, known === digest ? digest : SEVERAL, MAXIMUM_DELIVERIES);
		return known === digest;
	}

	/**
	 * Whether this delivery was accepted before. If not, it counts as accepted once `response` has gone out with a
	 * success status. A repeat that arrives while the first is being answered waits for how that ends.
	 * @param keptFor milliseconds from now for which it is remembered
	 */
	async isRepeat(key: string, keptFor: number, now: number, response: Response): Promise<boolean> {
		let known = this.deliveries.get(key);
		for (; known instanceof Promise; known = this.deliveries.get(key)) await known;
		if (known !== undefined && now < known) return true;
		// The sender has hung up and will try again: that attempt must not wait for this one.
		if (response.closed) return false;

		const ended = new Promise<void>((resolve) => {
			// Comes after an answer as well as without one.
			response.once('close', () => {
				const isAccepted = response.writableFinished && response.statusCode < 300;
				this.deliveries.delete(key);
				if (isAccepted) this.deliveries.set(key, now + keptFor);
				resolve();
			});
		});
		keepNewest(this.deliveries, key, ended, MAXIMUM_DELIVERIES);
		return false;
	}

	/**
	 * The occasion if it may be told now; then it counts as told. A flood of deliveries brings no more of it.
	 * @param of what it is told of, where that counts by itself
	 */
	ifMayTell<One extends Occasion>(occasion: One, now: number, of = ''): One | undefined {
		const { ms, times = Infinity, timesEach = Infinity } = OCCASIONS[occasion];
		const turns = Object.entries({ [occasion]: times, [`${occasion} ${of}`]: timesEach }).map(
			([key, most]) => {
				const known = this.told.get(key);
				const turn = known && now - known.began < ms ? known : { began: now, count: 0 };
				return { key, most, ...turn };
			},
		);
		if (turns.some(({ count, most }) => count >= most)) return undefined;
		for (const { key, began, count } of turns) {
			keepNewest(this.told, key, { began, count: count + 1 }, MAXIMUM_STRANGERS);
		}
		return occasion;
	}
}

const records = new Map<string, TrackRecord>();

/** Of a trigger, by its name. */
export function trackRecordOf(trigger: string): TrackRecord {
	const record = records.get(trigger) ?? new TrackRecord();
	keepNewest(records, trigger, record, MAXIMUM_TRIGGERS);
	return record;
}
