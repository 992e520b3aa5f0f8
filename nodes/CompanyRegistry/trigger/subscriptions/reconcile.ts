import { randomBytes } from 'crypto';

import { groupBy, map, partition, shuffle, sortBy } from 'lodash';

import { messageOf, RegistryFailure } from '../../registry/failure';
import { CONCURRENT_REQUESTS } from '../../registry/registry';
import {
	createWebhook,
	listWebhooks,
	updateWebhook,
	type WebhookAnswer,
} from '../../registry/webhooks';
import { concurrently } from '../../shared/async';
import { comparableNumber } from '../../shared/companyNumber';
import { addressOf, withReference } from '../identity/destination';
import { isActive, mayBeActive, type Subscription } from '../memory/state';
import { isListedIn, isProven, settleAccount } from './account';
import { documented, isOfAnother, makePlan, type Listed, type Plan } from './plan';
import type { Round } from './round';
import { isGone, isPassing, UnusableAnswer } from './standings';
import { TIMES } from './times';

/** So many companies that are watched already may be watched once more without asking. */
const FEW = 20;
/** So many webhooks an interrupted publish may have made that are in no store. */
const LOST_BY_A_KILL = 100;
/** So many webhooks are replaced although nothing proves that the list is the account's. */
const REPLACED_UNPROVEN = 3;

/** Why no more of them are. */
const UNPROVEN = `The registry service does not know more than ${REPLACED_UNPROVEN} webhooks of this trigger, and its list shows none of them, so it may be answering for another account. ${REPLACED_UNPROVEN} were made anew; the others follow once the list shows those, or ${REPLACED_UNPROVEN} with each check`;

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

/**
 * Notes which companies have an active webhook whose secret this trigger does not have. Where they are many, nothing
 * is made for them without asking.
 */
function noteOthers(round: Round, plan: Plan, list: Listed): void {
	const { occasion, store, wish, standings } = round;
	if (occasion === 'test' || occasion === 'pause') return;
	const own = new Set(round.keeper.ids);
	const active = [...list.webhooks.values()].filter(
		({ id, is_active }) => is_active && !own.has(id),
	);
	const byCompany = groupBy(active, ({ company_number }) => comparableNumber(company_number));
	const others = new Map(
		wish.companies.flatMap((company) =>
			byCompany[company] ? [[company, map(byCompany[company], 'id')]] : [],
		),
	);
	standings.others = others;
	// Made again after an answer was lost: by now the list shows whether the first one was made, too.
	const confirmed = store.confirmed();
	for (const company of [...store.spent.keys()].filter((one) => confirmed.has(one))) {
		store.spent.delete(company);
		if (others.has(company)) store.madeAgain.add(company);
	}
	const doubled = plan.create.filter((company) => others.has(company));
	// What an interrupted publish has made and not stored delivers to this trigger, and nobody can use it.
	const few = store.wasInterrupted ? FEW + LOST_BY_A_KILL : FEW;
	const isAsked = doubled.length > few && wish.options.alreadyWatched === 'ask';
	for (const company of doubled) {
		if (isAsked) standings.note(company, 'doubled');
		else if (store.wasInterrupted) store.madeAgain.add(company);
	}
}

