import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
	/** Milliseconds; 60 seconds unless told. */
	timeoutMs?: number;
	/** Milliseconds between two looks. */
	everyMs?: number;
}

/**
 * Asks `look` until it answers with something other than undefined or false, and returns that.
 * Throws when the time is over, naming `what` was waited for. An error of `look` ends the wait.
 */
export async function waitFor<T>(
	what: string,
	look: () => Promise<T | undefined | false> | T | undefined | false,
	{ timeoutMs = 60_000, everyMs = 200 }: WaitOptions = {},
): Promise<T> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		const found = await look();
		if (found !== undefined && found !== false) return found;
		if (Date.now() >= deadline) {
			throw new Error(`Waited ${Math.round(timeoutMs / 1000)} seconds in vain for ${what}`);
		}
		await sleep(everyMs);
	}
}
