import { map, partition, shuffle, sortBy } from 'lodash';

import { CONCURRENT_REQUESTS } from '../../registry/registry';
import { listWebhooks, type Webhook } from '../../registry/webhooks';
import { comparableNumber } from '../../shared/companyNumber';
import { concurrently } from '../../shared/async';
import { warn } from '../../shared/words';
import type { Subscription } from '../memory/subscription';
import { findMemory } from '../memory/trigger';
import { useAccount } from './account';
import { useAddress } from './address';
import { describeUnchecked } from './checkPublished';
import { makePlan, type Plan } from './plan';
import type { Publication } from './publication';
import { isGone, mayPass } from './refusals';
import { createSubscription, resumeSubscription } from './subscribeCompany';

/** So many companies that are watched already may be watched once more without asking. */
const FEW = 20;

/**
 * Moves the account to what is wanted: lists, plans, and sends the difference. Each answer is kept at once.
 * A refusal that concerns one company does not stop the others; any other failure does.
 * @throws RegistryFailure, GivenUp, NotStored, or Error where the service's answer is none
 */
export async function subscribe(publication: Publication): Promise<void> {
	const { context, memory, registry, wanted, options, signal } = publication;
	signal.throwIfAborted();
	const listed = await listWebhooks(registry, signal).then(
		({ webhooks }) => webhooks,
		(reason: unknown) => {
			// A renamed node goes on while the service is down.
			if (signal.aborted || !isDone(publication)) throw reason;
			warn(context, describeUnchecked(reason));
			return undefined;
		},
	);
	if (listed === undefined) return;
	const address = useAddress(memory, wanted.url, options.addressChanged);
	if (address) {
		warn(context, address.done);
		publication.undoAddress = address.undo;
	}
	await useAccount(publication, listed);
	const plan = makePlan(wanted, memory.known, listed);
	const doubled = findDoubled(publication, plan, listed);
	// What an interrupted publish has made and not stored delivers to this trigger, and nobody can use it.
	const isMany = doubled.length > FEW && !memory.mayHaveLost;
	publication.doubled = isMany && options.alreadyWatched === 'ask' ? doubled : [];
	await carryOut(publication, plan, listed);
	memory.mayHaveLost = false;
}

/** Whether nothing has to be done, by what the service has confirmed. */
function isDone({ memory, registry, missing }: Publication): boolean {
	const isSame = registry.account === memory.current?.account;
	return isSame && missing.length === 0 && memory.remaining === 0;
}

/** Companies to be created that have an active webhook which this trigger does not know. */
function findDoubled(
	{ identity }: Publication,
	{ create }: Plan,
	listed: Map<string, Webhook>,
): string[] {
	if (identity.kind === 'test') return [];
	const kinds = ['production', 'test'] as const;
	const own = kinds.flatMap((kind) => findMemory({ ...identity, kind })?.all ?? []);
	const ids = new Set(map(own, 'id'));
	const others = [...listed.values()].filter(({ id, is_active }) => is_active && !ids.has(id));
	const watched = new Set(others.map((webhook) => comparableNumber(webhook.company_number)));
	return create.filter((company) => watched.has(company));
}

async function carryOut(
	publication: Publication,
	{ resume, create }: Plan,
	listed: Map<string, Webhook>,
): Promise<void> {
	const { memory, refusals, doubled, postponed, storing, signal } = publication;
	const isAttempted = (company: string) => !refusals.has(company) && !doubled.includes(company);
	const [last, first] = partition(
		resume.filter(({ company }) => isAttempted(company)),
		({ reference }) => postponed.has(reference),
	);
	let creates: Array<{ company: string; replaced?: Subscription }> = create
		.filter(isAttempted)
		.map((company) => ({ company }));
	const notAsked = () => first.length + last.length + creates.length;
	/** Work that ends with false has not been let through. */
	const attempt = async (company: string, work: () => Promise<boolean>) => {
		signal.throwIfAborted();
		await (storing ? storing.make(work) : work()).then(
			(isThrough) => {
				if (!isThrough) return;
				refusals.noteAccepted();
				publication.noteThrough();
			},
			(reason: unknown) => refusals.add(company, reason, notAsked),
		);
	};
	const updateNext = async (updates: Subscription[]) => {
		const [one] = updates.splice(0, 1);
		await attempt(one.company, async () => {
			return await resumeSubscription(one, publication).then(
				() => true,
				(reason: unknown) => {
					if (mayPass(reason)) postponed.add(one.reference);
					if (listed.has(one.id) || !isGone(reason)) throw reason;
					creates.push({ company: one.company, replaced: one });
					return false;
				},
			);
		});
	};
	const ids = new Set([...map(memory.all, 'id'), ...listed.keys()]);
	const createNext = async () => {
		const [{ company, replaced }] = creates.splice(0, 1);
		await attempt(company, async () => {
			await createSubscription(company, ids, publication);
			// Forgotten only after its replacement exists: a wrong 404 must not cost us the secret.
			if (replaced) memory.current?.subscriptions.delete(replaced.reference);
			return true;
		});
	};
	for (const updates of [first, last]) {
		await concurrently([...updates], CONCURRENT_REQUESTS, async () => await updateNext(updates));
		// Neighbours in a sorted list are often refused alike, which must not look as if all were. An answer
		// that was lost may be lost again.
		creates = sortBy(shuffle(creates), ({ company }) => refusals.lost.includes(company));
		// One by one until an answer could be used: each that cannot be leaves a webhook behind.
		const { done } = publication;
		while (creates.length > 0 && publication.done === done) await createNext();
		await concurrently([...creates], CONCURRENT_REQUESTS, createNext);
	}
}
