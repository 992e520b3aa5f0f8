import type { IWebhookFunctions } from 'n8n-workflow';

import { DAY } from '../../shared/durations';
import { keepNewest } from '../../shared/keepNewest';
import type { TriggerMemory } from '../lifecycle/memory';

/** So many refused deliveries need a person although the settings have proved others. */
const MANY = 3;
const MAXIMUM_DELIVERIES = 5000;

/** Refused deliveries: how many, and when the first of them came, in milliseconds since the epoch. */
export interface Refusals {
	count: number;
	since: number;
}

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** What this process remembers of the deliveries to one trigger. `now` is the time of a monotonic clock. */
export class DeliveryHistory {
	/** The settings for signatures that proved the last genuine delivery. */
	private provenSettings: string | undefined;
	/** Since the last report of them. */
	private refusals: Refusals = { count: 0, since: 0 };
	/** Deliveries that are being answered, or until when one that was taken counts. */
	private readonly deliveries = new Map<string, Promise<void> | number>();
	private readonly claims = new Map<string, { since: number; count: number }>();

	noteGenuine(settings: string): void {
		this.provenSettings = settings;
	}

	/** Whether the last genuine delivery was proved by these settings. */
	hasProved(settings: string): boolean {
		return this.provenSettings === settings;
	}

	/** @param at in milliseconds since the epoch */
	countRefused(at: number): void {
		const { count, since } = this.refusals;
		this.refusals = { count: count + 1, since: count === 0 ? at : since };
	}

	/**
	 * The refused deliveries that a person has to learn of now, once a day for each kind; undefined if none. They count
	 * as reported. Once settings have proved a delivery, a single refused one may be forged, but several need a person.
	 */
	takeRefusals(kind: 'known' | 'unknown', settings: string, now: number): Refusals | undefined {
		const { refusals } = this;
		if (this.hasProved(settings) && refusals.count < MANY) return undefined;
		if (!this.claimReport(`refusals ${kind} ${settings}`, now, DAY)) return undefined;
		this.refusals = { count: 0, since: 0 };
		return refusals;
	}

	/**
	 * Whether this delivery is new. If so, others with its key are repeats for `keptFor` milliseconds once `response` has
	 * gone out with success. A repeat waits while the first is being answered.
	 */
	async claimDelivery(
		key: string,
		keptFor: number,
		now: number,
		response: Response,
	): Promise<boolean> {
		let known = this.deliveries.get(key);
		for (; known instanceof Promise; known = this.deliveries.get(key)) await known;
		if (known !== undefined && now < known) return false;
		// The sender has hung up and will try again: that attempt must not wait for this one.
		if (response.closed) return true;

		const ended = new Promise<void>((resolve) => {
			// Comes after an answer as well as without one.
			response.once('close', () => {
				const isTaken = response.writableFinished && response.statusCode < 300;
				this.deliveries.delete(key);
				if (isTaken) this.deliveries.set(key, now + keptFor);
				resolve();
			});
		});
		keepNewest(this.deliveries, key, ended, MAXIMUM_DELIVERIES);

		return true;
	}

	/** Whether this may be reported now, at most `most` times in `ms`. If so, it counts as reported. */
	claimReport(what: string, now: number, ms: number, most = 1): boolean {
		const last = this.claims.get(what);
		const { since, count } = last && now - last.since < ms ? last : { since: now, count: 0 };
		if (count >= most) return false;
		this.claims.set(what, { since, count: count + 1 });
		return true;
	}
}

const histories = new WeakMap<TriggerMemory, DeliveryHistory>();

export function historyOf(memory: TriggerMemory): DeliveryHistory {
	const history = histories.get(memory) ?? new DeliveryHistory();
	histories.set(memory, history);
	return history;
}
