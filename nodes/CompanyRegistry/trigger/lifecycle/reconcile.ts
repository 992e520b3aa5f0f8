import { difference, map, partition, pick, reject, shuffle, sortBy } from 'lodash';

import { isGone, isOfOneCompany, isUnclear, messageOf } from '../../registry/failure';
import { CONCURRENT_REQUESTS, type Registry } from '../../registry/registry';
import { listWebhooks, type WebhookList } from '../../registry/webhooks';
import { concurrently, rejectionOf } from '../../shared/async';
import type { Ledger } from '../reports/ledger';
import { replacedBy } from '../reports/noteGaps';
import { isOtherAccount, webhooksElsewhere } from './account';
import type { DesiredState } from './desired';
import {
	believeList,
	forgetPauses,
	markDrift,
	noteDrifts,
	noteDriftsOfReplaced,
	noteUnneededDrift,
	noteUnneededDrifts,
} from './drift';
import { isTemporary, reasonKey, Stopped, UnusableAnswer } from '../records/failures';
import { newReference } from './identity';
import { noFindings, summarise, type Findings, type Outcome } from './outcome';
import { isListed, makePlan, othersIn, type Plan } from './plan';
import { askAbout, create, isMissing, pause, update } from './requests';
import { TIMES } from './schedule';
import { takenDownBeside, type TriggerMemory } from './state';
import {
	isConfirmed,
	isKnown,
	type Known,
	type Pending,
	type Subscription,
} from '../records/subscription';

/** Above this number, the remaining creates are stored as pending before they are sent. */
const PERSIST_PENDING_ABOVE = 20;
/** A pass stores after this many creates, or after this share of its creates, whichever is more. */
const CREATES_PER_STORE = { least: 25, share: 1 / 20 };
/** A pass stops after this many equal refusals in a row. */
const MAXIMUM_REFUSED = 20;
/** The same for requests that may each have left a webhook behind. */
const MAXIMUM_LOST = 3;
/** A check asks about at most this many webhooks that the list lacks, and about the rest if one of them has changed. */
const MAXIMUM_ABSENT = 20;
/** Each check asks about this many webhooks on further pages, in turn. */
const HIDDEN_PER_CHECK = 10;

export interface Pass {
	memory: TriggerMemory;
	desired: DesiredState;
	registry: Registry;
	ledger: Ledger;
	kind: 'publish' | 'check' | 'unpublish';
	/** Whether nothing was published before, so that the pass may stop and ask. */
	isFirst: boolean;
	/** Whether n8n starts: a start pauses no company. */
	isStart: boolean;
	/** Aborted once something else is desired, or n8n ends. */
	signal: AbortSignal;
	/** Filled while the pass goes on, for a caller that may not wait for its end. */
	findings?: Findings;
	/** Stores the memory. */
	persist: () => void;
}

interface Progress extends Pass {
	findings: Findings;
	list: WebhookList;
	/** Webhooks of another account or n8n, to be dropped once one is created here. */
	foreign: Known[];
	/** Desired webhooks that the service no longer has, by company, until they are replaced. */
	gone: Map<string, Known>;
	/** The latest failures in a row, by the key of their common reason. */
	failures: string[];
	/** After so many creates the pass stores. */
	createsPerStore: number;
	/** When the pass last stored, in milliseconds of `performance.now()`, and its creates since then. */
	lastStore: { at: number; creates: number };
}

/**
 * One pass: lists, plans, sends the difference, pauses what is not desired. Each answer is kept at once. A refusal
 * of one company does not stop the others.
 * @throws the signal's reason once it is aborted
 */
export async function reconcile(pass: Pass): Promise<Outcome> {
	const { memory, desired, signal, findings = noFindings() } = pass;
	const failure = await rejectionOf(listAndSend(pass, findings));
	signal.throwIfAborted();
	return summarise(memory, desired, { ...findings, failure: failure ?? findings.failure });
}

