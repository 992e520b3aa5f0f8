import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry, type Registry } from '../../registry/registry';
import { warn } from '../../shared/warn';
import { addressOf, checkDestination } from '../identity/destination';
import { next } from '../memory/phase';
import { writeState } from '../memory/state';
import { writeOthers, type PublishOutcome } from '../memory/trigger';
import { newKey } from '../messages/seal';
import { Messenger, messagesEnded } from '../messages/sendMessage';
import { askAboutAddress } from './address';
import { pauseAll, pauseLater } from './pause';
import { persevere } from './persevere';
import { Publication } from './publication';
import { mayPass } from './refusals';
import { outcomeOf, want, type AnswerOfPublish } from './runner';
import { Storing } from './storing';
import { subscribe } from './subscribe';
import { WAITS } from './waits';
import { readWish, type Wish } from './wish';
import { describeLost, failureBefore, failureOf, shortfallBefore, shortfallOf } from './words';

/**
 * Brings the account to the wanted state: one active webhook for each wanted company, none for others.
 *
 * It fails only where nothing that is wanted is watched: what it has set up is kept for the next publish then,
 * and paused unless that comes soon. Otherwise n8n has its answer when all is done, or after a minute, and the
 * work goes on behind it. What could not be done is shown as a failed execution.
 * @throws NodeOperationError or NodeApiError saying that nothing is watched, which companies failed, and what to do
 */
export async function publish(context: IHookFunctions): Promise<void> {
	// What ran before and has to end takes of n8n's time as well.
	const late = AbortSignal.timeout(WAITS.answer);
	const wish = readWish(context);
	const { identity, staticData, memory, url } = wish;
	const companies = wish.wanted?.companies ?? [...memory.companies];
	// A failed attempt of n8n's leaves webhooks that are about to be paused.
	const watched = memory.isProvisional ? 0 : memory.countWatched(companies, url);
	const { registry, problem } = await openAccount(wish);
	if (problem && watched === 0) throw failureBefore(context.getNode(), problem);

	memory.key ||= newKey();
	if (wish.wanted && registry) {
		memory.url = url;
		memory.events = wish.wanted.events;
		memory.companies = new Set(companies);
	}
	let storing: Storing | undefined;
	const run = want(memory, 'publish', async ({ signal, answer }) => {
		memory.phase = next(memory.phase, 'publish', companies.length);
		if (identity.kind === 'production') {
			const messenger = new Messenger(context, identity, memory, url, signal);
			storing = new Storing(messenger, memory, signal, (what) => warn(context, what));
		}
		try {
			if (wish.wanted && registry) {
				const { wanted, options, unreadable } = wish;
				const publication = new Publication(context, memory, registry, wanted, options, storing);
				publication.unreadable = unreadable;
				await bringAbout(publication, wish, watched === 0, signal, late, answer);
			} else if (problem) {
				answer.give({ left: 1 });
				await storing?.close(shortfallBefore(watched, memory.remaining, problem));
			}
		} finally {
			await storing?.end();
		}
	});
	const { failure, left } = await outcomeOf(memory, run);
	await messagesEnded(identity);
	if (!run.signal.aborted) {
		memory.isProvisional = failure !== undefined && watched === 0;
		const event = failure ? 'fail' : left === undefined ? 'done' : 'answer';
		memory.phase = next(memory.phase, event, left ?? 0);
		if (failure) pauseLater({ context, identity, memory, registry });
	}
	writeOthers(staticData, identity);
	if (memory.size > 0) writeState(staticData, identity, memory.toState());
	if (left !== undefined) storing?.noteAnswered();
	if (failure) throw failure;
}

/** The service as the node's credential shows it, or why nothing can be done at all. */
async function openAccount({
	context,
	memory,
	url,
	options,
	problem,
}: Wish): Promise<{ registry?: Registry; problem?: Error }> {
	if (problem) return { problem };
	try {
		askAboutAddress(context.getNode(), memory, url, options.addressChanged);
		const registry = await openRegistry(context);
		checkDestination(context, url, registry.baseUrl);
		return { registry };
	} catch (reason) {
		return { problem: reason as Error };
	}
}

/** The whole work of a publish, of which n8n waits for no more than it has to. */
async function bringAbout(
	publication: Publication,
	{ context, identity }: Wish,
	isFirst: boolean,
	superseded: AbortSignal,
	late: AbortSignal,
	answer: AnswerOfPublish,
): Promise<void> {
	const { memory, registry, wanted, storing, refusals } = publication;
	const stopped = new AbortController();
	const signal = AbortSignal.any([superseded, stopped.signal]);
	let isAnswered = false;
	let isTold = false;
	const giveAnswer = (outcome: PublishOutcome) => {
		isAnswered = true;
		answer.give(outcome);
	};
	const answerLate = async () => {
		await storing?.hold();
		if (isAnswered) return;
		// A test has no time but that of its publish.
		if (!hasFailed(publication, isFirst) && storing) {
			return giveAnswer({ left: memory.remaining });
		}
		stopped.abort();
		storing?.release();
	};
	const onLate = () => {
		if (!isAnswered) void answerLate();
	};
	if (late.aborted) onLate();
	else late.addEventListener('abort', onLate);

	const failure = await persevere(
		async () => {
			if (isAnswered && !isTold && publication.failure !== undefined) {
				isTold = true;
				await storing?.tell(shortfallOf(publication, true) ?? '');
			}
			publication.failure = await subscribe(publication, identity, signal).then(
				() => undefined,
				(reason: unknown) => reason,
			);
			if (publication.failure !== undefined) await Promise.reject(publication.failure);
		},
		() => publication.throughAt,
		signal,
		(reason) => mayPass(reason) && (isAnswered || !isFirst),
	);
	if (failure !== undefined) publication.failure = failure;
	if (refusals.lost.length > 0) warn(context, describeLost(refusals.lost));
	if (superseded.aborted) return;
	if (!isAnswered && hasFailed(publication, isFirst)) {
		if (publication.done === 0) publication.undoAddress?.();
		const failed = failureOf(context.getNode(), publication, stopped.signal.aborted);
		return giveAnswer({ failure: failed });
	}
	const address = addressOf(wanted.url);
	for (const group of memory.groups) {
		const left = await pauseAll(group, memory.unwantedOf(group), {
			registry,
			address,
			signal,
		});
		if (left) publication.left.push(left);
	}
	if (superseded.aborted) return;
	const words = shortfallOf(publication);
	const isOpen = isAnswered || words !== undefined;
	giveAnswer(isOpen ? { left: memory.remaining } : {});
	if (isOpen) await storing?.close(words, publication.failure);
}

/** A first publish is strict, because nothing is lost yet by stopping. */
function hasFailed(publication: Publication, isFirst: boolean): boolean {
	const { refusals, doubled, failure, options, watched } = publication;
	if (watched === 0) return true;
	const isRefused = refusals.all.length > 0 && options.refusedCompanies !== 'leaveOut';
	return isFirst && (isRefused || doubled.length > 0 || failure !== undefined);
}
