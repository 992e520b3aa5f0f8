import { sleep } from 'n8n-workflow';

import { RegistryFailure } from './registryFailure';

/** How long one request may wait in all, for its own refusals and for those of others, in milliseconds. */
const MAXIMUM_WAIT = 60_000;
/** How often at most a request is sent, the first time included, if the fault may pass. */
const MAXIMUM_ATTEMPTS = 3;
/** How often at most, if the service asks to send it again later. */
const MAXIMUM_ATTEMPTS_WHEN_ASKED = 12;
/** How soon a waiting request notices that it need not wait any longer, in milliseconds. */
const WAITING_STEP = 1000;
/** In milliseconds. */
const SHORTEST_WAIT = 250;

/** Answers of a service that is busy or restarting. */
const PASSING_STATUSES = new Set([500, 502, 503, 504]);
/** n8n's codes for a request that took too long: trying again only adds to the wait. */
const TIMED_OUT = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED']);

/** When a request that failed is sent again. */
export interface WaitingRule {
	/**
	 * Milliseconds to wait after this failure, or undefined to give up.
	 * @param attempt how often the request was sent, from 1
	 * @param waited how long it has waited in all, in milliseconds
	 */
	waitAfter: (failure: RegistryFailure, attempt: number, waited: number) => number | undefined;
	/** Waits for that long, and as long as no request may be sent; returns the milliseconds. */
	wait: (milliseconds: number, failure?: RegistryFailure) => Promise<number>;
}

/**
 * Sends a request, and sends it again for as long as the rule says.
 * @throws what `send` threw last
 */
export async function sendPatiently<Data>(
	send: () => Promise<Data>,
	rule: WaitingRule,
): Promise<Data> {
	let waited = await rule.wait(0);
	let isUnclear = false;
	for (let attempt = 1; ; attempt++) {
		const outcome = await send().then(
			(data) => ({ data }),
			(reason: unknown) => ({ reason }),
		);
		if ('data' in outcome) return outcome.data;
		const { reason } = outcome;
		if (!(reason instanceof RegistryFailure)) throw reason;
		// That this attempt was refused says nothing of one before whose answer was lost.
		isUnclear ||= reason.isUnclear;
		reason.isUnclear = isUnclear;
		const wait = rule.waitAfter(reason, attempt, waited);
		if (wait === undefined) throw reason;
		waited += await rule.wait(wait, reason);
	}
}

/**
 * For the items of an action. Each waits by itself, and only if the service names a time. It waits up to
 * twice as long at random: items that are refused together would otherwise be sent together again.
 */
export const spreadWaiting: WaitingRule = {
	waitAfter({ retryAfter }, _attempt, waited) {
		if (retryAfter === undefined) return undefined;
		const wait = Math.max(retryAfter, SHORTEST_WAIT) * (1 + Math.random());
		return waited + wait > MAXIMUM_WAIT ? undefined : wait;
	},
	async wait(milliseconds) {
		if (milliseconds > 0) await sleep(milliseconds);
		return milliseconds;
	},
};

/** For the requests of a publish or a picker: one that is refused holds all of them back. */
export class SharedWaiting implements WaitingRule {
	/** Requests wait until then, in milliseconds since the epoch. */
	private openAgainAt = 0;
	private maximumWait = MAXIMUM_WAIT;
	private deadline = Infinity;

	/** No request waits beyond that moment, in milliseconds since the epoch. */
	finishBy(deadline: number): void {
		this.deadline = deadline;
	}

	/** From now on each request is sent once, also those that are waiting. */
	stop(): void {
		this.maximumWait = 0;
		this.openAgainAt = 0;
	}

	/** Requests wait again, as at first. */
	startAgain(): void {
		this.maximumWait = MAXIMUM_WAIT;
		this.deadline = Infinity;
	}

	waitAfter(failure: RegistryFailure, attempt: number, waited: number): number | undefined {
		const asked = isAskedToWait(failure);
		const wait = Math.max(failure.retryAfter ?? 0, backoff(attempt));
		const maximumAttempts = asked ? MAXIMUM_ATTEMPTS_WHEN_ASKED : MAXIMUM_ATTEMPTS;
		if (waited + wait > this.maximumWait || attempt >= maximumAttempts) return undefined;
		// If the service asks for it, even a POST may be sent again: it was refused, not lost.
		if (!asked && !isSafeToRepeat(failure)) return undefined;
		failure.isOutOfTime = Date.now() + wait > this.deadline;
		return failure.isOutOfTime ? undefined : wait;
	}

	async wait(milliseconds: number, failure?: RegistryFailure): Promise<number> {
		const began = Date.now();
		if (failure !== undefined && isAskedToWait(failure)) {
			this.openAgainAt = Math.max(this.openAgainAt, began + milliseconds);
		} else if (milliseconds > 0) {
			await sleep(milliseconds);
		}
		for (let left = this.openAgainAt - Date.now(); left > 0; ) {
			// Not all in the same instant.
			await sleep(Math.min(left + Math.random() * 250, WAITING_STEP));
			left = this.openAgainAt - Date.now();
		}
		return Date.now() - began;
	}
}

/** Milliseconds from a Retry-After header in seconds or as a date. */
export function readRetryAfter(header: unknown): number | undefined {
	if (typeof header !== 'string') return undefined;
	if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function isAskedToWait({ status, retryAfter }: RegistryFailure): boolean {
	return status === 429 || (status === 503 && retryAfter !== undefined);
}

function isSafeToRepeat({ method, status, reason, mayBeDone }: RegistryFailure): boolean {
	if (status !== undefined) return method !== 'POST' && PASSING_STATUSES.has(status);
	return !mayBeDone && !TIMED_OUT.has(reason ?? '');
}

/** Milliseconds: doubling from half a second to eight, up to a half of it taken off at random. */
function backoff(attempt: number): number {
	return Math.min(500 * 2 ** (attempt - 1), 8000) * (0.5 + Math.random() / 2);
}
