import { difference, filter, map, union } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';

import type { Registry } from '../../registry/registry';
import { waitUnlessAborted } from '../../shared/async';
import { digestOf } from '../../shared/digest';
import { problemOf } from '../../shared/words';
import { identifyActivated } from '../identity/identity';
import { keeperOf, type Keeper } from './keeper';
import { describeFailure } from './report';
import { Round } from './round';
import { Standings } from './standings';
import { readState } from '../memory/state';
import { writeAll, type Store } from '../memory/store';
import { TIMES } from './times';
import { readWish, type Wish } from './wish';

/** n8n tries a publish that fails so often. */
const ATTEMPTS_OF_N8N = 5;

/**
 * Brings the account to the wanted state: one active webhook for each wanted company, none for others. n8n has its
 * answer when all is done, or after a minute, and the work goes on behind it. At a start of n8n it has its answer at
 * once, and nothing is thrown: n8n would take the trigger down.
 * @throws NodeOperationError where nothing that is wanted is watched: why, and what to do
 */
export async function publish(context: IHookFunctions): Promise<void> {
	const identity = identifyActivated(context);
	const staticData = context.getWorkflowStaticData('global');
	const keeper = keeperOf(identity);
	const { store } = keeper;
	store.load(readState(staticData, identity));
	const { wish, problem } = readWish(context, store);
	const isStart = isStartOfN8n(context, keeper);
	keeper.hasBegun = true;
	if (isStart) return keeper.goOn(wish, problem);

	const opened =
		problem ?? (await keeper.openAccount(context, wish, true).catch((reason: Error) => reason));
	try {
		if (opened instanceof Error) stayAsBefore(context, keeper, wish, opened, problem);
		else await bringAbout(context, keeper, wish, opened);
	} finally {
		writeAll(staticData, identity);
	}
}

/**
 * Whether n8n sets the trigger up because it has begun, and not because somebody publishes. Its mode alone does not
 * say so: after a kill in the middle of a publish it is that of a change.
 */
function isStartOfN8n(context: IHookFunctions, { hasBegun, store }: Keeper): boolean {
	const mode = context.getActivationMode();
	if (mode === 'init' || mode === 'leadershipChange') return true;
	// To publish a change, n8n has this process take the version before down first.
	const wasPublished =
		store.status === 'published' || (store.status !== 'new' && mode === 'update');
	return mode !== 'manual' && !hasBegun && wasPublished;
}

/** @throws where nothing of before is watched */
function stayAsBefore(
	context: IHookFunctions,
	keeper: Keeper,
	wish: Wish,
	problem: Error,
	lasting: Error | undefined,
): void {
	const companies = union(wish.companies, [...keeper.store.companies]);
	const standings = new Standings({ ...wish, companies }, keeper.store);
	standings.problem = standings.failure = problem;
	if (standings.active === 0) throw problemOf(context, describeFailure(standings));
	keeper.teller.forget();
	keeper.teller.showGoingOn(standings, Date.now(), { added: [], removed: [] });
	// What is wrong with the account is found anew by each check.
	keeper.goOn(wish, lasting);
}

