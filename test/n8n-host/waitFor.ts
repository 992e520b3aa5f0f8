import { setTimeout as sleep } from 'node:timers/promises';

const SHORTEST_MS = 100;
const LONGEST_MS = 1_000;

export interface WaitOptions {
	/** Milliseconds; 150 seconds unless told: a busy machine takes long for an n8n start. */
	timeoutMs?: number;
	/** Milliseconds between two looks; unless told, more the longer it takes: each look costs n8n some 20 ms of work. */
	everyMs?: number;
}

/**
 * Asks `look` until it answers with something other than undefined or false, and returns that.
 * Throws when the time is over, naming `what` was waited for. An error of `look` ends the wait.
 */
export async function waitFor<T>(
	what: string,
	look: () => Promise<T | undefined | false> | T | undefined | false,
	{ timeoutMs = 150_000, everyMs }: WaitOptions = {},
): Promise<T> {
	const began = Date.now();
	for (;;) {
		const found = await look();
		if (found !== undefined && found !== false) return found;
		const waited = Date.now() - began;
		if (waited >= timeoutMs) {
			throw new Error(`Waited ${Math.round(timeoutMs / 1000)} seconds in vain for ${what}`);
		}
		await sleep(everyMs ?? Math.min(Math.max(waited / 2, SHORTEST_MS), LONGEST_MS));
	}
}
