import { map, union } from 'lodash';
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';

import { messageOf } from '../../registry/failure';
import { openRegistry, type Registry } from '../../registry/registry';
import { waitUnlessAborted } from '../../shared/async';
import { checkDestination, checkHttps } from '../identity/destination';
import type { TriggerIdentity } from '../identity/identity';
import { findStore, storeOf, type Store } from '../memory/store';
import { askAboutAddress } from './account';
import { Hands, mustNotStore } from './hands';
import { Round, type Occasion } from './round';
import { isDue, nextCheck, nextTry } from './schedule';
import { Standings } from './standings';
import { Teller } from './teller';
import { TIMES } from './times';
import type { Wish } from './wish';

/** What is being done for a trigger. */
interface Work {
	readonly occasion: Occasion;
	/** Never rejects. */
	readonly done: Promise<void>;
	abort: () => void;
}

/** Looks after one trigger in this process: what is wanted of it, and the one thing that is done for it. */
export class Keeper {
	readonly hands: Hands;
	readonly teller: Teller;
	/** Undefined while nothing is wanted. */
	wish: Wish | undefined;
	/** Why the node's parameters cannot be used: what was wanted before still is. */
	problem: Error | undefined;
	/** Whether n8n has published or unpublished the trigger in this process. */
	hasBegun = false;
	/** A publish that has failed, and when it began, in milliseconds of `performance.now()`. */
	failed: { what: string; error: Error; attempts: number; began: number } | undefined;
	work: Work | undefined;
	/** When the next check is due, in milliseconds since the epoch. */
	private dueAt = 0;
	/** Checks in a row that left something to do. */
	private tries = 0;

	constructor(
		private readonly identity: TriggerIdentity,
		readonly store: Store,
	) {
		this.hands = new Hands(identity, store);
		this.teller = new Teller(store, this.hands);
	}

	/** Ids of all webhooks of the trigger, those of its tests too. */
	get ids(): string[] {
		const tests = findStore({ ...this.identity, kind: 'test' });
		return map([...this.store.all, ...(tests?.all ?? [])], 'id');
	}

	/** n8n lets the trigger act: from now on it goes on with what is left, and checks. */
	takeHands(context: ITriggerFunctions): void {
		this.hands.context = context;
		this.tick(Date.now());
	}

	/** n8n takes the trigger down, or ends. What is under way is stored. */
	async dropHands(context: ITriggerFunctions): Promise<void> {
		const { work, store, hands } = this;
		if (hands.context !== context) return;
		if (work && work.occasion !== 'pause') {
			work.abort();
			await Promise.race([work.done, waitUnlessAborted(TIMES.takeOver)]);
		}
		// Others may have taken over meanwhile.
		if (hands.context !== context) return;
		// Where the trigger is taken down, n8n saves what that has written, and the next publish tells.
		if (this.wish) {
			store.close(store.creating.size > 0);
			this.teller.tellMended(new Standings(this.wish, store), Date.now());
			if (store.unwritten > 0) hands.store();
		}
		hands.context = undefined;
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

	/** A minute has passed. @param at milliseconds since the epoch */
	tick(at: number): void {
		const every = this.wish?.options.checkWebhooks ?? 'hour';
		if (this.work === undefined && isDue(this.dueAt, every, at)) this.beginCheck(at);
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
				if (!signal.aborted) this.hands.log(messageOf(reason));
			} finally {
				// In the same step as the end: nothing that is wanted later goes unseen.
				if (this.work === work) this.work = undefined;
			}
		};
		const done = Promise.resolve().then(run);
		const work: Work = { occasion, done, abort: () => controller.abort() };
		this.work = work;
		return work;
	}

	/**
	 * The account that the node's credential opens, read anew.
	 * @param isPublish whether a person publishes, and not n8n starts or the clock has come round
	 * @throws why it cannot be used, or must not be
	 */
	async openAccount(
		context: IHookFunctions | ITriggerFunctions,
		{ url, options }: Wish,
		isPublish: boolean,
	): Promise<Registry> {
		const problem = mustNotStore(context);
		if (problem) throw problem;
		checkHttps(context.getNode(), url);
		const registry = await openRegistry(context);
		checkDestination(context.getNode(), url, registry.baseUrl);
		const question = askAboutAddress(this.store, url, options.addressChanged, isPublish);
		if (question) throw question;
		return registry;
	}

	/** When the trigger looks again, by how a round has ended. */
	schedule({ failure, wish }: Standings, at: number): void {
		this.tries = failure === undefined ? 0 : this.tries + 1;
		const regular = nextCheck(this.identity.node, wish.options.checkWebhooks, at);
		this.dueAt = failure === undefined ? regular : Math.min(regular, nextTry(this.tries, at));
	}

	private beginCheck(at: number): void {
		const { wish, teller } = this;
		const { context } = this.hands;
		if (!wish || !context) return;
		this.begin('check', async (signal) => {
			let standings = new Standings(wish, this.store);
			try {
				const registry = await this.openAccount(context, wish, false);
				const round = new Round('check', this, wish, registry, signal);
				({ standings } = round);
				await round.persevere();
				standings.problem = this.problem;
			} catch (reason) {
				standings.problem = standings.failure = reason as Error;
			}
			if (signal.aborted) return;
			this.schedule(standings, at);
			teller.conclude(standings, at);
		});
	}
}

const keepers = new WeakMap<Store, Keeper>();

/** Who looks after a trigger in this process. */
export function keeperOf(identity: TriggerIdentity): Keeper {
	const store = storeOf(identity);
	const keeper = keepers.get(store) ?? new Keeper(identity, store);
	keepers.set(store, keeper);
	return keeper;
}