async function listAndSend(pass: Pass, findings: Findings): Promise<void> {
	const { memory, desired, registry, kind, isFirst, isStart, signal, ledger } = pass;
	const list = await listWebhooks(registry, signal);
	const foreign = await foreignWebhooks(pass, list);
	Object.assign(findings, { isChecked: true, hasMorePages: list.hasMore });

	const now = performance.now();
	const isRecent = ({ sentAt = -Infinity }: Subscription) => now - sentAt < TIMES.listLag;
	const current = difference<Subscription>(memory.all, foreign);
	believeList(reject(current.filter(isKnown), isRecent), list, desired);
	const plan = makePlan(desired, current, list, { isRecent, isPublish: kind === 'publish' });
	for (const one of plan.drop) memory.subscriptions.delete(one.reference);

	const observed = { list, desired, ledger, kind };
	noteDrifts(observed, plan, findings);
	noteUnneededDrifts(observed, reject(plan.pause, isRecent));
	if (isFirst) noteDriftsOfReplaced(observed, replacedBy(memory)?.known ?? []);
	forgetPauses(memory.known, list, desired);
	findings.doubtful = new Set(plan.absent);

	const beside = takenDownBeside(memory).flatMap(({ known }) => known);
	const own = [...memory.all, ...plan.pausePending, ...beside];
	findings.others = pick(othersIn(list, own), desired.companies);
	if (isFirst && desired.options.alreadyWatched === 'stop') {
		const notLost = difference(plan.create, map(memory.pending, 'company'));
		findings.alreadyWatched = notLost.filter((company) => findings.others[company]);
		if (findings.alreadyWatched.length > 0) return;
	}

	const progress: Progress = {
		...pass,
		...{ findings, list, foreign, gone: new Map(), failures: [] },
		createsPerStore: createsPerStore(plan.create.length),
		lastStore: { at: now, creates: 0 },
	};
	const failure = await rejectionOf(sendPlan(progress, plan));
	signal.throwIfAborted();
	// Beside so many that are gone, those that were not asked about may be gone as well.
	const areManyGone = failure instanceof Stopped && progress.gone.size > MAXIMUM_ABSENT;
	if (areManyGone) {
		for (const one of findings.doubtful) {
			markDrift(observed, one, 'removed', ledger.lastGood);
			// It was not asked about, so it may deliver after all.
			one.said = 'unsure';
		}
	}
	// A link that was read just now says who has left.
	const mayPause = !isStart || desired.followed !== undefined;
	if (!isTemporary(failure) && mayPause) await pauseUnwanted(progress, plan);
	if (failure !== undefined) throw failure;
}

/**
 * Webhooks of another account, or of the n8n that this one is a copy of. If there are none, the trigger adopts the
 * account.
 */
async function foreignWebhooks(pass: Pass, list: WebhookList): Promise<Known[]> {
	const { memory, desired, registry, kind, signal } = pass;
	const isUnpublish = kind === 'unpublish';
	const elsewhere = webhooksElsewhere(memory, desired.url);
	const isAbandoned = isUnpublish || desired.options.addressChanged === 'new';
	const ofAnotherN8n = isAbandoned ? elsewhere : [];
	const isAllElsewhere = ofAnotherN8n.length > 0 && ofAnotherN8n.length === memory.known.length;

	const isOther = !isAllElsewhere && (await isOtherAccount(memory, registry, list, signal));
	const foreign = isOther ? memory.known : ofAnotherN8n;
	if (isUnpublish && foreign.length > 0 && foreign.length === memory.known.length) {
		throw new Error('they belong to another account or n8n');
	}
	if (!isOther && !isUnpublish) memory.updateFacts({ account: registry.account });
	return foreign;
}

