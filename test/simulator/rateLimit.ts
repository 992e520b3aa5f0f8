import type { RequestHandler } from 'express';

import { refuse } from './serviceError';

export interface RateLimit {
	/** Requests let through, of all accounts together, in any `perMs` milliseconds. */
	requests: number;
	perMs: number;
	/** Form of the Retry-After header; `seconds` unless given. */
	retryAfter?: 'seconds' | 'none';
}

/** Answers 429 beyond a limit. The service's own limits are not shown, so there is none at first. */
export class RateLimiter {
	private limit: RateLimit | null = null;

	/** Times of the requests let through within the last `perMs`. */
	private passed: number[] = [];

	set(limit: RateLimit | null): void {
		this.limit = limit;
		this.passed = [];
	}

	readonly middleware: RequestHandler = (_req, res, next) => {
		if (!this.limit) return next();
		const { requests, perMs, retryAfter = 'seconds' } = this.limit;
		const now = Date.now();
		this.passed = this.passed.filter((at) => at > now - perMs);
		if (this.passed.length < requests) {
			this.passed.push(now);
			return next();
		}
		const free = (this.passed[0] ?? now) + perMs;
		// Whole seconds only, so they are rounded up.
		if (retryAfter === 'seconds') res.set('Retry-After', String(Math.ceil((free - now) / 1000)));
		return refuse(res, 429, 'rate_limited', `More than ${requests} requests in ${perMs} ms`);
	};
}
