import { isUnclear } from '../../registry/failure';
import { reasonKey, Stopped, UnusableAnswer } from '../records/failures';

/** So many equal refusals in a row stop what is sent. */
const MAXIMUM_REFUSED = 20;
/** The same for requests that may each have left a webhook behind, or had no answer. */
const MAXIMUM_LOST = 3;

/** Failures in a row for the same reason: it makes no sense to send thousands of requests that fail alike. */
export class RepeatedFailures {
	/** Their reasons, which are all the same. */
	private reasons: string[] = [];

	constructor(private readonly areCreates: boolean) {}

	noteSuccess(): void {
		this.reasons = [];
	}

	/** @throws the reason, or `Stopped`, where too many requests in a row have failed for it */
	noteFailure(reason: unknown): void {
		const key = reasonKey(reason);
		this.reasons = [...this.reasons.filter((earlier) => earlier === key), key];

		const isLost = isUnclear(reason);
		// A create without a usable answer may have left a webhook behind.
		const leavesWebhook = this.areCreates && reason instanceof UnusableAnswer;
		const { length } = this.reasons;
		if (length < (isLost || leavesWebhook ? MAXIMUM_LOST : MAXIMUM_REFUSED)) return;
		const words = `Setup stopped after ${length} identical refusals in a row`;
		throw isLost ? reason : new Stopped(words, { cause: reason });
	}
}
