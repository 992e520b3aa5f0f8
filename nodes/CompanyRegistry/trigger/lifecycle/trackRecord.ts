import type { IWebhookFunctions } from 'n8n-workflow';

import { keepNewest } from '../../shared/keepNewest';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const MAXIMUM_WEBHOOKS = 20_000;
const MAXIMUM_DELIVERIES = 5000;

/** So many refused deliveries show a change: in a row of one webhook that was verified before, or of several ones. */
export const MANY = 3;

/** The deliveries to one webhook. */
export interface WebhookHistory {
	/** The scheme of the last genuine one. */
	verifiedBy?: string;
	/** How many were refused since, and when the first of those came, or the first that is not known. */
	refused: number;
	since: number;
}

const NO_HISTORY: WebhookHistory = { refused: 0, since: 0 };

/** In milliseconds since the epoch. */
interface Range {
	from: number;
	to: number;
}

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** The memory of this process about the deliveries to one trigger. Times are those of a monotonic clock. */
export class TrackRecord {
	/** By reference. */
	private readonly history = new Map<string, WebhookHistory>();
	/** Deliveries that are being answered, or until when an accepted one counts. */
	private readonly accepted = new Map<string, Promise<void> | number>();
	/** By reference, until a report has them. */
	private readonly missed = new Map<string, Range>();
	private readonly reported = new Map<string, { since: number; count: number }>();

	noteVerified(reference: string, verifiedBy: string): void {
		keepNewest(this.history, reference, { ...NO_HISTORY, verifiedBy }, MAXIMUM_WEBHOOKS);
	}

	/**
	 * @param now of the monotonic clock
	 * @param scheme by which it could not be verified
	 * @param isGenuine whether the service must have sent it
	 */
	noteRefused(reference: string, now: number, scheme: string, isGenuine = false): WebhookHistory {
		const { verifiedBy, refused, since } = this.history.get(reference) ?? NO_HISTORY;
		const history = { verifiedBy, refused: refused + 1, since: refused === 0 ? now : since };
		keepNewest(this.history, reference, history, MAXIMUM_WEBHOOKS);
		if (reference === '') return history;

		// Once the scheme has verified anything, a few that it refuses may be forged.
		const isUnproven = this.countVerified(scheme) === 0;
		const isMissed = isGenuine || isUnproven || history.refused >= MANY;
		if (isMissed) this.noteMissed(reference, history, now);
		else if (this.countFailing() >= MANY) {
			for (const [other, one] of this.failing()) this.noteMissed(other, one, now);
		}
		return history;
	}

	/** How many webhooks that were verified before have had deliveries refused since. */
	countFailing(): number {
		return this.failing().length;
	}

	private failing(): Array<[reference: string, history: WebhookHistory]> {
		return [...this.history].filter(([, { verifiedBy, refused }]) => {
			return verifiedBy !== undefined && refused > 0;
		});
	}

	private noteMissed(reference: string, { since }: WebhookHistory, now: number): void {
		const at = Date.now();
		const { from } = this.missed.get(reference) ?? { from: at - (now - since) };
		keepNewest(this.missed, reference, { from, to: at }, MAXIMUM_WEBHOOKS);
	}

	/** When deliveries were refused that the service had probably sent, by reference. From now on, this is known. */
	takeMissed(): Map<string, Range> {
		const missed = new Map(this.missed);
		this.missed.clear();

		const now = performance.now();
		for (const reference of missed.keys()) {
			const history = this.history.get(reference);
			if (history) this.history.set(reference, { ...history, since: now });
		}
		return missed;
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
