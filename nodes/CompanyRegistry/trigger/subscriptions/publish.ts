import { createHash } from 'crypto';

import { difference, map } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry, type Registry } from '../../registry/registry';
import { waitUnlessAborted } from '../../shared/async';
import { checkDestination } from '../identity/destination';
import { identifyActivated } from '../identity/identity';
import { askAboutAddress } from './account';
import { mustNotStore } from './hands';
import { keeperOf, type Keeper } from './keeper';
import { failureBefore, failureOf } from './report';
import { Standings } from './standings';
import { readState } from '../memory/state';
import { writeAll, type Store } from '../memory/store';
import { mayBeActive } from '../memory/subscription';
import { TIMES } from './times';
import { readWish, type Wish } from './wish';

/** n8n tries a publish that fails so often. */
const ATTEMPTS_OF_N8N = 5;

/**
 * Brings the account to the wanted state: one active webhook for each wanted company, none for others. n8n has its
 * answer when all is done, or after a minute, and the work goes on behind it. At a start of n8n it has its answer at
 * once, and nothing is thrown: n8n would take the trigger down.
 * @throws NodeOperationError or NodeApiError where nothing that is wanted is watched: why, and what to do
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
		problem ?? (await openAccount(context, store, wish).catch((reason: Error) => reason));
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

/** @throws why the account cannot be used, or must not be */
async function openAccount(context: IHookFunctions, store: Store, wish: Wish): Promise<Registry> {
	const problem =
		mustNotStore(context) ?? askAboutAddress(store, wish.url, wish.options.addressChanged);
	if (problem) throw problem;
	const registry = await openRegistry(context);
	checkDestination(context, wish.url, registry.baseUrl);
	return registry;
}

/** @throws where nothing of before is watched */
function stayAsBefore(
	context: IHookFunctions,
	keeper: Keeper,
	wish: Wish,
	problem: Error,
	lasting: Error | undefined,
): void {
	const standings = new Standings(wish, keeper.store);
	standings.problem = problem;
	if (standings.active === 0) throw failureBefore(context.getNode(), problem);
	// What is wrong with the account is found anew by each check.
	keeper.goOn(wish, lasting);
	keeper.teller.tellAnew(standings);
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
	const failedBefore = keeper.failureOfAttempt(what, ATTEMPTS_OF_N8N);
	if (failedBefore) throw failedBefore;

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
		const round = keeper.newRound(occasion, wanted, registry, signal, () => reply.isGiven);
		const { standings } = round;
		standings.heldBack = heldBack;
		const answerLate = () => {
			if (reply.isGiven || ended.signal.aborted) return;
			// A test has no time but that of its publish.
			if (isTest || hasFailed(standings, isFirst)) return stopped.abort();
			reply.give();
			teller.concludeAnswer(standings, Date.now(), changes);
		};
		const left = TIMES.answer - (performance.now() - began);
		void waitUnlessAborted(left, AbortSignal.any([superseded, ended.signal])).then(answerLate);
		await keeper.persevere(round, () => {
			// What concerns nothing at the service succeeds while that is down.
			if (isUnchanged(standings, store, registry)) reply.give();
			return isFirst && !reply.isGiven && performance.now() - began >= TIMES.firstPublish;
		});
		ended.abort();
		if (superseded.aborted) return;
		if (!reply.isGiven && hasFailed(standings, isFirst)) {
			store.status = status;
			store.isOpen = false;
			keeper.wish = undefined;
			const error = failureOf(context.getNode(), standings, stopped.signal.aborted);
			keeper.failed = { what, error, attempts: 1, at: began };
			return reply.give(error);
		}
		const isSaved = !reply.isGiven;
		store.addressChanged = wish.options.addressChanged;
		reply.give();
		keeper.schedule(standings, Date.now());
		if (!isTest) teller.conclude(standings, { occasion, at: Date.now(), changes, isSaved });
	});
	// Nothing fails of a publish that something else has taken the place of: n8n would undo what that does.
	void work.done.then(() => reply.give());
	const failure = await reply.promise;
	if (failure) throw failure;
}

/** A first publish is strict, because nothing is lost yet by stopping. */
function hasFailed(standings: Standings, isFirst: boolean): boolean {
	if (standings.active === 0) return true;
	const { failure, wish } = standings;
	const isRefused =
		standings.in('refused').length > 0 && wish.options.refusedCompanies !== 'leaveOut';
	return isFirst && (isRefused || standings.in('doubled').length > 0 || failure !== undefined);
}

/** Whether nothing has to be done at the service, by what it has confirmed. */
function isUnchanged({ wish, watched }: Standings, store: Store, registry: Registry): boolean {
	const wanted = new Set(wish.companies);
	const isWanted = store.known.every((one) => !mayBeActive(one) || wanted.has(one.company));
	const [current, ...former] = store.sets;
	const isPaused = former.every((set) => store.supersededIn(set).length === 0);
	const isSame = current?.account === registry.account && isPaused;
	return isSame && isWanted && watched === wish.companies.length;
}

/**
 * A company is not paused because its cell went wrong: a list with such cells takes nobody out before a person has
 * published it a second time.
 */
function holdBack(store: Store, { companies, unreadable }: Wish): Standings['heldBack'] {
	const cells = map(
		unreadable.filter(({ mayBeNumber }) => mayBeNumber),
		'words',
	);
	const dropped = difference([...store.companies], companies);
	const isQuestion = cells.length > 0 && dropped.length > 0;
	const asked = createHash('sha256').update(cells.join('\n')).digest('base64url').slice(0, 16);
	const isAnswered = store.askedAbout === asked;
	store.askedAbout = isQuestion ? asked : undefined;
	return isQuestion && !isAnswered ? { cells, companies: dropped } : undefined;
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
