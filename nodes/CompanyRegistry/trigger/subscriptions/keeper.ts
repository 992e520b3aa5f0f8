import { union } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';
import { openRegistry, type Registry } from '../../registry/registry';
import { waitUnlessAborted } from '../../shared/async';
import { dropOldest } from '../../shared/dropOldest';
import { nameOf, type TriggerIdentity } from '../identity/identity';
import { askAboutAddress } from './account';
import { mustNotStore, type Hands } from './hands';
import { NotProven, reconcile } from './reconcile';
import { Round, type Occasion } from './round';
import { isDue, nextCheck, nextTry } from './schedule';
import { GivenUp, isPassing, Standings } from './standings';
import { storeOf, type Store } from '../memory/store';
import { Teller } from './teller';
import { TIMES } from './times';
import type { Wish } from './wish';

/** So many webhooks may be made before they are stored. */
const MAXIMUM_UNWRITTEN = 100;
/** Far more triggers than one process has. */
const MAXIMUM_KEEPERS = 10_000;

/** What is being done for a trigger. */
interface Work {
	readonly occasion: Occasion;
	/** Never rejects. */
	readonly done: Promise<void>;
	abort: () => void;
}

/** Looks after one trigger in this process: what is wanted of it, and the one thing that is done for it. */
export class Keeper {
	readonly store: Store;
	readonly teller: Teller;
	/** Undefined while nothing is wanted. */
	wish: Wish | undefined;
	/** Why the node's parameters cannot be used: what was wanted before still is. */
	problem: Error | undefined;
	/** Whether n8n has published or unpublished the trigger in this process. */
	hasBegun = false;
	/** A publish that has failed, and when it began, in milliseconds of `performance.now()`. */
	failed: { what: string; error: Error; attempts: number; at: number } | undefined;
	work: Work | undefined;
	private hands: Hands | undefined;
	/** When the next check is due, in milliseconds since the epoch. */
	private dueAt = 0;
	/** Checks in a row that left something to do. */
	private tries = 0;
	/** In milliseconds of `performance.now()`. */
	private writtenAt = performance.now();

	constructor(private readonly identity: TriggerIdentity) {
		this.store = storeOf(identity);
		this.teller = new Teller(this.store, () => this.hands);
	}

	/** n8n lets the trigger act: from now on it goes on with what is left, and checks. */
	takeHands(hands: Hands): void {
		this.hands = hands;
		this.teller.tellPending();
		this.tick(Date.now());
	}

	/** n8n takes the trigger down, or ends. What is under way is stored. */
	async dropHands(hands: Hands): Promise<void> {
		if (this.hands !== hands) return;
		const { work, store } = this;
		if (work && work.occasion !== 'pause') {
			work.abort();
			await Promise.race([work.done, waitUnlessAborted(TIMES.takeOver)]);
		}
		// Others may have taken over meanwhile.
		if (this.hands !== hands) return;
		// Where the trigger is taken down, n8n saves what that has written.
		if (store.unwritten > 0 && this.wish) hands.store();
		this.hands = undefined;
	}

	/**
	 * What is wanted is brought about without n8n waiting. Who is stored as watched stays watched: only a publish that
	 * could be read and begun takes a company out.
	 * @param problem why the node's parameters or its account cannot be used
	 */
	goOn(wish: Wish, problem: Error | undefined): void {
		const { store } = this;
		store.status = 'published';
		this.wish = { ...wish, companies: union(wish.companies, [...store.companies]) };
		this.problem = problem;
		this.dueAt = 0;
		// Also a pause that is planned: what n8n has taken down to publish a change stays watched.
		this.work?.abort();
		this.beginCheck(Date.now());
	}

	/**
	 * How an attempt of n8n's ends that follows a failed one with the same parameters: alike, and at once, because
	 * n8n's time is for all of its attempts, and it would show words of its own in place of ours.
	 */
	failureOfAttempt(what: string, maximum: number): Error | undefined {
		const { failed } = this;
		this.failed = undefined;
		if (failed?.what !== what || failed.attempts >= maximum) return undefined;
		if (performance.now() - failed.at >= TIMES.attempts) return undefined;
		this.failed = { ...failed, attempts: failed.attempts + 1 };
		return failed.error;
	}

	/** A minute has passed. @param at milliseconds since the epoch */
	tick(at: number): void {
		const every = this.wish?.options.checkWebhooks ?? 'hour';
		if (this.work === undefined && isDue(this.dueAt, every, at)) this.beginCheck(at);
	}

	private beginCheck(at: number): void {
		const { wish, hands } = this;
		if (!wish || !hands) return;
		this.begin('check', async (signal) => await this.check(wish, hands, signal, at));
	}