async function sendPlan(progress: Progress, plan: Plan): Promise<void> {
	const { memory, list, gone, kind, findings, ledger } = progress;
	const isOurList = isListed(memory.known, list);
	const sendAll = async (known: Known[], request: Request<Known>) =>
		await concurrently(known, CONCURRENT_REQUESTS, async (one) => {
			await tryRequest(progress, one, request);
			if (gone.size <= MAXIMUM_ABSENT || isOurList) return;
			throw new Stopped(
				`More than ${MAXIMUM_ABSENT} webhooks of this trigger are missing at the registry service. The credential may open another account: check it. If the service removed them, replace this trigger node and publish`,
			);
		});

	// Those that the last pass could not change must not keep the others waiting for ever.
	const [again, first] = partition(plan.update, ({ company, said }) => {
		return memory.refused.has(company) || said === 'unsure';
	});
	await sendAll(first, restore);

	const absent = shuffle(plan.absent);
	const asked = absent.slice(0, MAXIMUM_ABSENT);
	const rest = absent.slice(MAXIMUM_ABSENT);
	await sendAll(asked, checkUnlisted);
	const isAnyChanged = asked.some(({ company }) => ledger.companies.get(company)?.drift);
	if (isAnyChanged) await sendAll(rest, checkUnlisted);
	// The webhooks that were asked about are unchanged, so the list is just incomplete.
	else for (const one of rest) findings.doubtful?.delete(one);

	// In random order at first, because a restart forgets whose turn it is.
	const byTurn = sortBy(shuffle(plan.hidden), ({ sentAt = 0 }) => sentAt);
	const inTurn = byTurn.slice(0, HIDDEN_PER_CHECK);
	if (kind === 'check') await sendAll(inTurn, checkUnlisted);
	const replaceable = () => [...gone.keys()].filter(plan.mayCreate);
	await createAll(progress, [...plan.create, ...replaceable()]);
	gone.clear();
	await sendAll(again, restore);
	await createAll(progress, replaceable());
}

type Request<One> = (progress: Progress, one: One) => Promise<unknown>;

/** Updates a webhook, or finds that the service no longer has it. */
async function restore(progress: Progress, one: Known): Promise<void> {
	const wasPaused = one.said === 'paused';
	await update(progress, one).catch((reason: unknown) => {
		if (!isMissing(progress, one, reason)) throw reason;
		noteGone(progress, one, wasPaused, progress.ledger.lastGood);
	});
	progress.findings.doubtful?.delete(one);
}

/** Asks about a webhook that the list does not show, and restores it where it differs. */
async function checkUnlisted(progress: Progress, one: Known): Promise<void> {
	const { list, ledger } = progress;
	// On further pages, each webhook is asked about only now and then.
	const since = list.hasMore ? undefined : ledger.lastGood;
	const asking = askAbout(progress, one);
	const drift = await asking.catch((reason: unknown) => {
		if (!isMissing(progress, one, reason)) throw reason;
		noteGone(progress, one, false, since);
		return undefined;
	});
	progress.findings.doubtful?.delete(one);
	if (drift === undefined) {
		if (one.said === 'active') delete one.silentSince;
		return;
	}

	markDrift(progress, one, drift, since);
	await restore(progress, one);
}

/** It stays until its replacement exists, so that an aborted pass loses nothing. */
function noteGone(progress: Progress, one: Known, wasPaused: boolean, since?: number): void {
	if (!wasPaused) markDrift(progress, one, 'removed', since);
	progress.gone.set(one.company, one);
}

