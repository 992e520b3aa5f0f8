import type { IWebhookFunctions } from 'n8n-workflow';

import { keepNewest } from '../../shared/keepNewest';

const MAXIMUM_WEBHOOKS = 20_000;
const MAXIMUM_DELIVERIES = 5000;

/** The deliveries to one webhook. */
export interface WebhookHistory {
	/** The scheme of the last genuine one. */
	verifiedBy?: string;
	/** How many were refused since, and when the first of those came. */
	refused: number;
	since: number;
}

const NO_HISTORY: WebhookHistory = { refused: 0, since: 0 };

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** The memory of this process about the deliveries to one trigger. Times are those of a monotonic clock. */
export class TrackRecord {
	/** By reference. */
	private readonly history = new Map<string, WebhookHistory>();
	/** Deliveries that are being answered, or until when an accepted one counts. */
	private readonly accepted = new Map<string, Promise<void> | number>();
	private readonly reported = new Map<string, { since: number; count: number }>();
	private refusals = { count: 0, since: 0 };

	noteVerified(reference: string, verifiedBy: string): void {
		keepNewest(this.history, reference, { ...NO_HISTORY, verifiedBy }, MAXIMUM_WEBHOOKS);
	}

	/** @param now of a monotonic clock. @param at milliseconds since the epoch */
	noteRefused(reference: string, now: number, at: number): WebhookHistory {
		const { verifiedBy, refused, since } = this.history.get(reference) ?? NO_HISTORY;
		const history = { verifiedBy, refused: refused + 1, since: refused === 0 ? now : since };
		keepNewest(this.history, reference, history, MAXIMUM_WEBHOOKS);
		this.refusals = { count: this.refusals.count + 1, since: this.refusals.since || at };
		return history;
	}

	/** How many deliveries were refused since the last report, and since when in milliseconds since the epoch. */
	takeRefusals(): { count: number; since: number } {
		const { refusals } = this;
		this.refusals = { count: 0, since: 0 };
		return refusals;
	}

	/** How many webhooks that were verified before have had deliveries refused since. */
	countFailing(): number {
		const all = [...this.history.values()];
		return all.filter(({ verifiedBy, refused }) => verifiedBy !== undefined && refused > 0).length;
	}

	/** How many webhooks were verified. @param scheme by which; any if undefined */
	countVerified(scheme?: string): number {
		const schemes = [...this.history.values()].map(({ verifiedBy }) => verifiedBy);
		return schemes.filter((one) => one !== undefined && one === (scheme ?? one)).length;
	}

	/**
	 * @returns whether this delivery was accepted before. If not, it counts as accepted for `keptFor` milliseconds once
	 * `response` has gone out with success. A repeat waits while the first is being answered.
	 */
	async noteDelivery(
		key: string,
		keptFor: number,
		now: number,
		response: Response,
	): Promise<boolean> {
		let known = this.accepted.get(key);
		for (; known instanceof Promise; known = this.accepted.get(key)) await known;
		if (known !== undefined && now < known) return true;
		// The sender has hung up and will try again: that attempt must not wait for this one.
		if (response.closed) return false;

		const ended = new Promise<void>((resolve) => {
			// Comes after an answer as well as without one.
			response.once('close', () => {
				const isAccepted = response.writableFinished && response.statusCode < 300;
				this.accepted.delete(key);
				if (isAccepted) this.accepted.set(key, now + keptFor);
				resolve();
			});
		});
		keepNewest(this.accepted, key, ended, MAXIMUM_DELIVERIES);

		return false;
	}

	/** Whether this may be reported now, at most `most` times in `ms`. If so, it counts as reported. */
	claimReport(what: string, now: number, ms: number, most = 1): boolean {
		const last = this.reported.get(what);
		const { since, count } = last && now - last.since < ms ? last : { since: now, count: 0 };
		if (count >= most) return false;
		keepNewest(this.reported, what, { since, count: count + 1 }, MAXIMUM_WEBHOOKS);
		return true;
	}
}
