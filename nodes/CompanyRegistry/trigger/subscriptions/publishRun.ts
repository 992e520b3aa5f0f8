import { randomBytes } from 'crypto';
import type { IHookFunctions } from 'n8n-workflow';

import { messageOf } from '../../shared/registry/failures';
import type { Registry } from '../../shared/registry/registryApi';
import { RegistryFailure } from '../../shared/registry/registryFailure';
import type { Webhook } from '../../shared/registry/schemas';
import { concurrently } from '../../shared/concurrently';
import { withReference } from '../memory/destination';
import { gatherKnown } from '../memory/gatherKnown';
import type { TriggerIdentity, TriggerState } from '../memory/knownWebhooks';
import { makePlan, type PlannableWebhook } from './plan';
import {
	forget,
	leaveOtherAccounts,
	ownerOf,
	remember,
	rememberState,
} from '../memory/processMemory';
import {
	CompanyFailure,
	explainPublishFailure,
	lostAnswers,
	SecretMissing,
	TooSlow,
} from './publishFailure';
import { Overtaken, type Turn } from './turns';
import type { Watchlist } from '../parameters/watchlist';
import {
	CONCURRENT_REQUESTS,
	createWebhook,
	isRefusedAsUnknown,
	listWebhooks,
	pauseAll,
	updateWebhook,
} from './webhookRequests';

export interface PublishInput {
	context: IHookFunctions;
	registry: Registry;
	identity: TriggerIdentity;
	watchlist: Watchlist;
	/** n8n's URL of the trigger. */
	url: string;
	/** The trigger's state until now. */
	before: TriggerState | undefined;
	turn: Turn;
	/** When it has to be through, in milliseconds since the epoch. */
	deadline: number;
}

/** One attempt to carry a plan out. */
export class PublishRun {
	private readonly name = randomBytes(9).toString('base64url');
	/** Every webhook of the account that this trigger knows, by reference. */
	private readonly known = new Map<string, PlannableWebhook>();
	/** References of what this run has made active, or may have. */
	private readonly touched = new Set<string>();
	/** Companies that are as wanted. */
	private done = 0;
	/** Companies whose new webhook may exist although the service's answer was lost. */
	private readonly lost: string[] = [];

	constructor(private readonly input: PublishInput) {}

	/** @throws NodeApiError, or Overtaken when a later run goes on from here */
	async carryOut(): Promise<void> {
		const { context, watchlist } = this.input;
		try {
			await this.setUp();
		} catch (reason) {
			await this.undo();
			this.writeDown(false);
			const active = this.touchedWebhooks().filter(({ status }) => status !== 'paused');
			throw explainPublishFailure(context.getNode(), reason, {
				done: this.done,
				of: watchlist.companies.length,
				stillActive: active.length,
				lost: this.lost,
			});
		}
		leaveOtherAccounts(this.input.registry.account, this.input.identity);
		this.writeDown(true);
	}

	private async setUp(): Promise<void> {
		const { registry, identity, watchlist, url, before, turn, deadline } = this.input;
		for (const webhook of gatherKnown(identity, before, registry.account, watchlist.companies)) {
			this.known.set(webhook.reference, webhook);
		}
		const listed: Map<string, Webhook> =
			this.known.size > 0 ? await listWebhooks(registry) : new Map();
		const urlOf = (reference: string) => withReference(url, reference);
		const plan = makePlan({ ...watchlist, urlOf }, [...this.known.values()], listed);
		for (const webhook of plan.keep) this.note({ ...webhook, status: 'watched' });
		for (const webhook of plan.rest) this.note({ ...webhook, status: 'paused' });
		this.done = plan.keep.length;
		await concurrently([...plan.resume, ...plan.create], CONCURRENT_REQUESTS, async (next) => {
			if (turn.overtaken) throw new Overtaken();
			if (Date.now() > deadline) throw new TooSlow();
			if (typeof next === 'string') await this.create(next);
			else await this.resume(next, listed.has(next.id));
			this.done++;
		});
		await this.pauseUnwanted(plan.pause);
		if (Date.now() > deadline) throw new TooSlow();
	}

