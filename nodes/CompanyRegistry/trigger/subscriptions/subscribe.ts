import type { IHookFunctions } from 'n8n-workflow';

import { concurrently } from '../../shared/concurrently';
import { CONCURRENT_REQUESTS, type Registry } from '../../registry/registry';
import type { Webhook } from '../../registry/schemas';
import { listWebhooks } from '../../registry/webhooks';
import { withReference } from '../memory/destination';
import type { DestinationKind } from '../memory/identity';
import { servesAnotherN8n, type TriggerMemory } from '../memory/triggerMemory';
import { takePausedTestWebhooks } from '../memory/triggers';
import { mayBeActive } from '../memory/webhookLines';
import type { Watchlist } from '../parameters/watchlist';
import { isListed } from './answers';
import { isAnythingLeft, pauseLeftAccounts } from './pausing/leftAccounts';
import { namesOf, pauseWebhooks } from './pausing/pauseWebhooks';
import { isAsWanted, makePlan, planByMemory, type Plan, type Wanted } from './plan';
import {
	describeLost,
	describeRefusals,
	describeUnchecked,
	PublishFailure,
	TooSlow,
} from './publishErrors';
import type { Goal } from './reconciler';
import { Refusals } from './refusals';
import { createWebhookOf, resumeWebhook, type CompanySetup } from './subscribeCompany';

export interface SubscribeInput {
	context: IHookFunctions;
	registry: Registry;
	kind: DestinationKind;
	watchlist: Watchlist;
	/** n8n's URL of the trigger. */
	url: string;
	/** Whether companies that the service refuses are left out, or make the publish fail. */
	leavesOut: boolean;
	/** When it has to be through, in milliseconds since the epoch. */
	deadline: number;
}

/** Milliseconds before the deadline at which n8n is answered although webhooks are still being paused. */
const TIME_FOR_ONE_MORE_PAUSE = 15_000;

/**
 * Moves the account to what is wanted: lists, plans, and sends the difference.
 * @throws PublishFailure with the reason and how far it came
 */
export async function subscribe(
	memory: TriggerMemory,
	goal: Goal,
	input: SubscribeInput,
): Promise<void> {
	const subscription = new Subscription(memory, goal, input);
	await subscription
		.carryOut()
		.catch((reason: unknown) => {
			throw new PublishFailure(reason, subscription.progress);
		})
		.finally(() => subscription.logLost());
}

class Subscription {
	/** Companies that are as wanted. */
	private succeeded = 0;
	/** Companies whose new webhook may exist although the service's answer was lost. */
	private readonly lost: string[] = [];
	private readonly refusals = new Refusals();
	private readonly wanted: Wanted;
	private readonly company: CompanySetup;

	constructor(
		private readonly memory: TriggerMemory,
		private readonly goal: Goal,
		private readonly input: SubscribeInput,
	) {
		this.wanted = {
			...input.watchlist,
			urlOf: (reference) => withReference(input.url, reference),
		};
		const { context, registry } = input;
		const onLost = (company: string) => this.lost.push(company);
		this.company = { memory, context, registry, wanted: this.wanted, onLost };
	}

	get progress() {
		return { done: this.succeeded, of: this.wanted.companies.length, lost: this.lost };
	}

	async carryOut(): Promise<void> {
		const { memory, wanted, input } = this;
		input.registry.finishBy(input.deadline);
		if (input.kind === 'test') {
			takePausedTestWebhooks(memory, input.registry.account, wanted.companies);
		}
		this.stopIfAllTimeIsUsed();
		const listed = await this.list();
		if (listed !== undefined) {
			this.useAccount(listed);
			memory.wantEvents(wanted.events);
			await this.act(makePlan(wanted, memory.current, listed), listed);
		}
		memory.published = true;
	}

	/**
	 * The account's webhooks by id; undefined when the service cannot be asked and nothing has to be done
	 * by what is known here, so that a renamed node goes on while the service is down.
	 */
	private async list(): Promise<Map<string, Webhook> | undefined> {
		const { memory, input, wanted } = this;
		const { context, registry } = input;
		if (memory.webhooks.size === 0) return new Map();
		return await listWebhooks(registry).then(
			({ webhooks }) => webhooks,
			(reason: unknown) => {
				this.stopIfSuperseded();
				const isSameAccount = registry.account === memory.account;
				const leftOut = new Set(input.leavesOut ? memory.leftOut : []);
				const companies = wanted.companies.filter((company) => !leftOut.has(company));
				const isUnchanged = isAsWanted({ ...wanted, companies }, memory.current);
				if (!isSameAccount || !isUnchanged) throw reason;
				context.logger.warn(
					`Company Registry Trigger: ${describeUnchecked(context.getNode(), reason)}`,
				);
				return undefined;
			},
		);
	}

