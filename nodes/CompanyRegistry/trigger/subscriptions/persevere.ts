import { waitUnlessAborted } from '../../shared/async';
import { mayPass } from './refusals';
import { WAITS } from './waits';

/**
 * Tries until it succeeds, for as long as the service lets some of it through, and for an hour after it last did.
 * @param lastThrough when the service let something through, in milliseconds since the epoch
 * @param canPass whether a failure is worth another try
 * @returns the failure that will not pass, or did not; undefined once it has succeeded, or is aborted
 */
export async function persevere(
	attempt: () => Promise<void>,
	lastThrough: () => number,
	signal: AbortSignal,
	canPass: (failure: unknown) => boolean = mayPass,
): Promise<unknown> {
	const began = Date.now();
	let through = lastThrough();
	for (let wait = WAITS.retry; !signal.aborted; wait = Math.min(2 * wait, WAITS.longestRetry)) {
		try {
			await attempt();
			return undefined;
		} catch (failure) {
			if (signal.aborted) return undefined;
			if (!canPass(failure)) return failure;
			if (lastThrough() !== through) wait = WAITS.retry;
			through = lastThrough();
			if (Date.now() - Math.max(began, through) >= WAITS.patience) return failure;
		}
		await waitUnlessAborted(wait, signal);
	}
	return undefined;
}
