import { clamp, memoize } from 'lodash';

/** In milliseconds. Tests use a shorter time. */
export const PACE = {
	/** Shortest gap between requests after a refusal. It grows while the service refuses everything. */
	first: 350,
};

/** Time without a refusal after which the measured rate is forgotten. */
const RATE_LIFETIME = 600_000;
/** Time without a request after which a new cycle begins. */
const IDLE = 1000;
/** Gap between requests at the slowest rate. */
const LONGEST_GAP = 2000;
/** Longest pause between two attempts if the service names none. */
const LONGEST_PAUSE = 15_000;
/** A cycle starts this share below the measured rate, and is as far above it after two plateaus. */
const REACH = 0.1;
/** Longest time to return to the measured rate. */
const LONGEST_PLATEAU = 30_000;

/** When a request was sent, and at which rate, in requests per millisecond. */
export interface SentRequest {
	at: number;
	rate: number;
}

/**
 * Decides when requests to one account may be sent: at once until the first refusal, then at the rate that
 * the service accepts. All times are milliseconds of one clock.
 *
 * The rate is measured in cycles. A cycle ends when the service accepts a request again after refusals: over
 * such a cycle, windows and buckets of any size accept what they allow. Within a cycle the rate rises to the
 * measured one, stays near it, so that refusals are rare, and then grows ever faster, to find a raised limit.
 */
export class Pace {
	/** The service asked for no request before this time. */
	private blockedUntil = -Infinity;
	private nextSlot = -Infinity;
	private lastAnswerAt = -Infinity;
	/** Requests per millisecond, measured in the previous cycle. */
	private measuredRate = Infinity;
	/** Accepted requests until the rate has risen to the measured one. */
	private plateau = 1;
	private cycleStart = 0;
	/** Requests that this cycle has accepted. */
	private acceptedCount = 0;
	/** Time of the first refusal since the service last accepted a request. */
	private refusedSince: number | undefined;
	/** Time of the last refusal that counted. Requests sent before it belong to the same wave. */
	private cutAt = -Infinity;
	/** Rate of the first request that this cycle refused; 0 if it was unlimited. */
	private cutRate = 0;

	/** When a caller that has waited since `began` gives up on a service that refuses everything. */
	deadline(patience: number, began: number): number {
		if (this.refusedSince === undefined) return Infinity;
		return Math.max(this.refusedSince, began) + patience;
	}

	/** Milliseconds until the next request may be sent; 0 or less means now. */
	wait(now: number, deadline: number): number {
		// A wait beyond the deadline is useless: one last attempt is sent instead.
		const start = this.blockedUntil > deadline ? now : this.blockedUntil;
		return Math.max(start, Math.min(this.nextSlot, deadline)) - now;
	}

	/** Takes a slot. Its result is passed to {@link noteAccepted} or {@link noteThrottled}. */
	takeSlot(now: number): SentRequest {
		if (now - this.cutAt > RATE_LIFETIME) this.measuredRate = Infinity;
		if (now - Math.max(this.blockedUntil, this.nextSlot, this.lastAnswerAt) > IDLE) {
			this.cycleStart = now;
			this.acceptedCount = 0;
			this.refusedSince = undefined;
		}
		this.nextSlot = Math.max(this.nextSlot, now) + this.gap(now);
		return { at: now, rate: this.rate };
	}

	/** Records a request that the service did not throttle, whatever it answered. */
	noteAccepted(sent: SentRequest, now: number): void {
		this.lastAnswerAt = now;
		this.acceptedCount++;
		if (this.refusedSince === undefined || sent.at < this.cutAt) return;

		const duration = Math.max(this.cutAt - this.cycleStart, sent.at - this.cutAt, 1);
		const average = this.acceptedCount / duration;
		// If the rate grew for long, the limit is nearer to its last value than to the average.
		const excess = clamp(this.cutRate, average, 4 * average) - average;
		const estimate = average + (0.4 * excess * (this.refusedSince - this.cycleStart)) / duration;
		this.measuredRate = Math.max(estimate, 1 / LONGEST_GAP);
		this.plateau = clamp(3 * this.acceptedCount, 3, LONGEST_PLATEAU * this.measuredRate);
		this.cycleStart = sent.at;
		this.acceptedCount = 0;
		this.refusedSince = undefined;
		this.blockedUntil = now;
		this.nextSlot = Math.min(this.nextSlot, now + this.gap(now));
	}

	/** Records a throttled request, and the pause in milliseconds that the service asked for. */
	noteThrottled(sent: SentRequest, now: number, retryAfter = 0): void {
		this.lastAnswerAt = now;
		this.blockedUntil = Math.max(this.blockedUntil, now + retryAfter);
		if (this.refusedSince !== undefined && sent.at < this.cutAt) return;
		if (this.refusedSince === undefined) {
			this.refusedSince = now;
			this.cutRate = Number.isFinite(sent.rate) ? sent.rate : 0;
		}
		this.cutAt = now;
		this.nextSlot = Math.max(this.nextSlot, now + this.gap(now));
	}

	/** Tells whether a throttled request has no time left for another attempt. */
	isPastDeadline(now: number, deadline: number): boolean {
		return now >= deadline || this.blockedUntil > deadline;
	}

	private get rate(): number {
		const grown = this.refusedSince === undefined ? this.acceptedCount / this.plateau - 1 : -1;
		return this.measuredRate * (1 + REACH * grown ** 3);
	}

	/** Milliseconds between two requests. */
	private gap(now: number): number {
		const gap = 1 / this.rate;
		if (this.refusedSince === undefined) return gap;
		const pause = Math.min((now - this.refusedSince) / 2, LONGEST_PAUSE);
		return Math.max(gap, pause, PACE.first);
	}
}

/** The pace that all requests of this process to one account share. */
export const paceOf = memoize<(account: string) => Pace>(() => new Pace());