async function send(round: Round, plan: Plan, list: Listed): Promise<void> {
	const { store, standings } = round;
	const updates = plan.update.filter(({ one, drift }) => {
		const { company } = one;
		if (drift && round.keeper.teller.isDisputed(company)) standings.note(company, 'disputed');
		else if (drift && drift !== 'removed') {
			store.drifts.set(company, drift);
			one.status = 'active';
		}
		return !standings.isSettled(company);
	});
	const isOurList = store.current !== undefined && isListedIn(store.current, list);
	/** Companies whose webhook the service does not know. */
	const gone = new Set<string>();
	await concurrently(updates, CONCURRENT_REQUESTS, async ({ one, drift }) => {
		const wasActive = isActive(one);
		const work = async () =>
			await change(round, one, true).then(
				// An answer to a mere question is no progress.
				() => drift !== 'removed',
				(reason: unknown) => {
					if (list.webhooks.has(one.id) || !isGone(reason)) throw reason;
					if (wasActive) store.drifts.set(one.company, 'removed');
					if (isOurList || round.replaced++ < REPLACED_UNPROVEN) gone.add(one.company);
					else standings.failure ??= new NotProven(UNPROVEN);
					return false;
				},
			);
		await attempt(round, one.company, work);
	});

	const isLost = (company: string) =>
		standings.others.has(company) && isPassing(store.spent.get(company));
	const missing = [...plan.create, ...gone].filter((one) => !standings.isSettled(one));
	const [lost, creates] = partition(missing, isLost);
	// Its answer was lost, and the list shows that it was made: another one would be one more.
	for (const company of lost) standings.note(company, 'lost', store.spent.get(company));
	if (creates.length === 0) return;
	// Where an answer was none, that to another company's webhook would be none, too.
	const unusable = [...store.spent.values()].find((reason) => !isPassing(reason));
	if (unusable !== undefined) throw unusable;
	const ids = new Set([...round.keeper.ids, ...list.webhooks.keys()]);
	const create = async (company: string) => {
		const work = async () => await createSubscription(round, company, ids).then(() => true);
		return await attempt(round, company, work);
	};
	// Neighbours in a sorted list are often refused alike, which must not look as if all were. An answer that was
	// lost may be lost again.
	const queue = sortBy(shuffle(creates), (company) => standings.isLost(company));
	// One by one until an answer could be used: each that cannot be leaves a webhook behind.
	let asked = 0;
	let isUsable = false;
	while (asked < queue.length && !isUsable) isUsable = await create(queue[asked++]);
	if (isUsable && plan.create.length > 0) round.noteCreating(queue.length > FEW);
	await concurrently(queue.slice(asked), CONCURRENT_REQUESTS, async (company) => {
		await create(company);
	});
}

/**
 * Notes how one request for a company ends.
 * @param work returns whether it has changed something at the service
 */
async function attempt(
	round: Round,
	company: string,
	work: () => Promise<boolean>,
): Promise<boolean> {
	const { standings, signal } = round;
	signal.throwIfAborted();
	const isThrough = await work().catch((reason: unknown) => {
		standings.noteFailure(company, reason, () => standings.in('left').length);
		// Another try may succeed, once the others have had theirs.
		if (isPassing(reason)) standings.failure ??= reason;
		return false;
	});
	if (!isThrough) return false;
	standings.noteAccepted();
	round.noteThrough();
	return true;
}

/**
 * Creates a company's webhook and keeps it at once.
 * @param ids webhooks that exist already
 * @throws RegistryFailure, UnusableAnswer, or Error where the answer is none to a new webhook
 */
async function createSubscription(round: Round, company: string, ids: Set<string>): Promise<void> {
	const { store, registry, wish, signal } = round;
	const reference = randomBytes(16).toString('base64url');
	const url = withReference(wish.url, reference);
	const webhook = { url, company_number: company, events: wish.events };
	store.creating.add(reference);
	const answer = await createWebhook(registry, webhook, signal)
		.catch((reason: unknown) => {
			if (isUnclear(reason)) store.spent.set(company, reason);
			throw reason;
		})
		.finally(() => store.creating.delete(reference));
	const { id, secret = '', company_number: number } = answer;
	const wroteAt = performance.now();
	const one: Subscription = { reference, company, id, secret, status: 'unknown', wroteAt };
	const isOurs = secret !== '' && !ids.has(id);
	ids.add(id);
	// With another company's number, too: its secret is shown only now.
	if (isOurs) store.keep(one);
	if (!isOurs || isOfAnother(one, answer)) {
		const oddity = isOurs ? ` for company ${number}` : ', which exists already';
		const unsigned = ' and no signing secret, so nothing that it delivers could be verified';
		const reason = new Error(
			`The registry service answered the request for a new webhook for company ${company} with webhook ${id}${secret ? oddity : unsigned}. It is left as it is. If another workflow or program watches this company, the service may allow one webhook for each company`,
		);
		store.spent.set(company, reason);
		throw reason;
	}
	await change(round, one, true, answer);
}

/**
 * Gives a webhook all that is wanted of it, or pauses it. Where the service shows something else, it is asked once more.
 * @param created what the service has shown of a new one, in place of the first answer
 * @throws RegistryFailure, or UnusableAnswer where the service goes on showing something else
 */
