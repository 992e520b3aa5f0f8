import { keyBy } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';

import { CONCURRENT_REQUESTS, type Registry } from '../../registry/registry';
import { listWebhooks, type Webhook } from '../../registry/webhooks';
import { concurrently } from '../../shared/concurrently';
import { withReference } from '../memory/destination';
import { mayBeActive, type Subscription } from '../memory/subscription';
import { knownIds, type TriggerMemory } from '../memory/trigger';
import { useAccount } from './account';
import {
	describeRefusals,
	describeUnchecked,
	PublishError,
	Refusals,
	type Progress,
} from './errors';
import { makePlan, type Plan } from './plan';
import { createSubscription, resumeSubscription, type CompanySetup } from './subscribeCompany';

export interface Subscribing {
	context: IHookFunctions;
	memory: TriggerMemory;
	registry: Registry;
	companies: string[];
	events: string[];
	/** n8n's URL of the trigger. */
	url: string;
	/** Whether companies that the service refuses are left out, or make the publish fail. */
	leavesOut: boolean;
	/** Aborted once something else is wanted, or n8n does not wait any longer. */
	signal: AbortSignal;
	/** Kept up to date. */
	progress: Progress;
}

/**
 * Moves the account to what is wanted: lists, plans, and sends the difference. Each answer is kept at once.
 * @returns what is not wanted any more and has to be paused
 * @throws PublishError, or RegistryFailure where the account could not be looked at
 */
export async function subscribe(publish: Subscribing): Promise<Subscription[]> {
	const { memory, registry, url, signal, companies, events } = publish;
	const listed = await listAccount(publish);
	if (listed === undefined) return unwantedIn(publish);
	const group = await useAccount(publish, listed);
	const wanted = {
		companies,
		events,
		urlOf: (reference: string) => withReference(url, reference),
	};
	const plan = makePlan(wanted, [...group.subscriptions.values()], listed);
	const { lost } = publish.progress;
	const ids = knownIds(registry.account);
	await setUp(publish, plan, { memory, registry, group, wanted, ids, lost, signal }, listed);
	return plan.pause;
}

/**
 * The account's webhooks by id; undefined when the service cannot be asked and nothing has to be done
 * by what is known here, so that a renamed node goes on while the service is down.
 */
async function listAccount(publish: Subscribing): Promise<Map<string, Webhook> | undefined> {
	const { context, memory, registry, signal } = publish;
	signal.throwIfAborted();
	if (memory.size === 0) return new Map();
	return await listWebhooks(registry, signal).then(
		({ webhooks }) => webhooks,
		(reason: unknown) => {
			signal.throwIfAborted();
			if (registry.account !== memory.current?.account || !isUnchanged(publish)) throw reason;
			context.logger.warn(
				`Company Registry Trigger: ${describeUnchecked(context.getNode(), reason)}`,
			);
			return undefined;
		},
	);
}

/** What is not wanted and may be active, by what the service has confirmed. */
function unwantedIn({ memory }: Subscribing): Subscription[] {
	const known = [...(memory.current?.subscriptions.values() ?? [])];
	return known.filter((one) => !memory.companies.has(one.company) && mayBeActive(one));
}

/** Whether all that is wanted is watched, by what the service has confirmed. */
function isUnchanged({ memory, companies, leavesOut }: Subscribing): boolean {
	const known = [...(memory.current?.subscriptions.values() ?? [])];
	const watched = known.filter((one) => memory.isAsWanted(one)).map(({ company }) => company);
	const settled = new Set([...watched, ...(leavesOut ? memory.refused : [])]);
	return companies.every((company) => settled.has(company));
}

async function setUp(
	publish: Subscribing,
	{ keep, resume, create }: Plan,
	setup: CompanySetup,
	listed: Map<string, Webhook>,
): Promise<void> {
	const { progress } = publish;
	const refusals = new Refusals();
	/** A refusal that concerns one company does not stop the others; any other reason does. */
	const attempt = async (company: string, work: () => Promise<void>, notAsked = () => 0) => {
		setup.signal.throwIfAborted();
		await work().then(
			() => {
				progress.done++;
				refusals.end();
			},
			(reason: unknown) => refusals.add(company, reason, notAsked),
		);
	};

	progress.done = keep.length;
	await concurrently(resume, CONCURRENT_REQUESTS, async (one) => {
		const isListed = listed.has(one.id);
		await attempt(one.company, async () => await resumeSubscription(one, isListed, setup));
	});

	const queue = spread(create);
	const createNext = async () => {
		const [company] = queue.splice(0, 1);
		const work = async () => await createSubscription(company, setup);
		await attempt(company, work, () => queue.length);
	};
	// One by one until an answer could be used: each that cannot be leaves a webhook behind.
	const before = progress.done;
	while (queue.length > 0 && progress.done === before) await createNext();
	await concurrently([...queue], CONCURRENT_REQUESTS, createNext);
	judgeRefusals(publish, refusals);
}

function judgeRefusals(
	{ context, memory, companies, leavesOut, progress }: Subscribing,
	refusals: Refusals,
): void {
	memory.refused = [];
	if (refusals.all.length === 0) return;
	const byCompany = keyBy(refusals.all, 'company');
	const all = companies.flatMap((company) => byCompany[company] ?? []);
	if (!leavesOut || progress.done === 0) {
		throw new PublishError('Companies refused', { refusals: all });
	}
	memory.refused = all.map(({ company }) => company);
	context.logger.warn(
		`Company Registry Trigger: "${context.getNode().name}" leaves out ${all.length} of ${companies.length} companies, which the service refused: ${describeRefusals(all).join(' ')}`,
	);
}

/** What is beside each other in a sorted list is often refused alike: no two neighbours follow each other. */
function spread<T>(items: T[]): T[] {
	const { length } = items;
	let step = Math.max(1, Math.round(length * 0.618));
	while (greatestCommonDivisor(step, length) > 1) step++;
	return items.map((_, index) => items[(index * step) % length]);
}

function greatestCommonDivisor(one: number, other: number): number {
	return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
