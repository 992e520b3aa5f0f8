import { difference, map, shuffle, sortBy } from 'lodash';

import { isGone, isOfOneCompany, isUnclear, messageOf } from '../../registry/failure';
import { CONCURRENT_REQUESTS, type Registry } from '../../registry/registry';
import {
	createWebhook,
	listWebhooks,
	updateWebhook,
	type WebhookAnswer,
	type WebhookChanges,
	type WebhookList,
} from '../../registry/webhooks';
import { concurrently, rejectionOf } from '../../shared/async';
import { comparableNumber } from '../../shared/companyNumber';
import { isListed, settleAccount } from './account';
import type { DesiredState } from './desired';
import { newReference, withReference } from './identity';
import {
	reasonKey,
	isTemporary,
	emptyResults,
	othersIn,
	outcomeOf,
	Stopped,
	UnusableAnswer,
	type PassResults,
	type Outcome,
} from './outcome';
import { documented, isOfAnother, makePlan, type Plan } from './plan';
import { TIMES } from './schedule';
import type { Subscription, TriggerMemory } from './state';

/** Above this number, the remaining creates are stored as pending before they are sent. */
const PERSIST_PENDING_ABOVE = 20;
/** A pass stores after so many successful requests. */
const CHANGES_PER_STORE = 300;
/** A pass stops after so many equal refusals, or lost answers, in a row. */
const MAXIMUM_REFUSED = 20;
const MAXIMUM_LOST = 3;
/** So many webhooks that the list lacks are checked; the others only if one of them is gone. */
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
	results: PassResults;
	list: WebhookList;
	/** Webhooks of another account or n8n, to be dropped once one is created here. */
	foreign: Subscription[];
	/** Webhooks that the service does not know, by company: to be dropped once another is created. */
	gone: Map<string, Subscription>;
	/** The latest failures in a row: the reason that they share, and their number. */
	failures: { key: string; count: number };
	/** When the pass last stored, in milliseconds of `performance.now()`, and its changes since then. */
	lastStore: { at: number; changes: number };
}

/**
 * One pass: lists, plans, sends the difference, pauses what is not desired. Each answer is kept at once. A refusal
 * of one company does not stop the others.
 * @throws the signal's reason once it is aborted
 */
export async function reconcile(pass: Pass): Promise<Outcome> {
	const results = emptyResults();
	const failure = await rejectionOf(listAndSend(pass, results));
	pass.signal.throwIfAborted();
	return outcomeOf(pass.memory, pass.desired, failure ?? results.failure, results);
}

async function listAndSend(pass: Pass, results: PassResults): Promise<void> {
	const { memory, desired, registry, occasion, signal } = pass;
	const list = await listWebhooks(registry, signal);
	const isForeign = await settleAccount(memory, desired, registry, list, signal);
	const isUnpublish = occasion === 'unpublish';
	if (isForeign && isUnpublish) throw new Error('they belong to another account');
	if (!isForeign && !isUnpublish) adopt(pass);
	const now = performance.now();
	const isRecent = ({ wroteAt = -Infinity }: Subscription) => now - wroteAt < TIMES.listLag;
	if (!isForeign) dropDisproved(memory, list, isRecent);
	const isPublish = occasion === 'first' || occasion === 'publish';
	const [foreign, known] = isForeign ? [memory.all, []] : [[], memory.all];
	const plan = makePlan(desired, known, list, isRecent, isPublish);
	results.others = othersIn(list, desired.companySet, map([...memory.all, ...plan.pause], 'id'));
	if (occasion === 'first' && desired.options.alreadyWatched === 'stop') {
		const notLost = difference(plan.create, map(memory.pending, 'company'));
		results.alreadyWatched = notLost.filter((company) => results.others.has(company));
		if (results.alreadyWatched.length > 0) return;
	}
	const gone = new Map<string, Subscription>();
	const failures = { key: '', count: 0 };
	const lastStore = { at: now, changes: 0 };
	const progress = { ...pass, results, list, foreign, gone, failures, lastStore };
	const failure = await rejectionOf(sendPlan(progress, plan));
	signal.throwIfAborted();
	if (!isTemporary(failure)) await pauseWebhooks(progress, plan.pause);
	if (failure !== undefined) throw failure;
}

/** A whole list without another active webhook of the company proves that no lost one delivers. */
function dropDisproved(
	memory: TriggerMemory,
	list: WebhookList,
	isRecent: (one: Subscription) => boolean,
): void {
	// A list that shows none of ours proves nothing.
	if (list.hasMore || !isListed(memory.all, list)) return;
	const known = new Set(map(memory.all, 'id'));
	const listed = [...list.webhooks.values()];
	const unknown = listed.filter(({ id, is_active }) => is_active && !known.has(id));
	const companies = new Set(unknown.map((one) => comparableNumber(one.company_number)));
	for (const one of memory.pending) {
		if (!companies.has(one.company) && !isRecent(one)) memory.drop(one);
	}
}

