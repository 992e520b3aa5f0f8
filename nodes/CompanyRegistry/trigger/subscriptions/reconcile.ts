import { map, shuffle, sortBy } from 'lodash';

import { messageOf } from '../../registry/failure';
import { CONCURRENT_REQUESTS } from '../../registry/registry';
import { listWebhooks } from '../../registry/webhooks';
import { concurrently } from '../../shared/async';
import { addressOf } from '../identity/destination';
import { isListedIn, registryOf, settleAccount } from './account';
import { findOthers, makePlan, type Drift, type Listed, type Plan, type Update } from './plan';
import type { Round } from './round';
import { createSubscription, pauseSubscription, updateSubscription } from './send';
import { isGone, isPassing } from './standings';
import { mayBeActive, type Subscription, type SubscriptionSet } from '../memory/subscription';
import { TIMES } from './times';

/** So many companies that are watched already may be watched once more without asking. */
const FEW = 20;
/** So many webhooks an interrupted publish may have made that are in no store. */
const LOST_BY_A_KILL = 100;
/** So many webhooks are replaced although nothing proves that the list is the account's. */
const REPLACED_UNPROVEN = 3;

/** Why no more of them are. */
const UNPROVEN = `The registry service does not know more than ${REPLACED_UNPROVEN} webhooks of this trigger, and its list shows none of them, so it may be answering for another account. ${REPLACED_UNPROVEN} were made anew; the others follow once the list shows those`;

/** A webhook that the service does not know may be replaced once the list shows that it is the account's. */
export class NotProven extends Error {}

/**
 * Moves the account to what is wanted: lists, plans, sends the difference, pauses what is unwanted. Each answer is
 * kept at once. A refusal that concerns one company does not stop the others; any other failure does.
 * @throws RegistryFailure, GivenUp, NotProven, or Error where the service's answer is none
 */
export async function reconcile(round: Round): Promise<void> {
	const { store, wish, registry, signal, occasion, standings } = round;
	signal.throwIfAborted();
	standings.begin();
	const list = await listWebhooks(registry, signal);
	if (occasion !== 'pause') await settleAccount(round, list);
	const now = performance.now();
	const isRecent = ({ wroteAt = -Infinity }: Subscription) => now - wroteAt < TIMES.listLag;
	const plan = makePlan(wish, store.known, list, isRecent);
	noteOthers(round, plan, list);
	const failure: unknown = await send(round, plan, list).catch((reason: unknown) => reason);
	signal.throwIfAborted();
	// What stands in the way of new webhooks need not stand in that of pausing, unless the service is away.
	if (!isPassing(failure)) await pauseUnwanted(round, plan, list);
	if (failure ?? standings.failure) throw failure ?? standings.failure;
}

/** Notes which companies others watch. Where they are many, nothing is made for them without asking. */
function noteOthers({ occasion, store, wish, standings }: Round, plan: Plan, list: Listed): void {
	if (occasion === 'test' || occasion === 'pause') return;
	standings.others = findOthers(wish.companies, store.all, list);
	const doubled = plan.create.filter((company) => standings.others.has(company));
	// What an interrupted publish has made and not stored delivers to this trigger, and nobody can use it.
	const few = store.wasInterrupted ? FEW + LOST_BY_A_KILL : FEW;
	if (store.wasInterrupted) standings.madeAgain = new Set([...standings.madeAgain, ...doubled]);
	if (doubled.length <= few || wish.options.alreadyWatched !== 'ask') return;
	for (const company of doubled) standings.note(company, 'doubled');
	standings.madeAgain = new Set();
}