async function createAll(progress: Progress, companies: string[]): Promise<void> {
	if (companies.length === 0) return;
	const { memory, persist, list } = progress;
	const listed = othersIn(list, []);
	// Neighbours in a sorted list are often refused alike.
	const reserved = shuffle(companies).map((company): Pending => {
		return { reference: newReference(), company, earlier: listed[company] ?? [] };
	});
	const unsent = () => reserved.filter(({ sentAt }) => sentAt === undefined);
	const send = async (one: Pending) => await tryRequest(progress, one, createFor);

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

async function createFor(progress: Progress, one: Pending): Promise<void> {
	const { memory, desired, gone, ledger } = progress;
	const known = await create(progress, one);
	storeNowAndThen(progress);
	if (progress.foreign.length > 0) leaveForeign(progress);

	const replaced = gone.get(one.company);
	if (replaced) memory.subscriptions.delete(replaced.reference);
	if (isConfirmed(known, desired)) {
		ledger.noteActive(one.company, replaced?.silentSince);
		return;
	}
	known.silentSince ??= replaced?.silentSince;
	await update(progress, known);
}

/** The first webhook in another account or at another n8n ends the time of the previous ones. */
function leaveForeign({ memory, registry, foreign, ledger }: Progress): void {
	// Those that deliver to another n8n serve that one.
	const isOther = memory.facts.account !== registry.account;
	const active = isOther ? foreign.filter(({ said }) => said !== 'paused') : [];
	ledger.leftActive.push(...active);
	// An account that could not be reached may have delivered nothing.
	const from = memory.facts.failingSince?.account;
	if (from !== undefined) for (const { company } of active) ledger.noteGap(company, { from });

	for (const one of foreign.splice(0)) memory.subscriptions.delete(one.reference);
	memory.updateFacts({ account: registry.account });
}

/** Runs one request for a company. @returns whether it succeeded. @throws what stops the pass */
async function tryRequest<One extends Subscription>(
	progress: Progress,
	one: One,
	request: Request<One>,
): Promise<boolean> {
	progress.signal.throwIfAborted();
	const reason = await rejectionOf(request(progress, one));
	if (reason === undefined) {
		progress.failures = [];
		return true;
	}

	const isLost = isUnclear(reason);
	const isRefused = isOfOneCompany(reason) || reason instanceof UnusableAnswer;
	if (!isLost && !isRefused) throw reason;

	const { findings } = progress;
	if (isLost) findings.failure ??= reason;
	else findings.refused.set(one.company, reason);
	stopAfterMany(progress, one, reason);
	return false;
}

/** A secret is shown once, so a kill must not lose many. Each store is an execution of the workflow. */
function storeNowAndThen({ createsPerStore, lastStore, persist }: Progress): void {
	lastStore.creates++;
	const now = performance.now();
	const isDue = lastStore.creates >= createsPerStore || now - lastStore.at >= TIMES.store;
	if (!isDue) return;

	Object.assign(lastStore, { at: now, creates: 0 });
	persist();
}

function createsPerStore(creates: number): number {
	return Math.max(CREATES_PER_STORE.least, Math.ceil(creates * CREATES_PER_STORE.share));
}

/** @throws Error where too many requests in a row have failed for the same reason */
function stopAfterMany(progress: Progress, one: Subscription, reason: unknown): void {
	const key = reasonKey(reason);
	progress.failures = [...progress.failures.filter((earlier) => earlier === key), key];

	const isLost = isUnclear(reason);
	// A create without a usable answer may have left a webhook behind.
	const leavesWebhook = isLost || (reason instanceof UnusableAnswer && !isKnown(one));
	const { length } = progress.failures;
	if (length < (leavesWebhook ? MAXIMUM_LOST : MAXIMUM_REFUSED)) return;
	throw isLost
		? reason
		: new Stopped(`Setup stopped after ${length} identical refusals in a row`, { cause: reason });
}

async function pauseUnwanted(progress: Progress, plan: Plan): Promise<void> {
	const { memory } = progress;
	const found = plan.pausePending.map(({ reference, company, id }): Known => {
		const target = { url: progress.desired.url, events: progress.desired.events };
		return { reference, company, id, secret: '', said: 'active', target };
	});
	const isPaused = await pauseAll(progress, [...plan.pause, ...found]);

	// A lost webhook that was found has no secret to resume it with.
	for (const one of found.filter(isPaused)) memory.subscriptions.delete(one.reference);
}

/** One that cannot be paused does not stop the others, unless many fail. @returns whether one was paused */
async function pauseAll(progress: Progress, unwanted: Known[]): Promise<(one: Known) => boolean> {
	const { findings, signal } = progress;
	const failures: unknown[] = [];
	const left = new Set(unwanted);
	await concurrently(unwanted, CONCURRENT_REQUESTS, async (one) => {
		signal.throwIfAborted();
		if (failures.length >= CONCURRENT_REQUESTS) return;
		const reason = await rejectionOf(pause(progress, one));
		if (reason !== undefined && !isGone(reason)) return void failures.push(reason);
		left.delete(one);
		if (isGone(reason)) markGone(progress, one);
	});

	const [why] = failures.map(messageOf);
	const failure = failures.find(isTemporary);
	if (why !== undefined) findings.failedPauses = { subscriptions: [...left], why, failure };
	findings.failure ??= failure;
	return (one) => !left.has(one);
}

/** The service may know it again later, so its secret is kept: the next pass that needs it finds out. */
function markGone(progress: Progress, one: Known): void {
	noteUnneededDrift(progress, one, 'removed');
	one.said = 'paused';
	one.silentSince ??= Date.now();
}
