import type { IHookFunctions } from 'n8n-workflow';

import { openRegistry } from '../../registry/registry';
import { warn } from '../../shared/words';
import { addressOf, checkDestination } from '../identity/destination';
import { next } from '../memory/phase';
import { writeAll } from '../memory/trigger';
import { newKey } from '../messages/seal';
import { Messenger, messagesEnded } from '../messages/sendMessage';
import { askAboutAddress } from './address';
import { pauseAll, pauseLater } from './pause';
import { persevere } from './persevere';
import { Publication, readWish, type Wish } from './publication';
import { mayPass } from './refusals';
import { outcomeOf, want, type AnswerOfPublish } from './runner';
import { Storing } from './storing';
import { subscribe } from './subscribe';
import { WAITS } from './waits';
import { describeLost, failureBefore, failureOf, shortfallBefore, shortfallOf } from './words';

/**
 * Brings the account to the wanted state: one active webhook for each wanted company, none for others.
 * n8n has its answer when all is done, or after a minute, and the work goes on behind it. What could not be done
 * is shown as a failed execution.
 * @throws NodeOperationError or NodeApiError where nothing that is wanted is watched: why, and what to do
 */
export async function publish(context: IHookFunctions): Promise<void> {
	// What ran before and has to end takes of n8n's time as well.
	const late = AbortSignal.timeout(WAITS.answer);
	const wish = readWish(context);
	const { identity, staticData, memory, options, url } = wish;
	const companies = wish.wanted?.companies ?? [...memory.companies];
	// A failed attempt of n8n's leaves webhooks that are about to be paused.
	const watched = memory.isProvisional ? 0 : memory.countWatched(companies, url);
	const { wanted, registry, problem } = await openAccount(wish);
	if (problem && watched === 0) throw failureBefore(context.getNode(), problem);

	memory.key ||= newKey();
	if (!problem) {
		memory.url = url;
		memory.events = wanted.events;
		memory.companies = new Set(companies);
	}
	let storing: Storing | undefined;
	const run = want(memory, 'publish', async (signal, answer) => {
		memory.phase = next(memory.phase, 'publish', companies.length);
		if (identity.kind === 'production') {
			const messenger = new Messenger(context, identity, memory, url, signal);
			storing = new Storing(messenger, memory, signal, (what) => warn(context, what));
		}
		try {
			if (problem) {
				answer.give({ left: 1 });
				await storing?.close(shortfallBefore(watched, memory.remaining, problem));
			} else {
				const about = [context, identity, memory, registry, wanted, options] as const;
				const publication = new Publication(...about, storing, signal);
				await bringAbout(publication, watched === 0, late, answer);
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
	writeAll(staticData, identity);
	if (left !== undefined) storing?.noteAnswered();
	if (failure) throw failure;
}

/** Opens the account in which it is brought about, or says why nothing can be done at all. */
async function openAccount({ context, memory, url, options, wanted, problem }: Wish) {
	if (problem) return { wanted, problem };
	try {
		askAboutAddress(context.getNode(), memory, url, options.addressChanged);
		const registry = await openRegistry(context);
		checkDestination(context, url, registry.baseUrl);
		return { wanted, registry, problem };
	} catch (reason) {
		return { problem: reason as Error };
	}
}

/** The whole work of a publish, of which n8n waits for no more than it has to. */
async function bringAbout(
	publication: Publication,
	isFirst: boolean,
	late: AbortSignal,
	answer: AnswerOfPublish,
): Promise<void> {
	const { context, memory, registry, wanted, storing, refusals } = publication;
	const { signal, superseded, stopped } = publication;
	const answerLate = async () => {
		await storing?.hold();
		if (answer.isGiven) return;
		// A test has no time but that of its publish.
		if (storing && !hasFailed(publication, isFirst)) {
			return answer.give({ left: memory.remaining });
		}
		stopped.abort();
		storing?.release();
	};
	if (late.aborted) void answerLate();
	else late.addEventListener('abort', () => void answerLate());

	let isTold = false;
	const failure = await persevere(
		async () => {
			if (answer.isGiven && !isTold && publication.failure !== undefined) {
				isTold = true;
				await storing?.tell(shortfallOf(publication, true) ?? '');
			}
			await subscribe(publication).then(
				() => (publication.failure = undefined),
				(reason: unknown) => {
					publication.failure = reason;
					throw reason;
				},
			);
		},
		() => publication.throughAt,
		signal,
		(reason) => mayPass(reason) && (answer.isGiven || !isFirst),
	);
	if (failure !== undefined) publication.failure = failure;
	if (refusals.lost.length > 0) warn(context, describeLost(refusals.lost));
	if (superseded.aborted) return;
	if (!answer.isGiven && hasFailed(publication, isFirst)) {
		if (publication.done === 0) publication.undoAddress?.();
		const failed = failureOf(context.getNode(), publication, stopped.signal.aborted);
		return answer.give({ failure: failed });
	}
	const address = addressOf(wanted.url);
	for (const group of memory.groups) {
		const unwanted = memory.unwantedOf(group);
		const left = await pauseAll(group, unwanted, { registry, address, signal });
		if (left) publication.left.push(left);
	}
	if (superseded.aborted) return;
	const words = shortfallOf(publication);
	const isOpen = answer.isGiven || words !== undefined;
	answer.give(isOpen ? { left: memory.remaining } : {});
	if (isOpen) await storing?.close(words, publication.failure);
}

/** A first publish is strict, because nothing is lost yet by stopping. */
function hasFailed(publication: Publication, isFirst: boolean): boolean {
	const { refusals, doubled, failure, options, watched } = publication;
	if (watched === 0) return true;
	const isRefused = refusals.all.length > 0 && options.refusedCompanies !== 'leaveOut';
	return isFirst && (isRefused || doubled.length > 0 || failure !== undefined);
}
