import { difference, map, pick, shuffle } from 'lodash';

import { isGone, isOfOneCompany, isUnclear } from '../../registry/failure';
import { CONCURRENT_REQUESTS, type Registry } from '../../registry/registry';
import { listWebhooks, type WebhookList } from '../../registry/webhooks';
import { concurrently, rejectionOf } from '../../shared/async';
import { isServing, isConfirmed, type Subscription } from '../records/subscription';
import type { DesiredState } from '../records/desired';
import { isTemporary, Stopped, UnusableAnswer } from '../records/failures';
import { noFindings, type Findings } from '../records/outcome';
import { probeAccount, webhooksElsewhere } from './account';
import { endGap } from '../records/gap';
import { markActive, recordDrift, recordPaused } from './observe';
import { makePlan, othersIn, type Plan } from './plan';
import { PeriodicStore } from './periodicStore';
import { RepeatedFailures } from './repeatedFailures';
import { isProvenGone, sendCreate, sendPause, sendProbe, sendUpdate } from './requests';
import { idsBeside, type TriggerMemory } from './memory';

/** A pass asks about at most this many webhooks that the list lacks, and about the others if all of these are gone. */
const MAXIMUM_ABSENT = 20;

export interface Pass {
	memory: TriggerMemory;
	desired: DesiredState;
	registry: Registry;
	kind: 'publish' | 'check' | 'unpublish';
	/** Whether the pass may pause what is not desired. */
	mayPause: boolean;
	/** Aborted once something else is desired, or n8n ends. */
	signal: AbortSignal;
	/** Stores the memory; undefined where n8n saves nothing. */
	persist?: () => void;
}

interface Progress extends Pass {
	findings: Findings;
	list: WebhookList;
	/** Webhooks of another account or n8n, to be dropped once one is created here. */
	leftBehind: Subscription[];
	/** Desired webhooks that the service no longer has, by company, until they are replaced. */
	gone: Map<string, Subscription>;
	store: PeriodicStore;
}

/**
 * One pass: lists, plans, sends the difference, pauses what is not desired. Each answer is kept at once. A refusal
 * of one company does not stop the others.
 * @throws the signal's reason once it is aborted
 */
export async function reconcile(pass: Pass): Promise<Findings> {
	const findings = noFindings();
	const failure = await rejectionOf(listAndSend(pass, findings));
	pass.signal.throwIfAborted();
	findings.failure = failure ?? findings.failure;
	return findings;
}

async function listAndSend(pass: Pass, findings: Findings): Promise<void> {
	const { memory, registry, kind, signal, mayPause } = pass;
	const list = await listWebhooks(registry, signal);
	const { webhooks: leftBehind, isOtherAccount } = await findLeftBehind(pass, list);
	if (
		kind === 'unpublish' &&
		leftBehind.length > 0 &&
		leftBehind.length === memory.subscriptions.length
	) {
		throw new Error('they belong to another account or n8n');
	}
	if (kind !== 'unpublish' && !isOtherAccount) memory.updateFacts({ account: registry.account });
	findings.isChecked = true;

	const plan = recordAndPlan(pass, list, leftBehind);
	findings.others = othersOfDesired(pass, list);
	const progress: Progress = {
		...{ ...pass, findings, list, leftBehind, gone: new Map() },
		store: new PeriodicStore(plan.create.length, pass.persist),
	};
	const failure = await rejectionOf(sendPlan(progress, plan));
	signal.throwIfAborted();
	if (!isTemporary(failure) && mayPause) await pauseUnwanted(progress, plan.pause);
	if (failure !== undefined) throw failure;
}

/** Records what the list shows, and plans the difference. */
function recordAndPlan(pass: Pass, list: WebhookList, leftBehind: Subscription[]): Plan {
	const { memory, desired } = pass;
	const current = difference(memory.subscriptions, leftBehind);
	recordPaused(current, list);

	const plan = makePlan(desired, current, list);
	for (const [one, drift] of plan.drift) recordDrift(one, drift, memory.facts.healthyAt);
	return plan;
}