async function send(round: Round, plan: Plan, list: Listed): Promise<void> {
	const { store, standings, signal } = round;
	const isProven = store.current !== undefined && isListedIn(store.current, list);
	const replaced = new Set<string>();
	let creates = plan.create.filter(
		(company) => !standings.isSettled(company) && !isSpent(round, company),
	);
	const updates = plan.update.filter(({ one, drift }) => {
		if (drift && drift !== 'removed' && round.observer.isDisputed(one.company)) {
			standings.note(one.company, 'disputed');
		}
		return !standings.isSettled(one.company);
	});
	if (creates.length > 0) round.observer.beforeCreating(creates.length > FEW, standings);
	let sent = 0;
	const notAsked = () => updates.length + creates.length - sent;
	/** Work that ends with false has not been let through. */
	const attempt = async (company: string, work: () => Promise<boolean>) => {
		signal.throwIfAborted();
		sent++;
		await work().then(
			(isThrough) => {
				if (!isThrough) return;
				standings.noteAccepted();
				round.noteThrough();
			},
			(reason: unknown) => {
				standings.noteFailure(company, reason, notAsked);
				// Another try may succeed, once the others have had theirs.
				if (isPassing(reason)) standings.failure ??= reason;
			},
		);
	};
	const updateOne = async ({ one, drift }: Update) => {
		await attempt(one.company, async () => {
			const isReplaced = await updateSubscription(round, one).then(
				() => false,
				(reason: unknown) => {
					if (list.webhooks.has(one.id) || !isGone(reason)) throw reason;
					return true;
				},
			);
			if (!isReplaced) {
				if (drift && drift !== 'removed') noteMended(round, one.company, drift);
				// An answer to a mere question is no progress.
				return drift !== 'removed';
			}
			if (isSpent(round, one.company)) return false;
			if (round.observer.isDisputed(one.company)) standings.note(one.company, 'disputed');
			else if (isProven || round.replaced++ < REPLACED_UNPROVEN) {
				creates.push(one.company);
				if (drift) replaced.add(one.company);
			} else standings.failure ??= new NotProven(UNPROVEN);
			return false;
		});
	};
	await concurrently(updates, CONCURRENT_REQUESTS, updateOne);

	// Where an answer was none, that to another company's webhook would be none, too.
	const unusable = [...store.spent.values()].find((reason) => !isPassing(reason));
	if (unusable !== undefined && creates.length > 0) throw unusable;

	// Neighbours in a sorted list are often refused alike, which must not look as if all were. An answer that was
	// lost may be lost again.
	creates = sortBy(shuffle(creates), (company) => standings.isLost(company));
	const ids = new Set([...map(store.all, 'id'), ...list.webhooks.keys()]);
	const createOne = async (company: string) =>
		await attempt(company, async () => {
			await createSubscription(round, company, ids);
			if (replaced.has(company)) noteMended(round, company, 'removed');
			return true;
		});
	// One by one until an answer could be used: each that cannot be leaves a webhook behind.
	let first = 0;
	for (let isUsable = false; !isUsable && first < creates.length; first++) {
		const before = round.throughAt;
		await createOne(creates[first]);
		isUsable = round.throughAt !== before;
	}
	await concurrently(creates.slice(first), CONCURRENT_REQUESTS, createOne);
}

/** Whether another new webhook would only be one more that cannot be used. */
function isSpent({ store, standings }: Round, company: string): boolean {
	const reason = store.spent.get(company);
	// One whose answer was lost was not made, unless the list shows it.
	if (!isPassing(reason) || !standings.others.has(company)) return false;
	standings.note(company, 'lost', reason);
	return true;
}

function noteMended({ standings }: Round, company: string, drift: Drift): void {
	standings.mended.push({ company, drift, isAgain: false });
}

/** What is not wanted any more, of all sets. One that cannot be paused does not stop the others. */
async function pauseUnwanted(round: Round, plan: Plan, list: Listed): Promise<void> {
	const { store, occasion } = round;
	const [current, ...former] = store.sets;
	if (current) await pauseEach(round, current, plan.pause, list);
	for (const set of former) {
		const active = [...set.subscriptions.values()].filter(mayBeActive);
		const unwanted = occasion === 'pause' ? active : store.supersededIn(set);
		await pauseEach(round, set, unwanted, list);
	}
}

async function pauseEach(
	round: Round,
	set: SubscriptionSet,
	unwanted: Subscription[],
	list: Listed,
): Promise<void> {
	const { store, registry, wish, signal, standings, occasion } = round;
	if (unwanted.length === 0) return;
	const here = addressOf(wish.url);
	const client = registryOf(set, registry, list);
	const isCurrent = set === store.current;
	if (set.address !== here || client === undefined) {
		// A former set of another address serves another n8n; of another account, nothing new can be said by a check.
		if (!isCurrent && (set.address !== here || occasion === 'check')) return;
		const why =
			set.address === here
				? `They belong to another account than the node's credential at ${registry.baseUrl}`
				: `They deliver to ${set.address}, and this n8n's address is ${here}. If n8n has moved, publish here: that asks about the address. Unpublish once it is published`;
		standings.unpaused = { subscriptions: unwanted, why };
		return;
	}
	const left: Subscription[] = [];
	let failure: unknown;
	let inARow = 0;
	await concurrently(unwanted, CONCURRENT_REQUESTS, async (one) => {
		signal.throwIfAborted();
		if (inARow >= CONCURRENT_REQUESTS) return void left.push(one);
		await pauseSubscription(client, store, set, one, signal).then(
			() => {
				inARow = 0;
				round.noteThrough();
			},
			(reason: unknown) => {
				inARow++;
				left.push(one);
				failure = reason;
			},
		);
	});
	if (left.length === 0) return;
	signal.throwIfAborted();
	standings.unpaused = { subscriptions: left, why: messageOf(failure) };
	if (isPassing(failure) || occasion === 'pause') standings.failure ??= failure;
}
