import { difference, shuffle, sortBy } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';

import { CONCURRENT_REQUESTS } from '../../registry/registry';
import { listWebhooks, type Webhook } from '../../registry/webhooks';
import { concurrently } from '../../shared/concurrently';
import { warn } from '../../shared/warn';
import { mayBeActive, type Subscription } from '../memory/subscription';
import { knownIds } from '../memory/trigger';
import { useAccount } from './account';
import {
	describeRefusals,
	describeUnchecked,
	PublishError,
	Refusals,
	type Refusal,
} from './errors';
import { findUnconfirmed, makePlan, type Plan } from './plan';
import { createSubscription, resumeSubscription, type Subscribing } from './subscribeCompany';

export interface Publishing extends Omit<Subscribing, 'ids'> {
	context: IHookFunctions;
	/** Whether companies that the service refuses are left out, or make the publish fail. */
	leavesOut: boolean;
}

/**
 * Moves the account to what is wanted: lists, plans, and sends the difference. Each answer is kept at once.
 * @returns what is not wanted any more and has to be paused
 * @throws PublishError, or RegistryFailure where the account could not be looked at
 */
export async function subscribe(publish: Publishing): Promise<Subscription[]> {
	const { memory, registry, wanted, signal } = publish;
	signal.throwIfAborted();
	const setUp = async (listed: Map<string, Webhook>) => {
		await useAccount(publish, listed);
		const plan = makePlan(wanted, memory.known, listed);
		const refused = await carryOut({ ...publish, ids: knownIds(registry.account) }, plan, listed);
		judge(publish, refused);
		return plan.pause;
	};
	if (memory.size === 0) return await setUp(new Map());
	return await listWebhooks(registry, signal).then(
		async ({ webhooks }) => await setUp(webhooks),
		(reason: unknown) => {
			signal.throwIfAborted();
			return goOnUnchecked(publish, reason);
		},
	);
}

/**
 * Where the service cannot be asked and all that is wanted is watched by what it has confirmed, that is
 * enough, so that a renamed node goes on while the service is down.
 * @returns what is not wanted any more
 * @throws the reason, where anything has to be set up
 */
function goOnUnchecked(
	{ context, memory, registry, wanted, leavesOut }: Publishing,
	reason: unknown,
): Subscription[] {
	const unconfirmed = findUnconfirmed(wanted, memory.known);
	const isDone =
		registry.account === memory.current?.account &&
		difference(unconfirmed, leavesOut ? memory.refused : []).length === 0;
	if (!isDone) throw reason;
	warn(context, describeUnchecked(reason));
	return memory.known.filter((one) => !memory.companies.has(one.company) && mayBeActive(one));
}

/**
 * A refusal that concerns one company does not stop the others; any other failure does.
 * @returns the companies that were refused
 */
async function carryOut(
	publish: Subscribing,
	{ keep, resume, create }: Plan,
	listed: Map<string, Webhook>,
): Promise<Refusal[]> {
	const { progress, signal } = publish;
	const refusals = new Refusals();
	const attempt = async (company: string, work: Promise<void>, notAsked = () => 0) => {
		await work.then(
			() => {
				progress.done++;
				refusals.end();
			},
			(reason: unknown) => refusals.add(company, reason, notAsked),
		);
	};

	progress.done = keep.length;
	await concurrently(resume, CONCURRENT_REQUESTS, async (one) => {
		signal.throwIfAborted();
		await attempt(one.company, resumeSubscription(one, listed.has(one.id), publish));
	});

	// Neighbours in a sorted list are often refused alike, which must not look as if all were.
	const queue = shuffle(create);
	const createNext = async () => {
		signal.throwIfAborted();
		const [company] = queue.splice(0, 1);
		await attempt(company, createSubscription(company, publish), () => queue.length);
	};
	// One by one until an answer could be used: each that cannot be leaves a webhook behind.
	const before = progress.done;
	while (queue.length > 0 && progress.done === before) await createNext();
	await concurrently([...queue], CONCURRENT_REQUESTS, createNext);
	return refusals.all;
}

/** @throws PublishError unless refused companies are left out, and others are watched */
function judge({ context, memory, wanted, leavesOut, progress }: Publishing, all: Refusal[]): void {
	memory.refused = [];
	if (all.length === 0) return;
	const refusals = sortBy(all, 'company');
	if (!leavesOut || progress.done === 0) throw new PublishError('', refusals);
	memory.refused = refusals.map(({ company }) => company);
	warn(
		context,
		`leaves out ${refusals.length} of ${wanted.companies.length} companies, which the service refused: ${describeRefusals(refusals).join(' ')}`,
	);
}