/** Active webhooks of the desired companies that are not this workflow's, by company. */
function othersOfDesired({ memory, desired }: Pass, list: WebhookList) {
	const own = [...map(memory.subscriptions, 'id'), ...idsBeside(memory)];
	return pick(othersIn(list, own), desired.companies);
}

/** Webhooks of another account, or of the n8n that this one is a copy of. To find out, it may send one update. */
async function findLeftBehind(
	{ memory, desired, registry, kind, signal }: Pass,
	list: WebhookList,
): Promise<{ webhooks: Subscription[]; isOtherAccount: boolean }> {
	const { subscriptions } = memory;
	const staysThere = kind === 'unpublish' || desired.options.addressChanged === 'new';
	const elsewhere = staysThere ? webhooksElsewhere(memory, desired.url) : [];
	if (subscriptions.length > 0 && elsewhere.length === subscriptions.length) {
		return { webhooks: subscriptions, isOtherAccount: false };
	}
	const isOtherAccount = await probeAccount(memory, registry, list, signal);
	return { webhooks: isOtherAccount ? subscriptions : elsewhere, isOtherAccount };
}

/** Each step begins with a new count of failures, so that none keeps the next ones from their work. */
async function sendPlan(progress: Progress, plan: Plan): Promise<void> {
	const steps = [
		async () => await sendAll(progress, shuffle(plan.update), restore),
		async () => await askAboutAbsent(progress, plan),
		async () => await createAll(progress, [...plan.create, ...progress.gone.keys()]),
	];

	let stopped: unknown;
	for (const step of steps) {
		const reason = await rejectionOf(step());
		const endsStep = reason instanceof Stopped || isUnclear(reason);
		if (reason !== undefined && !endsStep) throw reason;
		stopped ??= reason;
	}
	if (stopped !== undefined) throw stopped;
}

type Request<One> = (progress: Progress, one: One) => Promise<unknown>;

async function sendAll(
	progress: Progress,
	subscriptions: Subscription[],
	request: Request<Subscription>,
): Promise<void> {
	const failures = new RepeatedFailures(false);
	await concurrently(subscriptions, CONCURRENT_REQUESTS, async (one) => {
		await tryRequest(progress, one, request, failures);
	});
}

/** That the list lacks a webhook proves nothing, so only an answer about it counts. */
async function askAboutAbsent(progress: Progress, plan: Plan): Promise<void> {
	const absent = shuffle(plan.absent);
	const asked = absent.slice(0, MAXIMUM_ABSENT);
	const rest = absent.slice(MAXIMUM_ABSENT);
	await sendAll(progress, asked, repairAbsent);
	if (!asked.every(({ company }) => progress.gone.has(company))) return;

	// Those that are not asked about before the pass stops may be gone as well.
	for (const one of rest) one.state = 'unsure';
	await sendAll(progress, rest, repairAbsent);
}

/** Updates a webhook, or finds that the service no longer has it. */
async function restore(progress: Progress, one: Subscription): Promise<void> {
	const wasPaused = one.state === 'paused';
	await sendUpdate(progress, one).catch((reason: unknown) => {
		if (!isProvenGone(progress, one, reason)) throw reason;
		recordGone(progress, one, wasPaused);
	});
}

/** Asks about a webhook that the list does not show, and restores it where it differs. */
async function repairAbsent(progress: Progress, one: Subscription): Promise<void> {
	const drift = await sendProbe(progress, one).catch((reason: unknown) => {
		if (!isProvenGone(progress, one, reason)) throw reason;
		recordGone(progress, one, false);
		return undefined;
	});
	if (drift === undefined) {
		if (one.state === 'unsure' && !progress.gone.has(one.company)) markActive(one);
		return;
	}
	recordDrift(one, drift, progress.memory.facts.healthyAt);
	await restore(progress, one);
}

