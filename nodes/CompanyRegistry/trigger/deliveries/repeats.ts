import type { IWebhookFunctions } from 'n8n-workflow';

import { dropOldest } from '../../shared/dropOldest';

/** Deliveries that one process remembers to have accepted. */
const MAXIMUM_REMEMBERED = 10_000;

/** Accepted deliveries, and when each is forgotten. */
const accepted = new Map<string, number>();
const underWay = new Map<string, Promise<void>>();

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/**
 * Whether this delivery was accepted before. If not, it counts as accepted once `answer` has gone out with a
 * success status. A repeat that arrives while the first is being answered waits for how that ends.
 * @param key names the delivery among those of all webhooks
 * @param keptFor milliseconds for which it is remembered
 */
export async function isRepeat(key: string, keptFor: number, answer: Response): Promise<boolean> {
	for (let first = underWay.get(key); first !== undefined; first = underWay.get(key)) await first;
	if (Date.now() < (accepted.get(key) ?? 0)) return true;
	// The sender has hung up and will try again: that attempt must not wait for this one.
	if (answer.closed) return false;

	const ended = new Promise<void>((resolve) => {
		// Comes after an answer as well as without one.
		answer.once('close', () => {
			underWay.delete(key);
			if (answer.writableFinished && answer.statusCode < 300) {
				// Taken out first, so that it counts as the newest.
				accepted.delete(key);
				accepted.set(key, Date.now() + keptFor);
				dropOldest(accepted, MAXIMUM_REMEMBERED);
			}
			resolve();
		});
	});
	underWay.set(key, ended);
	return false;
}