	private async create(company: string): Promise<void> {
		const { context, registry, url: address, watchlist } = this.input;
		const reference = randomBytes(16).toString('base64url');
		const url = withReference(address, reference);
		const webhook = await createWebhook(registry, {
			url,
			company_number: company,
			events: watchlist.events,
		}).catch((reason: unknown) => {
			if (reason instanceof RegistryFailure && reason.mayBeDone) this.lost.push(company);
			throw new CompanyFailure(company, reason);
		});
		const { id, secret } = webhook;
		if (typeof secret !== 'string' || secret === '') {
			// Nothing that it delivers could ever be verified.
			await updateWebhook(registry, id, { is_active: false }).catch((reason: unknown) => {
				context.logger.warn(
					`Company Registry Trigger: webhook ${id} of company ${company} has no secret here and could not be paused; pause it at the service: ${messageOf(reason)}`,
				);
			});
			throw new CompanyFailure(company, new SecretMissing(id));
		}
		this.touched.add(reference);
		this.note({ reference, company, id, secret, status: 'watched', url });
	}

	private async resume(webhook: PlannableWebhook, isListed: boolean): Promise<void> {
		const { registry, url: address, watchlist } = this.input;
		const url = withReference(address, webhook.reference);
		// Should the answer be lost, it may be active, and at which destination is not known.
		this.touched.add(webhook.reference);
		this.note({ ...webhook, status: 'unpaused', url: undefined });
		const isResumed = await updateWebhook(registry, webhook.id, {
			url,
			events: watchlist.events,
			is_active: true,
		}).then(
			() => true,
			(reason: unknown) => {
				if (!isListed && isRefusedAsUnknown(reason)) return false;
				throw new CompanyFailure(webhook.company, reason);
			},
		);
		if (isResumed) return this.note({ ...webhook, status: 'watched', url });
		await this.create(webhook.company);
		// Only now: should the service have been mistaken, the secret would have been lost.
		forget(webhook.reference);
		this.known.delete(webhook.reference);
		this.touched.delete(webhook.reference);
	}

	/** A company that stays active although nobody wants it costs nothing: its deliveries start nothing. */
	private async pauseUnwanted(webhooks: PlannableWebhook[]): Promise<void> {
		const { context, registry, turn, deadline } = this.input;
		const paused = await pauseAll(context, registry, webhooks, turn, deadline);
		for (const webhook of webhooks) {
			this.note({ ...webhook, status: paused.has(webhook) ? 'paused' : 'unpaused' });
		}
	}

	/** A later run goes on from what this one has done: there, undoing would only cost time. */
	private async undo(): Promise<void> {
		const { context, registry, turn } = this.input;
		if (turn.overtaken) {
			if (this.lost.length > 0)
				context.logger.warn(`Company Registry Trigger: ${lostAnswers(this.lost)}`);
			return;
		}
		registry.stopWaiting();
		const paused = await pauseAll(context, registry, this.touchedWebhooks(), turn);
		for (const webhook of paused) this.note({ ...webhook, status: 'paused' });
	}

	private touchedWebhooks(): PlannableWebhook[] {
		return [...this.known.values()].filter(({ reference }) => this.touched.has(reference));
	}

	/** Remembers at once, in case this run never gets to write its state down. */
	private note(webhook: PlannableWebhook): void {
		const { registry, identity, watchlist } = this.input;
		this.known.set(webhook.reference, webhook);
		remember({
			...webhook,
			account: registry.account,
			owner: ownerOf(identity),
			kind: identity.kind,
			events: watchlist.events,
		});
	}

	private writeDown(published: boolean): void {
		const { registry, identity, url, watchlist, before } = this.input;
		const { account } = registry;
		const otherAccounts = { ...before?.otherAccounts };
		if (before) otherAccounts[before.account] = before.webhooks;
		delete otherAccounts[account];
		const wanted = new Set(watchlist.events);
		const state = {
			published,
			url,
			account,
			events: watchlist.events,
			formerEvents: [
				...new Set([...(before?.formerEvents ?? []), ...(before?.events ?? [])]),
			].filter((event) => !wanted.has(event)),
			run: this.name,
			webhooks: [...this.known.values()],
			otherAccounts,
		};
		rememberState(identity, state, before);
	}
}
