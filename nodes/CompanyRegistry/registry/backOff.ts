import { waitUnlessAborted } from '../shared/waitUnlessAborted';
import type { RegistryFailure } from './failure';

/** In milliseconds; tests wait less. */
export const BACK_OFF = {
	/** How long requests wait for a service that lets none of them through. */
	inAll: 60_000,
	/** Before a second attempt; doubled for each one after it, up to sixteen times as long. */
	first: 500,
	/** Up to so much more, so that not all requests go on in the same instant. */
	spread: 250,
};

/** How often at most a request is sent, the first time included, if the fault may pass. */
const MAXIMUM_ATTEMPTS = 3;
/** Answers of a service that is busy or restarting. */
const PASSING_STATUSES = new Set([500, 502, 503, 504]);
/** n8n's codes for a request that took too long: trying again only adds to the wait. */
const TIMED_OUT = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED']);

/** When requests are sent again. One that the service asks to come back later holds back all that share this. */
export class BackOff {
	/** No request is sent before then, in milliseconds since the epoch. */
	private openAgainAt = 0;
	/** Since when the service has asked every request to come back later, in the same unit. */
	private refusedSince: number | undefined;

	/** Ends once requests may be sent, or soon after the signal is aborted. */
	async untilOpen(signal?: AbortSignal): Promise<void> {
		while (Date.now() < this.openAgainAt && !signal?.aborted) {
			await waitUnlessAborted(this.openAgainAt - Date.now() + spread(), signal);
		}
	}

	/** Says that the service has let a request through. */
	letThrough(): void {
		this.refusedSince = undefined;
	}

	/**
	 * Milliseconds to wait before the request is sent again; undefined to give up.
	 * @param attempt how often it was sent, from 1
	 */
	waitAfter(failure: RegistryFailure, attempt: number): number | undefined {
		const wait = Math.max(failure.retryAfter ?? 0, exponential(attempt));
		if (!isAskedToWait(failure)) {
			this.letThrough();
			return attempt < MAXIMUM_ATTEMPTS && mayPass(failure) ? wait + spread() : undefined;
		}
		const now = Date.now();
		// What was refused long ago says nothing of now.
		if (now > this.openAgainAt + BACK_OFF.inAll) this.refusedSince = undefined;
		this.refusedSince ??= now;
		if (now + wait > this.refusedSince + BACK_OFF.inAll) return undefined;
		this.openAgainAt = Math.max(this.openAgainAt, now + wait);
		return wait + spread();
	}
}

/** If the service asks for it, even a POST is sent again: it was refused, not lost. */
function isAskedToWait({ status, retryAfter }: RegistryFailure): boolean {
	return status === 429 || (status === 503 && retryAfter !== undefined);
}

function mayPass({ kind, method, status, reason }: RegistryFailure): boolean {
	if (kind === 'notSent') return true;
	if (method === 'POST') return false;
	return status === undefined ? !TIMED_OUT.has(reason) : PASSING_STATUSES.has(status);
}

/** Up to a half of it is taken off at random. */
function exponential(attempt: number): number {
	return BACK_OFF.first * Math.min(2 ** (attempt - 1), 16) * (0.5 + Math.random() / 2);
}

function spread(): number {
	return Math.random() * BACK_OFF.spread;
}
