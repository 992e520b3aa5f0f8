import { clamp } from 'lodash';

import { keepNewest } from '../shared/dropOldest';

/** In milliseconds; tests wait less. */
export const PACE = {
	/** Before the next request at least, once one was refused; the longer all are refused, the longer. */
	first: 350,
};

/** After so long without a refusal nothing is known of the limit any more. */
const FORGOTTEN_AFTER = 600_000;
/** If nobody has wanted to send anything for so long, the measurement begins anew. */
const IDLE = 1000;
/** Timers are late: turns that were missed in so long are made up for. */
const LATENESS = 100;
/** The slowest pace is one request in so long. */
const LONGEST_GAP = 2000;
/** The longest pause between two attempts that the service has not asked for. */
const LONGEST_PAUSE = 15_000;
/** The rate begins so much of the measured one below it, and is as much above it after two plateaus. */
const REACH = 0.1;
/** The longest that it may take to come up to the measured rate. */
const LONGEST_PLATEAU = 30_000;
/** How many accounts have a pace at once. */
const MOST_PACES = 100;

/** A request that was sent: when, and at which rate, in requests a millisecond. */
export interface Sent {
	at: number;
	rate: number;
}

/**
 * When requests to one account may be sent: at once until one is refused, then at the rate that the service
 * lets through. That is measured in cycles. Each ends when the service lets requests through again after it
 * has refused some: over such a cycle, windows of any length and buckets let through what they allow. Within
 * a cycle the rate comes up to the one measured before, stays about there for a while, so that few requests
 * are refused, and then grows faster and faster, so that a limit that was raised is soon found.
 * Times are milliseconds of one clock.
 */
export class Pace {
	/** The service asked to be sent nothing before then. */
	private gate = -Infinity;
	/** The turn of the next request. */
	private nextAt = -Infinity;
	private answeredAt = -Infinity;
	/** Requests a millisecond, of the cycle before. */
	private measured = Infinity;
	/** How many requests have to be let through until the rate has come up to that. */
	private plateau = 1;
	/** When this cycle began, and how many it has let through. */
	private since = 0;
	private passes = 0;
	/** Since when the service has let none through. */
	private refusedSince: number | undefined;
	/** When the last refusal came that counted: requests that were under way then are of one wave with it. */
	private cutAt = -Infinity;
	/** At which rate the first that this cycle refused was sent; 0 if that had no limit. */
	private cutRate = 0;

	/** When those who began to wait then, and wait for so long, give a service up that lets none through. */
	deadline(patience: number, began: number): number {
		if (this.refusedSince === undefined) return Infinity;
		return Math.max(this.refusedSince, began) + patience;
	}

	/** How long until a request may be sent; one may be now unless that is more than 0. */
	wait(now: number, deadline: number): number {
		// To wait for longer than the deadline is of no use: the service is asked once more.
		const gate = this.gate > deadline ? now : this.gate;
		return Math.max(gate, Math.min(this.nextAt, deadline)) - now;
	}

	/** Notes that a request is sent. What it returns is handed back when it is answered. */
	send(now: number): Sent {
		if (now - this.cutAt > FORGOTTEN_AFTER) this.measured = Infinity;
		if (now - Math.max(this.gate, this.nextAt, this.answeredAt) > IDLE) {
			this.since = now;
			this.passes = 0;
			this.refusedSince = undefined;
		}
		this.nextAt = clamp(this.nextAt, now - LATENESS, now) + this.gap(now);
		return { at: now, rate: this.rate };
	}

	/** Notes that the service let a request through, whatever it answered. */
	letThrough(sent: Sent, now: number): void {
		this.answeredAt = now;
		this.passes++;
		if (this.refusedSince === undefined || sent.at < this.cutAt) return;
		const whole = Math.max(this.cutAt - this.since, sent.at - this.cutAt, 1);
		const average = this.passes / whole;
		// Where the rate was growing for long, the limit is nearer to its last value than to the average.
		const excess = clamp(this.cutRate, average, 4 * average) - average;
		const estimate = average + (0.4 * excess * (this.refusedSince - this.since)) / whole;
		// What lasts for so long is an outage, which says nothing of a rate.
		const isOutage = now - this.refusedSince > FORGOTTEN_AFTER;
		this.measured = isOutage ? Infinity : Math.max(estimate, 1 / LONGEST_GAP);
		this.plateau = clamp(3 * this.passes, 3, LONGEST_PLATEAU * this.measured);
		this.since = sent.at;
		this.passes = 0;
		this.refusedSince = undefined;
		this.gate = now;
		this.nextAt = Math.min(this.nextAt, now + this.gap(now));
	}

	/** Notes that the service asked for a request to be sent again later, and after how long if it said so. */
	refused(sent: Sent, now: number, retryAfter = 0): void {
		this.answeredAt = now;
		this.gate = Math.max(this.gate, now + retryAfter);
		if (this.refusedSince !== undefined && sent.at < this.cutAt) return;
		if (this.refusedSince === undefined) {
			this.refusedSince = now;
			this.cutRate = Number.isFinite(sent.rate) ? sent.rate : 0;
		}
		this.cutAt = now;
		this.nextAt = Math.max(this.nextAt, now + this.gap(now));
	}

	/** Whether one that was just refused has no time left for another attempt. */
	isHopeless(now: number, deadline: number): boolean {
		return now >= deadline || this.gate > deadline;
	}

	private get rate(): number {
		const grown = this.refusedSince === undefined ? this.passes / this.plateau - 1 : -1;
		return this.measured * (1 + REACH * grown ** 3);
	}

	/** From one request to the next. */
	private gap(now: number): number {
		const gap = 1 / this.rate;
		if (this.refusedSince === undefined) return gap;
		const longer = Math.min((now - this.refusedSince) / 2, LONGEST_PAUSE);
		return Math.max(gap, longer, PACE.first);
	}
}

const paces = new Map<string, Pace>();

/** The pace of an account: all that is sent to it from this process shares what it allows. */
export function paceOf(account: string): Pace {
	const pace = paces.get(account) ?? new Pace();
	keepNewest(paces, account, pace, MOST_PACES);
	return pace;
}
