import { groupBy, sortBy } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';
import type { Drift } from './plan';
import type { Store } from '../memory/store';
import type { Subscription } from '../memory/subscription';
import type { Wish } from './wish';

/** After so many refusals in a row for the same reason, it concerns all companies. */
const REFUSALS_OF_ALL = 20;
/** After so many new webhooks in a row whose answer was lost, no more are asked for: each may exist. */
const LOST_OF_ALL = 3;
/** After so many failures in a row, the service cannot be used. */
const FAILURES_OF_ALL = 10;
/** Statuses with which a service refuses one company or webhook; others concern the account. */
const OF_ONE_COMPANY = new Set([400, 404, 409, 410, 422]);

/**
 * How a wanted company stands. `watched`: as wanted. `refused`: by the service. `doubled`: others watch it, and
 * nothing is made for it. `lost`: the answer to its new webhook was. `disputed`: somebody keeps changing it.
 * `left`: not done yet.
 */
export type Standing = 'watched' | 'refused' | 'doubled' | 'lost' | 'disputed' | 'left';

export interface Noted {
	company: string;
	standing: Standing;
	reason?: unknown;
}

/** What somebody else had changed at the service, and was put right. */
export interface Mended {
	company: string;
	drift: Drift;
	/** Whether it was put right before within a day. */
	isAgain: boolean;
}

/** Why the service cannot set up one company: its answer is not what was asked for. */
export class UnusableAnswer extends Error {
	constructor(
		message: string,
		/** What is wrong with it, without the ids and numbers of one webhook. */
		readonly difference: string,
	) {
		super(message);
	}
}

/** Why nothing more is asked for, although the service answers. */
export class GivenUp extends Error {
	constructor(
		message: string,
		readonly reason: unknown,
	) {
		super(message);
	}
}

/** How each wanted company stands, and why: all counts and words come from it. */
export class Standings {
	private readonly noted = new Map<string, Noted>();
	readonly mended: Mended[] = [];
	/** Wanted companies with an active webhook that this trigger cannot verify. */
	others: ReadonlySet<string> = new Set();
	/** Companies whose webhook was made once more, because n8n was stopped before it had stored the first. */
	madeAgain: ReadonlySet<string> = new Set();
	/** Why the node's parameters cannot be used. */
	problem: Error | undefined;
	/** Companies that stay watched because cells of the list look like numbers that went wrong. */
	heldBack: { cells: string[]; companies: string[] } | undefined;
	/** What is not wanted and could not be paused, and why. */
	unpaused: { subscriptions: Subscription[]; why: string } | undefined;
	/** Why the latest try did not come to its end. */
	failure: unknown;
	/** What the latest refusals have in common, and how many they are. */
	private inARow = { group: '', count: 0 };

	constructor(
		readonly wish: Wish,
		private readonly store: Store,
	) {}

	/** Before another try: what is not done yet may be done by it. */
	begin(): void {
		this.failure = undefined;
		this.unpaused = undefined;
		this.inARow = { group: '', count: 0 };
		for (const { company, standing } of this.noted.values()) {
			if (standing === 'left' || standing === 'doubled') this.noted.delete(company);
		}
	}

	get all(): Noted[] {
		const confirmed = this.store.confirmed(this.wish);
		return this.wish.companies.map((company) => {
			const noted = this.noted.get(company) ?? { company, standing: 'left' };
			// What the service had confirmed of it, somebody has changed.
			const isWatched = confirmed.has(company) && noted.standing !== 'disputed';
			return isWatched ? { company, standing: 'watched' } : noted;
		});
	}

	in(...standings: Standing[]): Noted[] {
		return this.all.filter(({ standing }) => standings.includes(standing));
	}

	/** How many are as wanted. */
	get watched(): number {
		return this.in('watched').length;
	}

	/** How many deliver to this trigger, be it with the events or by the account of before. */
	get active(): number {
		const active = this.store.countActive(this.wish.companies, this.wish.url);
		return active - this.in('disputed').length;
	}

	get isDone(): boolean {
		const { wish, failure, unpaused } = this;
		return this.watched === wish.companies.length && !failure && !unpaused;
	}

	/** Whether nothing more is asked for a company in this run. */
	isSettled(company: string): boolean {
		return ['refused', 'doubled', 'disputed'].includes(this.noted.get(company)?.standing ?? '');
	}

	isLost(company: string): boolean {
		return this.noted.get(company)?.standing === 'lost';
	}

	note(company: string, standing: Standing, reason?: unknown): void {
		this.noted.set(company, { company, standing, reason });
	}

	noteAccepted(): void {
		this.inARow.count = 0;
	}

	/**
	 * Notes that the service has not set a company up.
	 * @throws the reason where it concerns more than this company; GivenUp where it turns out to
	 */
	noteFailure(company: string, reason: unknown, notAsked: () => number): void {
		const isOfOne = isOfOneCompany(reason);
		const isUnclear = reason instanceof RegistryFailure && reason.kind === 'unclear';
		if (!isOfOne && !isUnclear) throw reason;
		const isLost = isUnclear && reason.method === 'POST';
		this.note(company, isOfOne ? 'refused' : isLost ? 'lost' : 'left', reason);
		const group = isLost ? 'lost' : groupOf(reason);
		if (this.inARow.group !== group) this.inARow = { group, count: 0 };
		const count = ++this.inARow.count;
		if (isLost && count >= LOST_OF_ALL) {
			throw new GivenUp('The answers to new webhooks are lost, so no more are asked for', reason);
		}
		if (isUnclear && !isLost && count >= FAILURES_OF_ALL) throw reason;
		if (isOfOne && count >= REFUSALS_OF_ALL) {
			throw new GivenUp(
				`The service refused the latest ${REFUSALS_OF_ALL} companies for the same reason, so ${notAsked()} more were not asked for`,
				reason,
			);
		}
	}
}

/** By reason, those of the most companies first. */
export function byReason(noted: Noted[]): Noted[][] {
	const groups = Object.values(groupBy(noted, ({ reason }) => groupOf(reason)));
	return sortBy(groups, ({ length }) => -length).map((group) => sortBy(group, 'company'));
}

/** Whether a failure concerns one company or webhook, and not the account or the service. */
export function isOfOneCompany(reason: unknown): boolean {
	if (reason instanceof UnusableAnswer) return true;
	return reason instanceof RegistryFailure && OF_ONE_COMPANY.has(reason.status ?? 0);
}

/** Whether the same may succeed later: the service is down, busy, or did not answer. */
export function isPassing(reason: unknown): boolean {
	return reason instanceof RegistryFailure && reason.kind !== 'refused';
}

/** Whether the service itself says that there is no such webhook: a page of a proxy does not. */
export function isGone(reason: unknown): reason is RegistryFailure {
	const isRefused = reason instanceof RegistryFailure && reason.isServiceError;
	return isRefused && (reason.status === 404 || reason.status === 410);
}

/** What refusals for the same reason have in common: the service's words may hold the number of a request. */
export function groupOf(reason: unknown): string {
	if (reason instanceof RegistryFailure) {
		return `${reason.status ?? reason.reason} ${reason.code ?? ''}`;
	}
	return reason instanceof UnusableAnswer ? reason.difference : messageOf(reason);
}