async function bringAbout(
	context: IHookFunctions,
	keeper: Keeper,
	wish: Wish,
	registry: Registry,
): Promise<void> {
	const { store, teller } = keeper;
	const { status } = store;
	const isTest = context.getActivationMode() === 'manual';
	const occasion = isTest ? 'test' : 'publish';
	const isFirst = status === 'new';
	const what = JSON.stringify([context.getNode().parameters, registry.account]);
	failLikeBefore(keeper, what);

	const before = isFirst ? [] : [...store.companies];
	const heldBack = isFirst ? undefined : holdBack(store, wish);
	const companies = [...wish.companies, ...(heldBack?.companies ?? [])];
	const wanted: Wish = { ...wish, companies };
	const changes = {
		added: difference(companies, before),
		removed: difference(before, companies),
	};
	store.status = 'published';
	if (!isTest) keeper.wish = wanted;
	keeper.problem = undefined;
	store.spent.clear();
	teller.forget();

	const reply = new Reply();
	const began = performance.now();
	const work = keeper.begin(occasion, async (superseded) => {
		const stopped = new AbortController();
		const ended = new AbortController();
		const signal = AbortSignal.any([superseded, stopped.signal]);
		const round = new Round(occasion, keeper, wanted, registry, signal, () => reply.isGiven);
		const { standings } = round;
		standings.heldBack = heldBack;
		const elapsed = () => performance.now() - began;
		const answer = () => {
			if (reply.isGiven) return;
			// A test has no time but that of its publish.
			if (isTest || hasFailed(standings, isFirst)) return stopped.abort();
			reply.give();
			teller.showGoingOn(standings, Date.now(), changes);
		};
		const persevering = round
			.persevere(() => elapsed() >= TIMES.passingFault && answer())
			.finally(() => ended.abort());
		const isOver = AbortSignal.any([superseded, ended.signal]);
		await Promise.race([persevering, waitUnlessAborted(TIMES.answer - elapsed(), isOver)]);
		if (!isOver.aborted) answer();
		await persevering;
		if (superseded.aborted) return;
		if (!reply.isGiven && hasFailed(standings, isFirst)) {
			store.status = status;
			store.close();
			keeper.wish = undefined;
			const error = problemOf(context, describeFailure(standings, elapsed() >= TIMES.answer));
			keeper.failed = { what, error, attempts: 1, began };
			return reply.give(error);
		}
		const isSaved = !reply.isGiven;
		store.addressChanged = wish.options.addressChanged;
		reply.give();
		// What was on its way when n8n's time was over is watched after all: the rest follows.
		if (stopped.signal.aborted && !isTest) return keeper.goOn(wanted, undefined);
		keeper.schedule(standings, Date.now());
		if (!isTest) teller.conclude(standings, Date.now(), changes, isSaved);
	});
	// Nothing fails of a publish that something else has taken the place of: n8n would undo what that does.
	void work.done.then(() => reply.give());
	const failure = await reply.promise;
	if (failure) throw failure;
}

/**
 * n8n's further attempts of a publish fail like the first, and at once: n8n's time is for all of them, and it would
 * show words of its own in place of ours.
 */
function failLikeBefore(keeper: Keeper, what: string): void {
	const { failed } = keeper;
	const isRepeated = failed?.what === what && failed.attempts++ < ATTEMPTS_OF_N8N;
	if (isRepeated && performance.now() - failed.began < TIMES.attempts) throw failed.error;
	keeper.failed = undefined;
}

/** A first publish is strict, because nothing is lost yet by stopping. */
function hasFailed(standings: Standings, isFirst: boolean): boolean {
	if (standings.active === 0) return true;
	const { failure, wish } = standings;
	const isRefused =
		standings.in('refused').length > 0 && wish.options.refusedCompanies !== 'leaveOut';
	return isFirst && (isRefused || standings.in('doubled').length > 0 || failure !== undefined);
}

/**
 * A company is not paused because its cell went wrong: a list with such cells takes nobody out before a person has
 * published it a second time. Those are not asked about again while they stay, whatever becomes of other rows.
 */
function holdBack(store: Store, { companies, unreadable }: Wish): Standings['heldBack'] {
	const cells = filter(unreadable, 'looksMistyped');
	const dropped = difference([...store.companies], companies);
	const isQuestion = cells.length > 0 && dropped.length > 0;
	const asked = digestOf(map(cells, 'words').sort().join('\n'), 16);
	if (store.askedAbout === asked) return undefined;
	store.askedAbout = isQuestion ? asked : undefined;
	return isQuestion ? { cells, companies: dropped } : undefined;
}

/** What n8n waits for: an error, or nothing where the publish succeeds. */
class Reply {
	isGiven = false;
	private resolve: (failure: Error | undefined) => void = () => undefined;
	readonly promise = new Promise<Error | undefined>((resolve) => (this.resolve = resolve));

	/** What is given later does not count. */
	give(failure?: Error): void {
		this.isGiven = true;
		this.resolve(failure);
	}
}