async function change(
	{ store, registry, wish, signal }: Pick<Round, 'store' | 'registry' | 'wish' | 'signal'>,
	one: Subscription,
	isWanted: boolean,
	created?: WebhookAnswer,
): Promise<void> {
	const { url, events } = wish;
	const wanted = { url: withReference(url, one.reference), events, is_active: true };
	// A paused one that is refused may have been resumed by an attempt whose answer was lost.
	let before = isActive(one) ? one.status : 'unknown';
	// Until it is answered, it may be as before or as asked.
	one.status = isActive(one) && isWanted ? 'active' : 'unknown';
	const ask = async () =>
		await updateWebhook(registry, one.id, isWanted ? wanted : { is_active: false }, signal).catch(
			(reason: unknown) => {
				if (isGone(reason) && !isWanted) return {};
				if (isGone(reason)) one.status = 'unknown';
				else if (!isUnclear(reason)) one.status = before;
				throw reason;
			},
		);
	const answer = created ?? (await ask());
	let difference = differenceIn(one, answer, isWanted, events);
	if (difference !== '') one.status = before = 'unknown';
	// What is another company's is not written to again.
	if (difference !== '' && !isOfAnother(one, answer)) {
		difference = differenceIn(one, await ask(), isWanted, events);
	}
	if (difference !== '') {
		// Those that could not be paused are named together.
		const what = isWanted ? `webhook ${one.id}` : 'them';
		const words = `The registry service shows ${what} ${difference}. Ask the service's support`;
		throw new UnusableAnswer(words, difference);
	}
	one.status = isWanted ? 'watched' : 'paused';
	one.wroteAt = performance.now();
	// Where the service has confirmed a move, the set has moved.
	if (isWanted && store.current) store.current.address = addressOf(url);
}

/** In words; empty where the answer shows nothing else than what was asked. */
function differenceIn(
	one: Subscription,
	answer: Partial<WebhookAnswer>,
	isWanted: boolean,
	events: string[],
): string {
	if (isOfAnother(one, answer)) return `as one for company ${answer.company_number}`;
	if (answer.is_active === !isWanted) return isWanted ? 'as not active' : 'as active';
	const missing = documented(events).filter((name) => answer.events?.includes(name) === false);
	return isWanted && missing.length > 0 ? `without ${missing.join(' and ')}` : '';
}

/** Whether a request may have been carried out. */
function isUnclear(reason: unknown): boolean {
	return reason instanceof RegistryFailure && reason.kind === 'unclear';
}

/** What is not wanted any more, of all sets. One that cannot be paused does not stop the others. */
async function pauseUnwanted(round: Round, plan: Plan, list: Listed): Promise<void> {
	const { store, registry, wish, signal, standings, occasion } = round;
	const wanted = new Set(wish.companies);
	const here = addressOf(wish.url);
	for (const set of store.sets) {
		const isCurrent = set === store.current;
		const unwanted = isCurrent ? plan.pause : store.supersededIn(set, wanted);
		const isHere = set.address === here;
		const client = isProven(set, registry.account, list) ? registry : set.registry;
		let failure: unknown;
		if (!isHere || client === undefined) {
			const isNews = occasion !== 'check' || set === round.before;
			// A former set of another address serves another n8n; of another account, a check says so once.
			if (!isCurrent && (!isHere || !isNews)) continue;
			failure = isHere
				? `They belong to another account than the node's credential at ${registry.baseUrl}`
				: `They deliver to ${set.address}, and this n8n's address is ${here}. If n8n has moved, publish here: that asks about the address. Unpublish once it is published`;
		} else {
			let inARow = 0;
			await concurrently(unwanted, CONCURRENT_REQUESTS, async (one) => {
				signal.throwIfAborted();
				if (inARow >= CONCURRENT_REQUESTS) return;
				const pausing = change({ store, wish, signal, registry: client }, one, false);
				const reason = await pausing.catch((reason: unknown) => reason);
				inARow = reason === undefined ? 0 : inARow + 1;
				failure = reason ?? failure;
				if (reason === undefined) round.noteThrough();
			});
			signal.throwIfAborted();
			if (isPassing(failure) || occasion === 'pause') standings.failure ??= failure;
		}
		const subscriptions = unwanted.filter(mayBeActive);
		if (subscriptions.length > 0) standings.unpaused = { subscriptions, why: messageOf(failure) };
	}
}
