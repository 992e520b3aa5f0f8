import { filter, map } from 'lodash';

import type { UnreadableRow } from '../../lists/words';
import { messageOf, RegistryFailure } from '../../registry/failure';
import type { Drift, Subscription } from '../memory/state';
import type { Store } from '../memory/store';
import type { Wish } from './wish';

/** After so many failures of one kind in a row, nothing more is asked for. */
const IN_A_ROW = {
	/** Refusals for the same reason: it concerns all companies. */
	refused: 20,
	/** New webhooks whose answer was lost: each may exist. */
	lost: 3,
	/** Other changes whose answer was lost: the service cannot be used. */
	left: 10,
};
/** Statuses with which a service refuses one company or webhook; others concern the account. */
const OF_ONE_COMPANY = new Set([400, 404, 409, 410, 422]);

/**
 * How a wanted company stands. `watched`: as wanted. `refused`: by the service. `doubled`: others watch it, and
 * nothing is made for it. `lost`: the answer to its new webhook was. `disputed`: somebody keeps changing it.
 * `left`: not done yet.
 */
export type Standing = 'watched' | 'refused' | 'doubled' | 'lost' | 'disputed' | 'left';

interface Noted {
	company: string;
	standing: Standing;
	reason?: unknown;
}

/** Why the service cannot set up one company: its answer is not what was asked for. */
export class UnusableAnswer extends Error {
	/** @param difference what is wrong with it, without the ids and numbers of one webhook */
	constructor(message: string, difference: string) {
		super(message, { cause: difference });
	}
}

/** That nothing more is asked for, although the service answers. Its cause is why. */
export class GivenUp extends Error {}

/** How each wanted company stands, and why: all counts and words come from it. */
export class Standings {
	private readonly noted = new Map<string, Noted>();
	/** Wanted companies with active webhooks that this trigger cannot verify, and the ids of those. */
	others: ReadonlyMap<string, string[]> = new Map();
	/** Why nothing can be looked at: the node's parameters or settings, the credential or the address. */
	problem: Error | undefined;
	/** Companies that stay watched because cells of the list look like numbers that went wrong. */
	heldBack: { cells: UnreadableRow[]; companies: string[] } | undefined;
	/** What is not wanted and could not be paused, and why. */
	unpaused: { subscriptions: Subscription[]; why: string } | undefined;
	/** Why the latest try did not come to its end. */
	failure: unknown;
	/** What the latest failures have in common, and how many they are. */
	private inARow = { group: '', count: 0 };

	constructor(
		readonly wish: Wish,
		readonly store: Store,
	) {}

	/** Before another try: what is not done yet may be done by it. */
	begin(): void {
		this.failure = undefined;
		this.unpaused = undefined;
		this.noteAccepted();
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

	/** The companies that stand so. */
	in(standing: Standing): string[] {
		return map(filter(this.all, { standing }), 'company');
	}

	/** How many are as wanted. */
	get watched(): number {
		return this.in('watched').length;
	}

	/** What somebody else had changed of a company at the service, and is put right, until it is told. */
	get mended(): Map<string, Drift> {
		const watched = new Set(this.in('watched'));
		return new Map([...this.store.drifts].filter(([company]) => watched.has(company)));
	}

	/** How many deliver to this trigger, be it with the events or by the account of before. */
	get active(): number {
		const delivering = this.all.filter(({ company, standing }) => {
			const drift = this.store.drifts.get(company) ?? 'events';
			return standing === 'watched' || (standing !== 'disputed' && drift === 'events');
		});
		return this.store.countActive(map(delivering, 'company'), this.wish.url);
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
		this.inARow = { group: '', count: 0 };
	}

	/**
	 * Notes that the service has not set a company up.
	 * @throws the reason where it concerns more than this company; GivenUp where it turns out to
	 */
	noteFailure(company: string, reason: unknown, notAsked: () => number): void {
		const standing = standingAfter(reason);
		if (standing === undefined) throw reason;
		this.note(company, standing, reason);
		const group = standing === 'refused' ? groupOf(reason) : standing;
		const count = this.inARow.group === group ? this.inARow.count + 1 : 1;
		this.inARow = { group, count };
		if (count < IN_A_ROW[standing]) return;
		if (standing === 'left') throw reason;
		const words =
			standing === 'lost'
				? 'The answers to new webhooks are lost, so no more are asked for'
				: `The service refused the latest ${IN_A_ROW.refused} companies for the same reason, so ${notAsked()} more were not asked for`;
		throw new GivenUp(words, { cause: reason });
	}
}

/** How a company stands after a failure; undefined where that concerns the account or the service. */
function standingAfter(reason: unknown): keyof typeof IN_A_ROW | undefined {
	if (isOfOneCompany(reason)) return 'refused';
	if (!(reason instanceof RegistryFailure) || reason.kind !== 'unclear') return undefined;
	return reason.method === 'POST' ? 'lost' : 'left';
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

/** What failures for the same reason have in common: the service's words may hold the number of a request. */
export function groupOf(reason: unknown): string {
	if (reason instanceof RegistryFailure) {
		return `${reason.status ?? reason.reason} ${reason.code ?? ''}`;
	}
	return messageOf(reason instanceof UnusableAnswer ? reason.cause : reason);
}
