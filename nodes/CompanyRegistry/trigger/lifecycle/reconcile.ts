import { difference, map, pick, shuffle } from 'lodash';

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
import { settleAccount } from './account';
import type { DesiredState } from './desired';
import { newReference, withReference } from './identity';
import {
	isTemporary,
	outcomeOf,
	reasonKey,
	Stopped,
	UnusableAnswer,
	type Outcome,
} from './outcome';
import { documented, isListed, isOfAnother, makePlan, othersIn, type Plan } from './plan';
import { TIMES } from './schedule';
import type { Subscription, TriggerMemory } from './state';

/** Above this number, the remaining creates are stored as pending before they are sent. */
const PERSIST_PENDING_ABOVE = 20;
/** A pass stores after this many successful requests. */
const CHANGES_PER_STORE = 300;
/** A pass stops after this many equal refusals, or lost answers, in a row. */
const MAXIMUM_REFUSED = 20;
const MAXIMUM_LOST = 3;
/** The list may lack this many webhooks: more are checked if one is gone, and replaced if it shows any of ours. */
const MAXIMUM_ABSENT = 20;

export interface Pass {
	memory: TriggerMemory;
	desired: DesiredState;
	registry: Registry;
	/** `first`: a publish before which nothing was published, so it may stop and ask. */
	occasion: 'first' | 'publish' | 'check' | 'unpublish';
	/** Aborted once something else is desired, or n8n ends. */
	signal: AbortSignal;
	/** Stores the memory. */
	persist: () => void;
}

interface Progress extends Pass {
	results: Outcome;
	list: WebhookList;
	/** Webhooks of another account or n8n, to be dropped once one is created here. */
	foreign: Subscription[];
	/** Desired webhooks that the service no longer has. */
	gone: Subscription[];
	/** The latest failures in a row, by the key of their common reason. */
	failures: string[];
	/** When the pass last stored, in milliseconds of `performance.now()`, and its changes since then. */
	lastStore: { at: number; changes: number };
}

/**
 * One pass: lists, plans, sends the difference, pauses what is not desired. Each answer is kept at once. A refusal
 * of one company does not stop the others.
 * @throws the signal's reason once it is aborted
 */
export async function reconcile(pass: Pass): Promise<Outcome> {
	const results = outcomeOf(pass.memory, pass.desired);
	const failure = await rejectionOf(listAndSend(pass, results));
	pass.signal.throwIfAborted();
	return outcomeOf(pass.memory, pass.desired, failure ?? results.failure, results);
}

async function listAndSend(pass: Pass, results: Outcome): Promise<void> {
	const { memory, desired, registry, occasion, signal } = pass;
	const list = await listWebhooks(registry, signal);
	const isForeign = await settleAccount(pass, list);
	if (!isForeign && occasion !== 'unpublish') adopt(pass);
	if (isForeign && occasion === 'unpublish')
		throw new Error('they belong to another account or n8n');
	const now = performance.now();
	const isRecent = ({ sentAt = -Infinity }: Subscription) => now - sentAt < TIMES.listLag;
	const known = isForeign ? memory.withStatus('pending') : memory.all;
	const foreign = difference(memory.all, known);
	const plan = makePlan(desired, known, list, isRecent, occasion !== 'check');
	for (const one of plan.drop) memory.subscriptions.delete(one.reference);
	results.others = pick(othersIn(list, [...memory.all, ...plan.pause]), desired.companies);
	if (occasion === 'first' && desired.options.alreadyWatched === 'stop') {
		const notLost = difference(plan.create, map(memory.withStatus('pending'), 'company'));
		results.alreadyWatched = notLost.filter((company) => results.others[company]);
		if (results.alreadyWatched.length > 0) return;
	}
	const lastStore = { at: now, changes: 0 };
	const progress = { ...pass, results, list, foreign, gone: [], failures: [], lastStore };
	const failure = await rejectionOf(sendPlan(progress, plan));
	signal.throwIfAborted();
	if (!isTemporary(failure)) await pauseWebhooks(progress, plan.pause);
	if (failure !== undefined) throw failure;
}

