import type { ZodTypeAny, z } from 'zod';

import type { Registry, RegistryRequest } from '../registry/registry';
import { listWebhooks, type WebhookAnswer, type WebhookList } from '../registry/webhooks';

/** What the items of one run share that use the same account. */
export class SharedAccount {
	/** Webhooks that the run has created, with the numbers of their companies. */
	readonly created: Array<Pick<WebhookAnswer, 'id'> & { company: string }> = [];
	private list: Promise<WebhookList> | undefined;
	/** The last task of each webhook. */
	private readonly turns = new Map<string, Promise<unknown>>();

	constructor(
		readonly registry: Registry,
		/** Aborted once the run has failed or was cancelled. */
		readonly signal: AbortSignal,
		/** What the user is told beside the output. */
		private readonly hints: Set<string>,
	) {}

	/** @throws RegistryFailure */
	async request<Schema extends ZodTypeAny>(
		request: RegistryRequest,
		schema: Schema,
	): Promise<z.output<Schema>> {
		return await this.registry.request(request, schema, this.signal);
	}

	/**
	 * The account's list, read once for all items, and again where that failed.
	 * @throws RegistryFailure
	 */
	async webhooks(): Promise<WebhookList> {
		this.list ??= listWebhooks(this.registry, this.signal).catch((reason: unknown) => {
			this.forgetList();
			return Promise.reject(reason);
		});
		const list = await this.list;
		if (list.hasMore) {
			this.hints.add(
				"The service's list of webhooks has more pages, which this node cannot read: some may be missing. Pause, Resume and Update find each webhook by its ID.",
			);
		}
		if (list.unread > 0) {
			this.hints.add(
				`${list.unread} webhooks in the service's list cannot be read: they are left out.`,
			);
		}
		return list;
	}

	/** Keeps the list, if it was read, in step with what the run itself has changed. */
	async noteUpdate(id: string, changes: { events?: string[]; is_active?: boolean }): Promise<void> {
		const list = await this.list?.catch(() => undefined);
		const webhook = list?.webhooks.get(id);
		if (webhook !== undefined) list?.webhooks.set(id, { ...webhook, ...changes });
	}

	/** The next item that needs the list reads it again. */
	forgetList(): void {
		this.list = undefined;
	}

	/**
	 * Does something with a webhook once what was begun with it before has ended: adding an event means
	 * reading the events and sending the new list, and two items at once would each undo the other.
	 */
	async inTurn<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
		const turn = (this.turns.get(id) ?? Promise.resolve()).then(work, work);
		this.turns.set(id, turn);
		return await turn;
	}
}
