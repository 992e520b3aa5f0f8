import { randomBytes } from 'crypto';
import type { IHookFunctions } from 'n8n-workflow';

import type { Registry } from '../shared/registryApi';
import type { Webhook } from '../shared/schemas';
import { concurrently } from './concurrently';
import { withReference } from './destination';
import { gatherKnown } from './gatherKnown';
import type { KnownWebhook, TriggerIdentity, TriggerState } from './knownWebhooks';
import { makePlan, type PlannableWebhook } from './plan';
import { forget, noteFailedRun, ownerOf, remember, rememberState } from './processMemory';
import { CompanyFailure, explainPublishFailure, SecretMissing } from './publishFailure';
import { Overtaken, type Turn } from './turns';
import type { Watchlist } from './watchlist';
import {
	CONCURRENT_REQUESTS,
	createWebhook,
	isGone,
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
	/** The trigger's stored state. */
	before: TriggerState | undefined;
	turn: Turn;
}

/** One attempt to carry a plan out. */
export class PublishRun {
	private readonly name = randomBytes(9).toString('base64url');
	/** Every webhook of the account that this trigger knows, by reference. */
	private readonly known = new Map<string, PlannableWebhook>();
	/** References of what this run has made active, in order. */
	private readonly done: string[] = [];

	constructor(private readonly input: PublishInput) {}

	/** @throws NodeApiError, or Overtaken when a later run goes on from here */
	async carryOut(): Promise<void> {
		const { registry, identity, watchlist, url, before, turn } = this.input;
		for (const webhook of gatherKnown(identity, before, registry.account, watchlist.companies)) {
			this.known.set(webhook.reference, webhook);
		}
		let kept = 0;
		try {
			const listed: Map<string, Webhook> =
				this.known.size > 0 ? await listWebhooks(registry) : new Map();
			const urlOf = (reference: string) => withReference(url, reference);
			const plan = makePlan({ ...watchlist, urlOf }, [...this.known.values()], listed);
			kept = plan.keep.length;
			for (const webhook of plan.keep) this.note(webhook, 'watched');
			for (const webhook of plan.rest) this.known.set(webhook.reference, { ...webhook, status: 'paused' });
			await concurrently([...plan.resume, ...plan.create], CONCURRENT_REQUESTS, async (next) => {
				if (turn.overtaken) throw new Overtaken();
				if (typeof next === 'string') await this.create(next);
				else await this.resume(next, listed.has(next.id));
			});
			await this.pauseUnwanted(plan.pause);
		} catch (reason) {
			// A later run goes on from what this one has done: undoing it would only cost time.
			if (!turn.overtaken) await this.undo();
			this.writeDown(false);
			noteFailedRun(this.name);
			throw explainPublishFailure(this.input.context.getNode(), reason, {
				done: kept + this.done.length,
				of: watchlist.companies.length,
				stillActive: this.done.filter((reference) => this.known.get(reference)?.status === 'watched')
					.length,
			});
		}
		this.writeDown(true);
	}

	private async create(company: string): Promise<void> {
		const { registry, url, watchlist } = this.input;
		const reference = randomBytes(16).toString('base64url');
		const webhook = await createWebhook(registry, {
			url: withReference(url, reference),
			company_number: company,
			events: watchlist.events,
		}).catch((reason: unknown) => {
			throw new CompanyFailure(company, reason);
		});
		if (!('secret' in webhook) || typeof webhook.secret !== 'string') {
			// Nothing that it delivers could ever be verified.
			await updateWebhook(registry, webhook.id, { is_active: false }).catch(() => undefined);
			throw new CompanyFailure(company, new SecretMissing(webhook.id));
		}
		this.note({ reference, company, id: webhook.id, secret: webhook.secret, status: 'watched' }, 'watched');
		this.done.push(reference);
	}

	private async resume(webhook: PlannableWebhook, isListed: boolean): Promise<void> {
		const { registry, url, watchlist } = this.input;
		const isResumed = await updateWebhook(registry, webhook.id, {
			url: withReference(url, webhook.reference),
			events: watchlist.events,
			is_active: true,
		}).then(
			() => true,
			(reason: unknown) => {
				if (isGone(reason, isListed)) return false;
				throw new CompanyFailure(webhook.company, reason);
			},
		);
		if (!isResumed) {
			forget(webhook.reference);
			this.known.delete(webhook.reference);
			return await this.create(webhook.company);
		}
		this.note(webhook, 'watched');
		this.done.push(webhook.reference);
	}

	/** A company that stays active although nobody wants it costs nothing: its deliveries start nothing. */
	private async pauseUnwanted(webhooks: PlannableWebhook[]): Promise<void> {
		const paused = await pauseAll(this.input.context, this.input.registry, webhooks, this.input.turn);
		for (const webhook of webhooks) this.note(webhook, paused.has(webhook) ? 'paused' : 'unpaused');
	}

	private async undo(): Promise<void> {
		const { context, registry, turn } = this.input;
		const webhooks = this.done.flatMap((reference) => this.known.get(reference) ?? []);
		const paused = await pauseAll(context, registry, webhooks, turn);
		for (const webhook of paused) this.note(webhook, 'paused');
	}

	/** Remembers at once, in case this run never gets to write its state down. */
	private note(webhook: PlannableWebhook, status: KnownWebhook['status']): void {
		const { registry, identity, url, watchlist } = this.input;
		this.known.set(webhook.reference, { ...webhook, status });
		remember({
			...webhook,
			status,
			account: registry.account,
			owner: ownerOf(identity),
			kind: identity.kind,
			url: withReference(url, webhook.reference),
			events: watchlist.events,
		});
	}

	private writeDown(published: boolean): void {
		const { registry, identity, url, watchlist, before } = this.input;
		const { account } = registry;
		const otherAccounts = { ...before?.otherAccounts };
		delete otherAccounts[account];
		if (before && before.account !== account) otherAccounts[before.account] = before.webhooks;
		const wanted = new Set(watchlist.events);
		rememberState(identity, {
			published,
			url,
			account,
			events: watchlist.events,
			formerEvents: [...new Set([...(before?.formerEvents ?? []), ...(before?.events ?? [])])].filter(
				(event) => !wanted.has(event),
			),
			run: this.name,
			webhooks: [...this.known.values()],
			otherAccounts,
		});
	}
}
