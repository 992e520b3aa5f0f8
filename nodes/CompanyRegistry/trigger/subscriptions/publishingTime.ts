import { dropOldest } from '../../shared/dropOldest';

/**
 * How long n8n 2.40 waits for a workflow to be published, all attempts and the unpublishing of the
 * version before together: 70 % of its lease of two minutes.
 */
const PATIENCE_OF_N8N = 84_000;
/**
 * A publish that is not through by then fails, and an unpublish leaves the rest active, in milliseconds.
 * What is left of n8n's patience is for pausing what a failed publish set up: once n8n has stopped
 * waiting, none of the run's requests gets out any more, and the next publish sees to them.
 */
const TIME_LIMIT = 75_000;
/** n8n pauses for up to eight seconds between two attempts. */
const LONGEST_PAUSE = 12_000;

/** Far more than are published in one process at once. */
const MAXIMUM_REMEMBERED = 1000;

const publishings = new Map<string, { began: number; lastSeen: number }>();

/**
 * When a life-cycle run that begins now has to be through, in milliseconds since the epoch.
 *
 * n8n does not save what a publish that took longer has done. Should it succeed all the same, n8n
 * goes on sending it deliveries and takes the user's next publish for done, and the secrets are lost
 * with the process. A publish that fails late is cleaned up after, and the next one begins anew.
 */
export function publishDeadline(owner: string): number {
	const now = Date.now();
	const current = publishings.get(owner);
	const goesOn =
		current && now - current.lastSeen < LONGEST_PAUSE && now - current.began < PATIENCE_OF_N8N;
	const began = goesOn ? current.began : now;
	publishings.delete(owner);
	publishings.set(owner, { began, lastSeen: now });
	dropOldest(publishings, MAXIMUM_REMEMBERED);
	return began + TIME_LIMIT;
}

/** After an unpublish or a failed publish n8n may go on with the same publishing. */
export function noteEndOfAttempt(owner: string): void {
	const publishing = publishings.get(owner);
	if (publishing) publishing.lastSeen = Date.now();
}

/** After a success the next publish is one of its own. */
export function notePublished(owner: string): void {
	publishings.delete(owner);
}
