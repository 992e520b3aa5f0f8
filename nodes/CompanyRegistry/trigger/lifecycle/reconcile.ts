import { difference, shuffle, sortBy, xor } from 'lodash';

import { messageOf } from '../../registry/failure';
import { CONCURRENT_REQUESTS, type Registry } from '../../registry/registry';
import {
	createWebhook,
	listWebhooks,
	updateWebhook,
	type WebhookAnswer,
	type WebhookList,
} from '../../registry/webhooks';
import { concurrently } from '../../shared/async';
import { areForeign, isListed } from './account';
import type { DesiredState } from './desired';
import { newReference, withReference } from './identity';
import {
	gistOf,
	isGone,
	isOfOneCompany,
	isUnclear,
	mayPass,
	newNotes,
	othersIn,
	outcomeOf,
	Stopped,
	UnusableAnswer,
	type Notes,
	type Outcome,
} from './outcome';
import { documented, isOfAnother, makePlan, type Plan } from './plan';
import { TIMES } from './schedule';
import type { Subscription, TriggerMemory } from './state';

/** More new webhooks than this are stored as pending before they are created. */
const MAXIMUM_UNSTORED = 20;
/** A pass stores after so many changes. */
const CHANGES_PER_STORE = 300;
/** A pass stops after so many equal refusals, or lost answers, in a row. */
const MAXIMUM_REFUSED = 20;
const MAXIMUM_LOST = 3;
/** So many webhooks that the list lacks are asked about; the others only if one of them is gone. */
const FIRST_ABSENT = 20;
/** So many webhooks may be gone while the list shows none of ours. */
const MAXIMUM_GONE = 20;

export interface Pass {
	memory: TriggerMemory;
	desired: DesiredState;
	registry: Registry;
	/** `first`: nothing was published before, so the publish may ask. */
	occasion: 'first' | 'publish' | 'check' | 'unpublish';
	/** Aborted once something else is desired, or n8n ends. */
	signal: AbortSignal;
	/** Stores the memory. */
	persist: () => void;
}

interface Progress extends Pass {
	notes: Notes;
	list: WebhookList;
	/** Webhooks of another account or n8n, to be dropped once one of this account is created. */
	foreign: Subscription[];
	/** What the latest failures have in common, and how many they are. */
	inARow: { gist: string; count: number };
	storedAt: number;
}

/**
 * One pass: lists, plans, sends the difference, pauses what is not desired. Each answer is kept at once. A refusal
 * of one company does not stop the others.
 * @throws the signal's reason once it is aborted
 */
export async function reconcile(pass: Pass): Promise<Outcome> {
	const { memory, desired, signal } = pass;
	const notes = newNotes();
	const failure: unknown = await send(pass, notes).catch((reason: unknown) => reason);
	signal.throwIfAborted();
	return outcomeOf(memory, desired, notes, failure ?? notes.failure);
}

async function send(pass: Pass, notes: Notes): Promise<void> {
	const { memory, desired, registry, occasion, signal } = pass;
	const list = await listWebhooks(registry, signal);
	const isForeign = await areForeign(memory, desired, registry, list, signal);
	const foreign = isForeign ? memory.all : [];
	const known = isForeign ? [] : memory.all;
	if (!isForeign) adopt(pass);
	const now = performance.now();
	const isRecent = ({ wroteAt = -Infinity }: Subscription) => now - wroteAt < TIMES.listLag;
	const isPublish = occasion === 'first' || occasion === 'publish';
	const plan = makePlan(desired, known, list, isRecent, isPublish);
	const own = [...memory.all, ...plan.pause].map(({ id }) => id);
	notes.others = othersIn(list, desired.companySet, own);
	if (occasion === 'first' && desired.options.alreadyWatched === 'stop') {
		notes.alreadyWatched = plan.create.filter((company) => notes.others.has(company));
		if (notes.alreadyWatched.length > 0) return;
	}
	const inARow = { gist: '', count: 0 };
	const progress = { ...pass, notes, list, foreign, inARow, storedAt: now };
	const failure: unknown = await apply(progress, plan).catch((reason: unknown) => reason);
	signal.throwIfAborted();
	if (!mayPass(failure)) await pauseAll(progress, plan.pause);
	dropProven(progress, known);
	if (failure !== undefined) throw failure;
}

/** From now on `active` means: confirmed for the desired URL and events. */
function adopt({ memory, desired: { url, events }, registry, occasion }: Pass): void {
	const { facts } = memory;
	if (occasion === 'unpublish') return;
	const isSame = facts.url === url && xor(facts.events, events).length === 0;
	if (!isSame) for (const one of memory.active) one.status = 'unknown';
	if (!isSame || facts.account !== registry.account) {
		memory.note({ url, events, account: registry.account });
	}
}

