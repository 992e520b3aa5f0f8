import type { RequestHandler } from 'express';

import { refuse } from './routes';

export interface RateLimit {
	/** Requests let through in `perMs` milliseconds, of all accounts together. */
	requests: number;
	perMs: number;
	/** `sliding` unless given. */
	kind?: keyof typeof LIMITERS;
	/** How many requests a bucket holds when it is full; `requests` unless given. */
	burst?: number;
	/** Form of the Retry-After header; `seconds` unless given. */
	retryAfter?: 'seconds' | 'none';
}

/** Lets a request at that time through and returns 0, or the milliseconds until one is let through. */
export type Limiter = (now: number) => number;

const LIMITERS = { sliding: limitSliding, fixed: limitFixed, bucket: limitBucket };

export function limiterOf(limit: RateLimit): Limiter {
	return LIMITERS[limit.kind ?? 'sliding'](limit);
}

/** So many in whatever time of that length. */
function limitSliding({ requests, perMs }: RateLimit): Limiter {
	let passed: number[] = [];
	return (now) => {
		passed = passed.filter((at) => at > now - perMs);
		if (passed.length >= requests) return passed[0] + perMs - now;
		passed.push(now);
		return 0;
	};
}

/** So many in each window of the clock, as from one full minute to the next. */
function limitFixed({ requests, perMs }: RateLimit): Limiter {
	let window = -Infinity;
	let passed = 0;
	return (now) => {
		const current = Math.floor(now / perMs);
		if (current !== window) [window, passed] = [current, 0];
		if (passed >= requests) return (current + 1) * perMs - now;
		passed++;
		return 0;
	};
}

/** Each takes a token out of a bucket, which is full at first and gets so many in that time. */
function limitBucket({ requests, perMs, burst = requests }: RateLimit): Limiter {
	let tokens = burst;
	let filledAt: number | undefined;
	return (now) => {
		tokens = Math.min(burst, tokens + ((now - (filledAt ?? now)) * requests) / perMs);
		filledAt = now;
		if (tokens < 1) return ((1 - tokens) * perMs) / requests;
		tokens--;
		return 0;
	};
}

/** Answers 429 beyond a limit. The service's own limits are not shown, so there is none at first. */
export class RateLimiter {
	private limit: RateLimit | null = null;
	private limiter: Limiter = () => 0;

	set(limit: RateLimit | null): void {
		this.limit = limit;
		this.limiter = limit ? limiterOf(limit) : () => 0;
	}

	readonly middleware: RequestHandler = (_req, res, next) => {
		const wait = this.limiter(Date.now());
		if (!this.limit || wait === 0) return next();
		const { requests, perMs, retryAfter = 'seconds' } = this.limit;
		// Whole seconds only, so they are rounded up.
		if (retryAfter === 'seconds') res.set('Retry-After', String(Math.ceil(wait / 1000)));
		return refuse(res, 429, 'rate_limited', `More than ${requests} requests in ${perMs} ms`);
	};
}