/** From now on `active` means: confirmed for the desired URL and events. At another URL, none delivers here yet. */
function adopt({ memory, desired: { url, events, options, problem }, registry }: Pass): void {
	// Options that could not be read are not an answer.
	const { addressChanged } = problem ? memory.facts : options;
	const status = memory.facts.url === url ? 'unknown' : 'paused';
	if (!memory.isConfirmedFor(url, events))
		for (const one of memory.withStatus('active')) one.status = status;
	memory.updateFacts({ url, events, account: registry.account, addressChanged });
}

async function sendPlan(progress: Progress, plan: Plan): Promise<void> {
	const { memory, list, gone, results } = progress;
	results.drift = plan.drift;
	const isOurList = isListed(memory.all, list);
	const sendAll = async (subscriptions: Subscription[]) =>
		await concurrently(subscriptions, CONCURRENT_REQUESTS, async (one) => {
			await tryRequest(progress, one, restore);
			if (gone.length <= MAXIMUM_ABSENT || isOurList) return;
			throw new Stopped(
				`More than ${MAXIMUM_ABSENT} webhooks of this trigger are missing at the registry service. The credential may open another account: check it. If the service removed them, replace this trigger node and publish`,
			);
		});
	const absent = shuffle(plan.absent);
	await sendAll([...plan.update, ...absent.slice(0, MAXIMUM_ABSENT)]);
	if (gone.length > 0) await sendAll(absent.slice(MAXIMUM_ABSENT));
	for (const one of gone) memory.subscriptions.delete(one.reference);
	await createAll(progress, [...plan.create, ...map(gone, 'company')]);
}

/** Updates a webhook, or finds that the service no longer has it. */
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
		gone.push(one);
	});
}

async function createAll(progress: Progress, companies: string[]): Promise<void> {
	const { memory, persist } = progress;
	// Neighbours in a sorted list are often refused alike.
	const reserved = shuffle(companies).map(reserve);
	const unsent = () => reserved.filter(({ sentAt }) => sentAt === undefined);
	const send = async (one: Subscription) => await tryRequest(progress, one, createWebhookFor);
	try {
		// One by one until an answer can be used: each that cannot may leave a webhook behind.
		for (const one of reserved) if (await send(one)) break;
		if (unsent().length > PERSIST_PENDING_ABOVE) {
			for (const one of unsent()) memory.subscriptions.set(one.reference, one);
			persist();
		}
		await concurrently(unsent(), CONCURRENT_REQUESTS, async (one) => void (await send(one)));
	} finally {
		for (const one of unsent()) memory.subscriptions.delete(one.reference);
	}
}

function reserve(company: string): Subscription {
	return { reference: newReference(), company, id: '', secret: '', status: 'pending' };
}

/** Runs one request for a company. @returns whether it succeeded. @throws what stops the pass */
async function tryRequest(progress: Progress, one: Subscription, request: typeof restore) {
	const { signal, results, lastStore, persist } = progress;
	signal.throwIfAborted();
	const reason = await rejectionOf(request(progress, one));
	if (reason === undefined) {
		progress.failures = [];
		lastStore.changes++;
		const now = performance.now();
		if (now - lastStore.at >= TIMES.store || lastStore.changes >= CHANGES_PER_STORE) {
			Object.assign(lastStore, { at: now, changes: 0 });
			persist();
		}
		return true;
	}
	const isLost = isUnclear(reason);
	const isRefused = isOfOneCompany(reason) || reason instanceof UnusableAnswer;
	if (!isLost && !isRefused) throw reason;
	if (isLost) results.failure ??= reason;
	else results.refused.set(one.company, reason);
	const key = reasonKey(reason);
	const failures = [...progress.failures.filter((earlier) => earlier === key), key];
	progress.failures = failures;
	if (failures.length < (isLost ? MAXIMUM_LOST : MAXIMUM_REFUSED)) return false;
	const words = `Setup stopped after ${failures.length} identical refusals in a row`;
	throw isLost ? reason : new Stopped(words, { cause: reason });
}