	/**
	 * From now on this is done for the trigger. What is under way is told to stop, and once it has, this begins: two
	 * side by side would create every webhook twice.
	 */
	begin(occasion: Occasion, act: (signal: AbortSignal) => Promise<void>): Work {
		const before = this.work;
		before?.abort();
		const controller = new AbortController();
		const { signal } = controller;
		const run = async () => {
			await before?.done;
			try {
				if (!signal.aborted) await act(signal);
			} catch (reason) {
				if (!signal.aborted) this.teller.log(messageOf(reason));
			} finally {
				// In the same step as the end: nothing that is wanted later goes unseen.
				if (this.work === work) this.work = undefined;
				this.store.isAtWork = this.work !== undefined;
			}
		};
		const done = Promise.resolve().then(run);
		const work: Work = { occasion, done, abort: () => controller.abort() };
		this.work = work;
		this.store.isAtWork = true;
		return work;
	}

	/** @param isAnswered whether n8n has its answer, so that only the trigger itself stores what is made */
	newRound(
		occasion: Occasion,
		wish: Wish,
		registry: Registry,
		signal: AbortSignal,
		isAnswered: () => boolean = () => true,
	): Round {
		this.writtenAt = performance.now();
		const { store, teller } = this;
		if (occasion !== 'pause') store.adopt(wish);
		return new Round(occasion, store, wish, registry, signal, {
			beforeCreating: (isMany, standings) => {
				store.isOpen = true;
				if (occasion === 'check') teller.showGoingOn(standings, Date.now());
				// After a kill these companies are known to have webhooks that nobody can use.
				if (isMany) this.write();
			},
			through: () => {
				const every = isAnswered() ? TIMES.storeBehind : TIMES.storeBefore;
				const isDue = performance.now() - this.writtenAt >= every;
				if (isDue || store.unwritten >= MAXIMUM_UNWRITTEN) this.write();
			},
			isDisputed: (company) => teller.isDisputed(company),
		});
	}

	/**
	 * Tries until all is done that can be, with growing pauses.
	 * @param isEnough after a failure that may pass: whether another try is of no use
	 */
	async persevere(round: Round, isEnough = () => false): Promise<void> {
		const { standings, signal, occasion } = round;
		const isPatient = occasion === 'pause';
		const began = performance.now();
		let through = round.throughAt;
		for (let pause = TIMES.firstPause; ; pause *= 2) {
			await reconcile(round).catch((failure: unknown) => (standings.failure = failure));
			if (signal.aborted || standings.failure === undefined) return;
			if (!isWorthAnotherTry(standings.failure, isPatient) || isEnough()) return;
			if (round.throughAt !== through) pause = TIMES.firstPause;
			through = round.throughAt;
			// n8n's clock wakes the trigger after longer ones, but not one that is not published.
			if (pause > TIMES.longestPause && !isPatient) return;
			if (performance.now() - Math.max(began, through) >= TIMES.patience) return;
			if (this.store.unwritten > 0) this.write();
			await waitUnlessAborted(Math.min(pause, TIMES.longestPause), signal);
			if (signal.aborted) return;
		}
	}

	/** Stores what is known, if n8n lets the trigger do that now. */
	write(): void {
		this.writtenAt = performance.now();
		this.hands?.store();
	}

	/** When the trigger looks again, by how a round has ended. */
	schedule(standings: Standings, at: number): void {
		const { failure, wish } = standings;
		this.tries = failure === undefined ? 0 : this.tries + 1;
		const regular = nextCheck(this.identity.node, wish.options.checkWebhooks, at);
		this.dueAt = failure === undefined ? regular : Math.min(regular, nextTry(this.tries, at));
	}

	private async check(wish: Wish, hands: Hands, signal: AbortSignal, at: number): Promise<void> {
		const { store, teller, problem } = this;
		let standings = new Standings(wish, store);
		const registry =
			mustNotStore(hands.context) ??
			askAboutAddress(store, wish.url, undefined) ??
			(await openRegistry(hands.context).catch((reason: Error) => reason));
		if (registry instanceof Error) {
			standings.problem = registry;
			standings.failure = registry;
		} else {
			const round = this.newRound('check', wish, registry, signal);
			standings = round.standings;
			await this.persevere(round);
		}
		if (signal.aborted) return;
		standings.problem ??= problem;
		this.schedule(standings, at);
		teller.conclude(standings, { occasion: 'check', at });
	}
}

function isWorthAnotherTry(failure: unknown, isPatient: boolean): boolean {
	if (isPassing(failure) || failure instanceof NotProven) return true;
	if (!isPatient || failure instanceof GivenUp) return false;
	// Nobody is there to be told. A key that is not accepted is no better later on.
	return !(failure instanceof RegistryFailure && failure.status === 401);
}

const keepers = new Map<string, Keeper>();

/** Who looks after a trigger in this process. */
export function keeperOf(identity: TriggerIdentity): Keeper {
	const key = keyOf(identity);
	const keeper = keepers.get(key) ?? new Keeper(identity);
	keepers.delete(key);
	keepers.set(key, keeper);
	dropOldest(keepers, MAXIMUM_KEEPERS);
	return keeper;
}

/** The same, or undefined if nobody does. Constant work. */
export function findKeeper(identity: TriggerIdentity): Keeper | undefined {
	return keepers.get(keyOf(identity));
}

function keyOf(identity: TriggerIdentity): string {
	return `${nameOf(identity)}/${identity.kind}`;
}