/** From now on `active` means: confirmed for the desired URL and events. */
function adopt({ memory, desired: { url, events }, registry: { account } }: Pass): void {
	const isConfirmed = memory.isConfirmedFor(url, events);
	if (!isConfirmed) for (const one of memory.active) one.status = 'unknown';
	if (!isConfirmed || memory.facts.account !== account)
		memory.updateFacts({ url, events, account });
}

async function sendPlan(progress: Progress, plan: Plan): Promise<void> {
	const { gone, results } = progress;
	results.drift = new Map(plan.drift);
	const isOurList = isListed(progress.memory.all, progress.list);
	const sendAll = async (subscriptions: Subscription[]) =>
		await concurrently(subscriptions, CONCURRENT_REQUESTS, async (one) => {
			await tryRequest(progress, one.company, async () => await restore(progress, one));
			if (gone.size <= MAXIMUM_GONE || isOurList) return;
			throw new Stopped(
				`More than ${MAXIMUM_GONE} webhooks of this trigger are missing at the registry service. The credential may open another account: check it. If the service removed them, replace this trigger node and publish`,
			);
		});
	await sendAll(plan.update);
	const absent = shuffle(plan.absent);
	await sendAll(absent.slice(0, FIRST_ABSENT));
	if (gone.size > 0) await sendAll(absent.slice(FIRST_ABSENT));
	await createAll(progress, [...plan.create, ...gone.keys()]);
}

/** Updates a webhook. One that the service does not know stays until another is created. */
async function restore(progress: Progress, one: Subscription): Promise<void> {
	const { results, list, gone, signal } = progress;
	const before = one.status;
	await update(progress, one).catch((reason: unknown) => {
		const isMissing = isGone(reason) && !list.webhooks.has(one.id);
		if (isMissing && before !== 'paused') results.drift.set(one.company, 'removed');
		const drift = results.drift.get(one.company);
		// An aborted pass reports nothing, so the next one has to find this drift.
		if (drift && signal.aborted) one.status = before;
		else if (drift) one.status = drift === 'events' || isUnclear(reason) ? 'unknown' : 'paused';
		if (!isMissing) throw reason;
		gone.set(one.company, one);
	});
}

async function createAll(progress: Progress, companies: string[]): Promise<void> {
	const { memory, list, signal } = progress;
	const lost = new Set(map(memory.pending, 'company'));
	// Neighbours in a sorted list are often refused alike. A lost answer may be lost again.
	const queue = sortBy(shuffle(companies), (company) => lost.has(company));
	const ids = new Set([...map(memory.all, 'id'), ...list.webhooks.keys()]);
	const request = async (one: Subscription) =>
		await tryRequest(progress, one.company, async () => await createWebhookFor(progress, one, ids));
	// One by one until an answer can be used: each that cannot may leave a webhook behind.
	for (let isUsable = false; queue.length > 0 && !isUsable; ) {
		isUsable = await request(reserve(memory, queue.shift() as string));
	}
	const unsent = new Set(queue.map((company) => reserve(memory, company)));
	if (unsent.size > PERSIST_PENDING_ABOVE) {
		progress.persist();
		// What is stored must be replaced once the pass has ended.
		memory.isChanged = true;
	}
	await concurrently([...unsent], CONCURRENT_REQUESTS, async (one) => {
		signal.throwIfAborted();
		unsent.delete(one);
		await request(one);
	}).finally(() => unsent.forEach(({ reference }) => memory.subscriptions.delete(reference)));
}

/** Known from now on, so that an unsigned check of the address gets 200, and a signed delivery 503 without a report. */
function reserve({ subscriptions }: TriggerMemory, company: string): Subscription {
	const reference = newReference();
	const wroteAt = performance.now();
	const one: Subscription = { reference, company, id: '', secret: '', status: 'pending', wroteAt };
	subscriptions.set(reference, one);
	return one;
}

/** Runs one request for a company. @returns whether it succeeded. @throws what stops the pass */
async function tryRequest(
	progress: Progress,
	company: string,
	request: () => Promise<void>,
): Promise<boolean> {
	const { signal, results, failures } = progress;
	signal.throwIfAborted();
	const reason = await rejectionOf(request());
	if (reason === undefined) {
		failures.count = 0;
		storeIfDue(progress);
		return true;
	}
	const isLost = isUnclear(reason);
	const isRefused = isOfOneCompany(reason) || reason instanceof UnusableAnswer;
	if (!isLost && !isRefused) throw reason;
	if (isLost) results.failure ??= reason;
	else results.refused.set(company, reason);
	const key = reasonKey(reason);
	Object.assign(failures, { key, count: failures.key === key ? failures.count + 1 : 1 });
	if (failures.count < (isLost ? MAXIMUM_LOST : MAXIMUM_REFUSED)) return false;
	const words = `Setup stopped after ${failures.count} identical refusals in a row`;
	throw isLost ? reason : new Stopped(words, { cause: reason });
}

function storeIfDue({ lastStore, persist }: Progress): void {
	const now = performance.now();
	lastStore.changes++;
	if (now - lastStore.at < TIMES.store && lastStore.changes < CHANGES_PER_STORE) return;
	Object.assign(lastStore, { at: now, changes: 0 });
	persist();
}