/** @throws UnusableAnswer, or RegistryFailure; the subscription stays pending where a webhook may exist */
async function createWebhookFor(progress: Progress, one: Subscription): Promise<void> {
	const { memory, registry, desired, signal, list } = progress;
	one.sentAt = performance.now();
	// Known from now on, so that an unsigned check of the address gets 200, and a signed delivery 503 without a report.
	memory.subscriptions.set(one.reference, one);
	const url = withReference(desired.url, one.reference);
	const body = { url, company_number: one.company, events: desired.events };
	const answer = await createWebhook(registry, body, signal).catch((reason: unknown) => {
		if (!isUnclear(reason)) memory.subscriptions.delete(one.reference);
		throw reason;
	});
	const { id, secret = '' } = answer;
	const isKnown = list.webhooks.has(id);
	if (secret === '' || isKnown || isOfAnother(one, answer)) {
		const what = isKnown ? 'an existing webhook' : 'a webhook without a signing secret';
		throw new UnusableAnswer(
			`The registry service answered with ${what}, so the trigger cannot verify deliveries`,
		);
	}
	takeOver(progress);
	Object.assign(one, { id, secret, status: 'unknown' });
	if (confirm(progress, one, answer) !== '') await update(progress, one);
}

/** The first webhook in another account or at another n8n ends the time of the previous ones. */
function takeOver(progress: Progress): void {
	const { memory, registry, foreign, results } = progress;
	if (foreign.length === 0) return;
	const mayDeliver = foreign.filter(({ status }) => status !== 'paused');
	// Those that deliver to another n8n serve that one.
	if (memory.facts.account !== registry.account) results.leftActive = mayDeliver;
	for (const one of foreign.splice(0)) memory.subscriptions.delete(one.reference);
	adopt(progress);
}

/** Gives a webhook the desired URL and events, and makes it active. @throws UnusableAnswer, or RegistryFailure */
async function update(progress: Progress, one: Subscription): Promise<void> {
	const { url, events } = progress.desired;
	const body = { url: withReference(url, one.reference), events, is_active: true };
	const problem = confirm(progress, one, await patch(progress, one, body));
	if (problem !== '') throw new UnusableAnswer(`The registry service shows the webhook ${problem}`);
}

/** Counts the webhook as active from now on. @returns how the answer differs from that; empty if it does not */
function confirm(progress: Progress, one: Subscription, answer: Partial<WebhookAnswer>): string {
	const { desired, results } = progress;
	if (isOfAnother(one, answer)) return 'as one of another company';
	if (answer.is_active === false) return 'as not active';
	const missing = difference(documented(desired.events), answer.events ?? desired.events);
	if (missing.length > 0) return `without ${missing.join(' and ')}`;
	Object.assign(one, { status: 'active', sentAt: performance.now() });
	if (results.drift.has(one.company)) results.repaired.add(one.company);
	return '';
}

/** An active webhook is unknown until the service answers; a definite refusal restores its status. */
async function patch({ registry, signal }: Progress, one: Subscription, body: WebhookChanges) {
	const before = one.status;
	if (before === 'active') one.status = 'unknown';
	return await updateWebhook(registry, one.id, body, signal).catch((reason: unknown) => {
		one.status = isUnclear(reason) ? 'unknown' : before;
		throw reason;
	});
}

/** One that cannot be paused does not stop the others, unless many fail. */
async function pauseWebhooks(progress: Progress, unwanted: Subscription[]): Promise<void> {
	const { memory, results, signal } = progress;
	const failures: unknown[] = [];
	const left = new Set(unwanted);
	await concurrently(unwanted, CONCURRENT_REQUESTS, async (one) => {
		signal.throwIfAborted();
		if (failures.length >= CONCURRENT_REQUESTS) return;
		const reason = await rejectionOf(pause(progress, one));
		if (reason !== undefined && !isGone(reason)) return void failures.push(reason);
		left.delete(one);
		// A lost webhook that was found has no secret to resume it with.
		if (isGone(reason) || one.secret === '') memory.subscriptions.delete(one.reference);
	});
	const [why] = failures.map(messageOf);
	if (why !== undefined) results.failedPauses = { subscriptions: [...left], why };
	results.failure ??= failures.find(isTemporary);
}

async function pause(progress: Progress, one: Subscription): Promise<void> {
	const { is_active } = await patch(progress, one, { is_active: false });
	if (is_active) throw new UnusableAnswer('The registry service still shows it as active');
	Object.assign(one, { status: 'paused', sentAt: performance.now() });
}