/** Updates, replaces and creates. */
async function apply(progress: Progress, plan: Plan): Promise<void> {
	const { notes, memory, list } = progress;
	const isOurList = isListed(memory.all, list);
	const gone: Subscription[] = [];
	const noteGone = (one: Subscription) => {
		gone.push(one);
		if (gone.length <= MAXIMUM_GONE || isOurList) return;
		throw new Stopped(
			`The registry service does not know more than ${MAXIMUM_GONE} webhooks of this trigger, and its list shows none of them. It may be answering for another account, so no webhook was replaced. Check the credential`,
		);
	};
	const change = async (one: Subscription) =>
		await attempt(progress, one.company, async () => {
			await update(progress, one).catch((reason: unknown) => {
				if (list.webhooks.has(one.id) || !isGone(reason)) throw reason;
				noteGone(one);
			});
		});
	for (const { one, drift } of plan.update) {
		if (!drift) continue;
		notes.repaired.set(one.company, drift);
		// It does not deliver until the service has confirmed the repair.
		if (drift !== 'events') one.status = 'paused';
	}
	const all = plan.update.map(({ one }) => one);
	await concurrently(all, CONCURRENT_REQUESTS, async (one) => void (await change(one)));
	const absent = shuffle(plan.absent);
	const ask = async (some: Subscription[]) =>
		await concurrently(some, CONCURRENT_REQUESTS, async (one) => void (await change(one)));
	await ask(absent.slice(0, FIRST_ABSENT));
	if (gone.length > 0) await ask(absent.slice(FIRST_ABSENT));
	for (const one of gone) {
		memory.drop(one);
		if (plan.absent.includes(one)) notes.repaired.set(one.company, 'removed');
	}
	await createAll(progress, [...plan.create, ...gone.map(({ company }) => company)]);
}

async function createAll(progress: Progress, companies: string[]): Promise<void> {
	const { memory, list, persist } = progress;
	const pending = new Set(
		memory.all.filter(({ status }) => status === 'pending').map(({ company }) => company),
	);
	// Neighbors in a sorted list are often refused alike. A lost answer may be lost again.
	const queue = sortBy(shuffle(companies), (company) => pending.has(company));
	const ids = new Set([...memory.all.map(({ id }) => id), ...list.webhooks.keys()]);
	const reserve = (company: string): Subscription => {
		const one = {
			reference: newReference(),
			company,
			id: '',
			secret: '',
			status: 'pending',
		} as const;
		memory.keep({ ...one });
		return memory.subscriptions.get(one.reference) as Subscription;
	};
	const send = async (one: Subscription) =>
		await attempt(progress, one.company, async () => await create(progress, one, ids));
	// One by one until an answer can be used: each that cannot may leave a webhook behind.
	let sent = 0;
	while (sent < queue.length && !(await send(reserve(queue[sent++]))));
	const rest = queue.slice(sent).map(reserve);
	if (rest.length > MAXIMUM_UNSTORED) persist();
	const unsent = new Set(rest);
	await concurrently(rest, CONCURRENT_REQUESTS, async (one) => {
		progress.signal.throwIfAborted();
		unsent.delete(one);
		await send(one);
	}).finally(() => unsent.forEach((one) => memory.drop(one)));
}

/** Runs one request for a company. @returns whether it succeeded. @throws what stops the pass */
async function attempt(
	progress: Progress,
	company: string,
	request: () => Promise<void>,
): Promise<boolean> {
	const { signal, notes, memory } = progress;
	signal.throwIfAborted();
	const reason: unknown = await request().then(
		() => undefined,
		(failure: unknown) => failure,
	);
	if (reason === undefined) {
		progress.inARow = { gist: '', count: 0 };
		const isDue = performance.now() - progress.storedAt >= TIMES.store && memory.unsaved > 0;
		if (isDue || memory.unsaved >= CHANGES_PER_STORE) {
			progress.storedAt = performance.now();
			progress.persist();
		}
		return true;
	}
	const isLost = isUnclear(reason);
	if (!isLost && !isOfOneCompany(reason)) throw reason;
	if (isLost) notes.failure ??= reason;
	else notes.refused.set(company, reason);
	const gist = gistOf(reason);
	const count = progress.inARow.gist === gist ? progress.inARow.count + 1 : 1;
	progress.inARow = { gist, count };
	if (count < (isLost ? MAXIMUM_LOST : MAXIMUM_REFUSED)) return false;
	const words = isLost
		? 'Answers of the registry service are lost, so no more requests were sent'
		: `The registry service refused ${MAXIMUM_REFUSED} companies in a row for the same reason, so no more were sent`;
	throw isLost ? reason : new Stopped(words, { cause: reason });
}