	/** A listed webhook of ours proves whose account it is, even under a new credential or key. */
	private useAccount(listed: Map<string, Webhook>): void {
		const { memory, input } = this;
		const { context, registry } = input;
		const before = memory.account;
		memory.useAccount(
			registry.account,
			(key, webhooks) =>
				!servesAnotherN8n(key) && webhooks.some((webhook) => isListed(webhook, listed)),
		);
		if (before === registry.account) return;
		const left = memory.of(before).filter(mayBeActive);
		if (left.length === 0) return;
		context.logger.warn(
			`Company Registry Trigger: "${context.getNode().name}" now uses another account. Its webhooks at the account before are paused if that account's key is still known here, and otherwise stay active: ${namesOf(left)}`,
		);
	}

	private async act(plan: Plan, listed: Map<string, Webhook>): Promise<void> {
		const { memory, goal, input } = this;
		const { events } = this.wanted;
		for (const webhook of plan.keep) memory.note({ ...webhook, events, status: 'watched' });
		for (const webhook of plan.alreadyPaused) memory.note({ ...webhook, status: 'paused' });
		this.succeeded = plan.keep.length;
		const toSetUp = [...plan.resume, ...plan.create];
		await concurrently(toSetUp, CONCURRENT_REQUESTS, async (next) => {
			this.stopIfSuperseded();
			this.stopIfLate();
			await (typeof next === 'string'
				? this.withRefusals(next, createWebhookOf(next, this.company))
				: this.withRefusals(next.company, resumeWebhook(next, listed.has(next.id), this.company)));
		});
		this.judgeRefusals();
		// An earlier attempt may have set up everything, and have had no time left to say so.
		if (toSetUp.length > 0) this.stopIfLate();
		for (const webhook of plan.pause) memory.note({ ...webhook, status: 'unconfirmed' });
		this.settleIfLate();
		await pauseWebhooks(input.context, input.registry, plan.pause, goal, (webhook) => {
			memory.note(webhook);
			this.settleIfLate();
		});
		// How long the account before takes is not known, and what n8n has to save is complete.
		if (isAnythingLeft(memory)) this.settle();
		await pauseLeftAccounts(input.context, memory, input.registry, goal);
		this.stopIfSuperseded();
	}

	/** A refusal that concerns one company does not stop the others; any other reason does. */
	private async withRefusals(company: string, work: Promise<void>): Promise<void> {
		await work.then(
			() => {
				this.succeeded++;
			},
			(reason: unknown) => this.refusals.add(company, reason, this.succeeded),
		);
	}

	private judgeRefusals(): void {
		const { memory, input, wanted } = this;
		memory.leftOut = [];
		const refused = this.refusals.asError();
		if (refused === undefined) return;
		if (!input.leavesOut || this.succeeded === 0) throw refused;
		memory.leftOut = refused.refusals.map(({ company }) => company);
		input.context.logger.warn(
			`Company Registry Trigger: "${input.context.getNode().name}" leaves out ${memory.leftOut.length} of ${wanted.companies.length} companies, which the service refused: ${describeRefusals(refused).join(' ')}`,
		);
	}

	/** What n8n shows is how its last attempt ended, and nothing of this one if that succeeds. */
	logLost(): void {
		if (this.lost.length === 0) return;
		this.input.context.logger.warn(`Company Registry Trigger: ${describeLost(this.lost)}`);
	}

	private stopIfSuperseded(): void {
		if (this.goal.isSuperseded) throw new Error('Something else is wanted by now');
	}

	private settleIfLate(): void {
		if (Date.now() > this.input.deadline - TIME_FOR_ONE_MORE_PAUSE) this.settle();
	}

	/** All that is wanted is watched by now. Pausing the rest goes on, but n8n need not wait for it. */
	private settle(): void {
		if (this.goal.isSuperseded) return;
		this.memory.published = true;
		this.goal.settle();
	}

	/**
	 * Before any request: n8n shows what its last attempt says, if that one ends in time. Where all is
	 * set up, the attempt goes on.
	 */
	private stopIfAllTimeIsUsed(): void {
		if (!this.isLate) return;
		const { keep, resume, create } = planByMemory(this.wanted, this.memory.current);
		this.succeeded = keep.length;
		if (resume.length + create.length > 0) throw new TooSlow();
	}

	private stopIfLate(): void {
		if (this.isLate) throw new TooSlow();
	}

	private get isLate(): boolean {
		return Date.now() > this.input.deadline;
	}
}