/** It stays until its replacement exists, so that an aborted pass loses nothing. */
function recordGone({ memory, gone }: Progress, one: Subscription, wasPaused: boolean): void {
	if (!wasPaused) recordDrift(one, 'paused', memory.facts.healthyAt);
	gone.set(one.company, one);
}

async function createAll(progress: Progress, companies: string[]): Promise<void> {
	const failures = new RepeatedFailures(true);
	const send = async (company: string) => {
		return await tryRequest(progress, { company }, createFor, failures);
	};

	// Neighbours in a sorted list are often refused alike.
	const shuffled = shuffle(companies);
	let tried = 0;
	// One by one until an answer can be used: each that cannot may leave a webhook behind.
	while (tried < shuffled.length && !(await send(shuffled[tried]))) tried++;
	const others = shuffled.slice(tried + 1);
	await concurrently(others, CONCURRENT_REQUESTS, async (company) => void (await send(company)));
}

async function createFor(progress: Progress, { company }: { company: string }): Promise<void> {
	const { memory, desired, gone } = progress;
	const created = await sendCreate(progress, company);
	if (progress.leftBehind.length > 0) dropLeftBehind(progress);

	const replaced = gone.get(company);
	if (replaced) {
		Object.assign(created, pick(replaced, 'gap', 'isAnnounced'));
		memory.byReference.delete(replaced.reference);
	}
	if (isServing(created, desired)) endGap(created, Date.now());
	progress.store.countCreate();
	if (!isConfirmed(created, desired)) await sendUpdate(progress, created);
}

/** The first webhook in another account or at another n8n ends the time of the previous ones. */
function dropLeftBehind({ memory, registry, leftBehind }: Progress): void {
	// Those that deliver to another n8n serve that one.
	const isOther = memory.facts.account !== registry.account;
	const active = isOther ? leftBehind.filter(({ state }) => state !== 'paused') : [];
	const unreachable = active.map(({ id, company }) => ({ id, company }));
	const { unreported } = memory.facts;
	for (const one of leftBehind.splice(0)) memory.byReference.delete(one.reference);
	memory.updateFacts({
		account: registry.account,
		...(unreachable.length > 0 && { unreported: { ...unreported, unreachable } }),
	});
}

/** Runs one request for a company. @returns whether it succeeded. @throws what stops the pass */
async function tryRequest<One extends { company: string }>(
	progress: Progress,
	one: One,
	request: Request<One>,
	failures: RepeatedFailures,
): Promise<boolean> {
	progress.signal.throwIfAborted();
	const reason = await rejectionOf(request(progress, one));
	if (reason === undefined) {
		failures.noteSuccess();
		return true;
	}

	const isLost = isUnclear(reason);
	const isRefused = isOfOneCompany(reason) || reason instanceof UnusableAnswer;
	if (!isLost && !isRefused) throw reason;

	const { findings } = progress;
	if (isLost) findings.failure ??= reason;
	else findings.refused.set(one.company, reason);
	failures.noteFailure(reason);
	return false;
}

/** One that cannot be paused does not stop the others, unless many fail. */
async function pauseUnwanted(progress: Progress, unwanted: Subscription[]): Promise<void> {
	const { findings, signal, kind } = progress;
	const failures: unknown[] = [];
	await concurrently(unwanted, CONCURRENT_REQUESTS, async (one) => {
		signal.throwIfAborted();
		if (failures.length >= CONCURRENT_REQUESTS) return;
		const reason = await rejectionOf(sendPause(progress, one));
		// The service may know it again later, so its secret is kept.
		if (isGone(reason)) one.state = 'paused';
		else if (reason !== undefined) failures.push(reason);
	});

	const failure = kind === 'unpublish' ? failures[0] : failures.find(isTemporary);
	findings.failure ??= failure;
}