/** @throws UnusableAnswer, or RegistryFailure; a pending subscription stays where a webhook may exist */
async function create(progress: Progress, one: Subscription, ids: Set<string>): Promise<void> {
	const { memory, registry, desired, signal } = progress;
	const url = withReference(desired.url, one.reference);
	const body = { url, company_number: one.company, events: desired.events };
	const answer = await createWebhook(registry, body, signal).catch((reason: unknown) => {
		if (!isUnclear(reason)) memory.drop(one);
		throw reason;
	});
	const { id, secret = '' } = answer;
	if (secret === '' || ids.has(id) || isOfAnother(one, answer)) {
		const what = ids.has(id)
			? 'a webhook that exists already'
			: 'a webhook without a signing secret';
		throw new UnusableAnswer(
			`The registry service answered the request for a new webhook with ${what}, so its deliveries cannot be verified. If another workflow or program watches this company, the service may allow one webhook for each company`,
			what,
		);
	}
	ids.add(id);
	takeOver(progress);
	memory.keep(Object.assign(one, { id, secret, status: 'unknown', wroteAt: performance.now() }));
	const isAsAsked = differenceIn(one, answer, true, desired.events) === '';
	await update(progress, one, isAsAsked ? answer : undefined);
}

/** The first webhook in another account or at another n8n ends the time of the previous ones. */
function takeOver(progress: Progress): void {
	const { memory, desired, registry, foreign, notes } = progress;
	const { url, events } = desired;
	const isOtherAccount = memory.facts.account !== registry.account;
	if (!isOtherAccount && memory.facts.url === url) return;
	// Those that deliver to another n8n serve that one.
	if (isOtherAccount) notes.leftActive = foreign.filter(({ status }) => status !== 'paused');
	for (const one of foreign.splice(0)) memory.drop(one);
	memory.note({ account: registry.account, url, events });
}

/**
 * Gives a webhook the desired URL and events, and makes it active.
 * @param answer that says so already
 */
async function update(
	{ memory, registry, desired, signal }: Progress,
	one: Subscription,
	answer?: Partial<WebhookAnswer>,
): Promise<void> {
	const { url, events } = desired;
	const body = { url: withReference(url, one.reference), events, is_active: true };
	const shown = answer ?? (await change(registry, one, body, signal));
	const difference = differenceIn(one, shown, true, events);
	if (difference !== '') {
		throw new UnusableAnswer(
			`The registry service shows webhook ${one.id} ${difference}. Ask the support of the service`,
			difference,
		);
	}
	Object.assign(one, { status: 'active', wroteAt: performance.now() });
	memory.unsaved++;
}

/** Until it is answered, the webhook may be as before or as asked. A definite refusal leaves it as before. */
async function change(
	registry: Registry,
	one: Subscription,
	body: Parameters<typeof updateWebhook>[2],
	signal: AbortSignal,
): Promise<Partial<WebhookAnswer>> {
	const before = one.status;
	one.status = 'unknown';
	return await updateWebhook(registry, one.id, body, signal).catch((reason: unknown) => {
		if (!isUnclear(reason)) one.status = before;
		throw reason;
	});
}

/** In words; empty where the answer shows nothing but what was asked for. */
function differenceIn(
	one: Subscription,
	answer: Partial<WebhookAnswer>,
	isDesired: boolean,
	events: string[],
): string {
	if (isOfAnother(one, answer)) return `as one of company ${answer.company_number}`;
	if (answer.is_active === !isDesired) return isDesired ? 'as not active' : 'as active';
	const missing = answer.events && difference(documented(events), answer.events);
	return isDesired && missing && missing.length > 0 ? `without ${missing.join(' and ')}` : '';
}

/** One that cannot be paused does not stop the others. */
async function pauseAll(progress: Progress, unwanted: Subscription[]): Promise<void> {
	const { memory, registry, notes, signal } = progress;
	let why: unknown;
	const left = new Set(unwanted);
	const pause = async (one: Subscription) => {
		const answer = await change(registry, one, { is_active: false }, signal);
		const difference = differenceIn(one, answer, false, []);
		if (difference !== '')
			throw new UnusableAnswer(`The registry service shows it ${difference}`, '');
		Object.assign(one, { status: 'paused', wroteAt: performance.now() });
		memory.unsaved++;
	};
	let failures = 0;
	await concurrently(unwanted, CONCURRENT_REQUESTS, async (one) => {
		signal.throwIfAborted();
		if (failures >= CONCURRENT_REQUESTS) return;
		const reason: unknown = await pause(one).then(
			() => undefined,
			(failure: unknown) => failure,
		);
		if (reason === undefined || isGone(reason)) {
			left.delete(one);
			// A lost webhook that was found has no secret to resume it with.
			if (isGone(reason) || one.secret === '') memory.drop(one);
			return;
		}
		failures++;
		why = reason;
		if (mayPass(reason)) notes.failure ??= reason;
	});
	if (left.size > 0) notes.unpaused = { subscriptions: [...left], why: messageOf(why) };
}

/** A whole list that shows no other webhook of a watched company proves that its lost request created none. */
function dropProven({ memory, list, notes }: Progress, known: Subscription[]): void {
	if (list.hasMore) return;
	const watched = new Set(memory.active.map(({ company }) => company));
	for (const one of known) {
		const isProven = one.status === 'pending' && watched.has(one.company);
		if (isProven && !notes.others.has(one.company)) memory.drop(one);
	}
}
