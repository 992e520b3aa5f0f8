import { dropOldest } from '../../shared/dropOldest';

/** Deliveries that one process remembers to have accepted. */
const MAXIMUM_REMEMBERED = 10_000;

const MINUTE_MS = 60_000;
/** How long a delivery is remembered, in milliseconds. */
const LIFETIMES = {
	/** The sender names its deliveries: the same id means the same delivery. */
	id: 24 * 60 * MINUTE_MS,
	/**
	 * Known by what is in it. Two events may look alike, as two filings of one day do where the body
	 * holds nothing but event and company, and a lost event costs more than a doubled one.
	 */
	content: 15 * MINUTE_MS,
};

/** What a repeat is recognised by. */
export interface RepeatKey {
	/** Unique among the deliveries of all webhooks. */
	text: string;
	knownBy: keyof typeof LIFETIMES;
}

/** Accepted deliveries, and when each is forgotten. */
const accepted = new Map<string, number>();
const underWay = new Map<string, Promise<void>>();

/** The part of n8n's response object that tells how an answer went. */
export interface AnswerProgress {
	statusCode: number;
	writableFinished: boolean;
	/** The connection has ended, or the answer is complete. */
	closed: boolean;
	once(event: 'close', listener: () => void): unknown;
}

/**
 * Whether this delivery was accepted before. If not, it counts as accepted once `answer` has gone
 * out with a success status: one that n8n could not take may be sent again. A repeat that arrives
 * while the first is being answered waits for how that ends.
 */
export async function isRepeat(
	{ text, knownBy }: RepeatKey,
	answer: AnswerProgress,
): Promise<boolean> {
	for (let first = underWay.get(text); first !== undefined; first = underWay.get(text)) await first;
	if (Date.now() < (accepted.get(text) ?? 0)) return true;
	// The sender has hung up and will try again: that attempt must not wait for this one.
	if (answer.closed) return false;

	const ended = new Promise<void>((resolve) => {
		// Comes after an answer as well as without one.
		answer.once('close', () => {
			if (answer.writableFinished && answer.statusCode < 300) {
				rememberAccepted(text, LIFETIMES[knownBy]);
			}
			underWay.delete(text);
			resolve();
		});
	});
	underWay.set(text, ended);
	return false;
}

function rememberAccepted(text: string, lifetime: number): void {
	// Taken out first, so that it counts as the newest.
	accepted.delete(text);
	accepted.set(text, Date.now() + lifetime);
	dropOldest(accepted, MAXIMUM_REMEMBERED);
}