/** @throws UnusableAnswer, or RegistryFailure; the subscription stays pending where a webhook may exist */
async function createWebhookFor(
	progress: Progress,
	one: Subscription,
	ids: Set<string>,
): Promise<void> {
	const { memory, registry, desired, signal, gone } = progress;
	const { company } = one;
	const url = withReference(desired.url, one.reference);
	const body = { url, company_number: company, events: desired.events };
	const answer = await createWebhook(registry, body, signal).catch((reason: unknown) => {
		if (isUnclear(reason)) memory.isChanged = true;
		else memory.subscriptions.delete(one.reference);
		throw reason;
	});
	const { id, secret = '' } = answer;
	if (secret === '' || ids.has(id) || isOfAnother(one, answer)) {
		memory.isChanged = true;
		const what = ids.has(id) ? 'an existing webhook' : 'a webhook without a signing secret';
		throw new UnusableAnswer(
			`The registry service answered with ${what}, so the trigger cannot verify deliveries`,
		);
	}
	ids.add(id);
	takeOver(progress);
	Object.assign(one, { id, secret, status: 'unknown' });
	memory.isChanged = true;
	const previous = gone.get(company);
	if (previous) memory.drop(previous);
	const isAsAsked = differenceIn(one, answer, desired) === '';
	await (isAsAsked ? confirm(progress, one, answer) : update(progress, one));
}

/** The first webhook in another account or at another n8n ends the time of the previous ones. */
function takeOver({ memory, desired, registry, foreign, results }: Progress): void {
	if (foreign.length === 0) return;
	const { account } = registry;
	// Those that deliver to another n8n serve that one.
	const isOtherAccount = memory.facts.account !== account;
	if (isOtherAccount) results.leftActive = foreign.filter(({ status }) => status !== 'paused');
	for (const one of foreign.splice(0)) memory.drop(one);
	memory.updateFacts({ account, url: desired.url, events: desired.events });
}

/** Gives a webhook the desired URL and events, and makes it active. @throws UnusableAnswer, or RegistryFailure */
async function update(progress: Progress, one: Subscription): Promise<void> {
	const { url, events } = progress.desired;
	const body = { url: withReference(url, one.reference), events, is_active: true };
	confirm(progress, one, await patch(progress, one, body));
}

/** From now on the webhook counts as active. @throws UnusableAnswer where the answer shows something else */
function confirm(
	{ memory, desired, results }: Progress,
	one: Subscription,
	answer: Partial<WebhookAnswer>,
): void {
	const problem = differenceIn(one, answer, desired);
	if (problem !== '') throw new UnusableAnswer(`The registry service shows the webhook ${problem}`);
	Object.assign(one, { status: 'active', wroteAt: performance.now() });
	memory.isChanged = true;
	if (results.drift.has(one.company)) results.repaired.add(one.company);
}

/** The status is unknown until the service answers; a definite refusal restores the previous one. */
async function patch(
	{ registry, signal }: Progress,
	one: Subscription,
	body: WebhookChanges,
): Promise<Partial<WebhookAnswer>> {
	const before = one.status;
	one.status = 'unknown';
	return await updateWebhook(registry, one.id, body, signal).catch((reason: unknown) => {
		if (!isUnclear(reason)) one.status = before;
		throw reason;
	});
}

/** How the answer differs from an active webhook with the desired events, in words; empty if it does not. */
function differenceIn(
	one: Subscription,
	answer: Partial<WebhookAnswer>,
	{ events }: Pick<DesiredState, 'events'>,
): string {
	if (isOfAnother(one, answer)) return 'as one of another company';
	if (answer.is_active === false) return 'as not active';
	const missing = difference(documented(events), answer.events ?? events);
	return missing.length > 0 ? `without ${missing.join(' and ')}` : '';
}

/** One that cannot be paused does not stop the others, unless many fail. */
async function pauseWebhooks(progress: Progress, unwanted: Subscription[]): Promise<void> {
	const { memory, results, signal } = progress;
	const failures: unknown[] = [];
	const left = new Set(unwanted);
	const pause = async (one: Subscription) => {
		const { is_active } = await patch(progress, one, { is_active: false });
		if (is_active) throw new UnusableAnswer('The registry service still shows it as active');
		Object.assign(one, { status: 'paused', wroteAt: performance.now() });
		memory.isChanged = true;
	};
	await concurrently(unwanted, CONCURRENT_REQUESTS, async (one) => {
		signal.throwIfAborted();
		if (failures.length >= CONCURRENT_REQUESTS) return;
		const reason = await rejectionOf(pause(one));
		if (reason !== undefined && !isGone(reason)) return void failures.push(reason);
		left.delete(one);
		// A lost webhook that was found has no secret to resume it with.
		if (isGone(reason) || one.secret === '') memory.drop(one);
	});
	if (left.size > 0)
		results.failedPauses = { subscriptions: [...left], why: messageOf(failures[0]) };
	results.failure ??= failures.find(isTemporary);
}
