import { sortBy } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';

/** After so many refusals in a row for the same reason, it concerns all companies. */
const REFUSALS_OF_ALL = 20;
/** After so many new webhooks in a row whose answer was lost, no more are asked for: each may exist. */
const LOST_OF_ALL = 3;
/** Statuses with which a service refuses one company or webhook; others concern the account. */
const OF_ONE_COMPANY = new Set([400, 404, 409, 410, 422]);

export interface Refusal {
	company: string;
	reason: unknown;
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

/** Collects the companies that the service refuses in one publish: they do not stop the others. */
export class Refusals {
	private readonly byCompany = new Map<string, Refusal>();
	/** What the latest refusals have in common, and how many they are. */
	private inARow = { group: '', count: 0 };
	private lostInARow = 0;
	/** Companies whose new webhook may exist although the service's answer was lost. */
	readonly lost: string[] = [];

	get all(): Refusal[] {
		return sortBy([...this.byCompany.values()], 'company');
	}

	has(company: string): boolean {
		return this.byCompany.has(company);
	}

	noteAccepted(): void {
		this.inARow.count = 0;
		this.lostInARow = 0;
	}

	/** @throws the reason where it concerns more than this company; GivenUp where it turns out to */
	add(company: string, reason: unknown, notAsked: () => number): void {
		if (!isOfOneCompany(reason)) throw reason;
		this.byCompany.set(company, { company, reason });
		const group = groupOf(reason);
		if (this.inARow.group !== group) this.inARow = { group, count: 0 };
		if (++this.inARow.count < REFUSALS_OF_ALL) return;
		throw new GivenUp(
			`The service refused the latest ${REFUSALS_OF_ALL} companies for the same reason, so ${notAsked()} more were not asked for`,
			reason,
		);
	}

	/** @throws GivenUp where answers go on being lost */
	addLost(company: string, reason: unknown): void {
		this.lost.push(company);
		// The first ones of a wave are on their way together.
		if (++this.lostInARow < LOST_OF_ALL) return;
		throw new GivenUp('The answers to new webhooks are lost, so no more are asked for', reason);
	}
}

/** Whether a failure concerns one company or webhook, and not the account or the service. */
export function isOfOneCompany(reason: unknown): boolean {
	if (reason instanceof UnusableAnswer) return true;
	return reason instanceof RegistryFailure && OF_ONE_COMPANY.has(reason.status ?? 0);
}

/** Whether the same request may succeed later: the service is down, busy, or did not answer. */
export function mayPass(reason: unknown): boolean {
	return reason instanceof RegistryFailure && reason.kind !== 'refused';
}

/** Whether an update was refused because there is no such webhook. */
export function isGone(reason: unknown): reason is RegistryFailure {
	return reason instanceof RegistryFailure && (reason.status === 404 || reason.status === 410);
}

/** What refusals for the same reason have in common: the service's words may hold the number of a request. */
export function groupOf(reason: unknown): string {
	if (reason instanceof RegistryFailure) return `${reason.status} ${reason.code ?? ''}`;
	return reason instanceof UnusableAnswer ? reason.difference : messageOf(reason);
}
