import { isPlainObject } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Registry } from '../registry/registry';
import { payloadSchema } from '../registry/schemas';
import {
	listWebhooks,
	updateWebhook,
	type NewWebhook,
	type Webhook,
	type WebhookAnswer,
	type WebhookChanges,
	type WebhookList,
} from '../registry/webhooks';

/** What the items of one run share that use the same account. */
export class SharedAccount {
	/** Companies and URLs that the run is to create webhooks of. */
	readonly wanted = new Set<string>();
	/** Webhooks that the run has created, or resumed in place of that. */
	readonly created: Array<{ wanted: NewWebhook; webhook: WebhookAnswer }> = [];
	private list: Promise<WebhookList> | undefined;
	/** The last update of each webhook. */
	private readonly updates = new Map<string, Promise<Partial<Webhook>>>();

	constructor(
		readonly registry: Registry,
		/** Aborted once the run has failed or was cancelled. */
		readonly signal: AbortSignal,
		/** What the user is told beside the output. */
		readonly hints: Set<string>,
	) {}

	/**
	 * Reads a route whose payload is not shown, and returns that as it was received: an item for each entry
	 * of a list or of the `items` in it, otherwise one. A bare value is put under the name that the service gives it.
	 * @throws RegistryFailure
	 */
	async get(path: string): Promise<{ entries: IDataObject[]; isList: boolean }> {
		const { data } = await this.registry.request(
			{ method: 'GET', path },
			payloadSchema,
			this.signal,
		);
		const list = isPlainObject(data) ? (data as IDataObject).items : data;
		const isList = Array.isArray(list);
		const entries = (isList ? (list as unknown[]) : [data]).map(
			(entry) => (isPlainObject(entry) ? entry : { data: entry }) as IDataObject,
		);
		return { entries, isList };
	}

	/**
	 * The account's list, read once for all items, and again where that failed.
	 * @throws RegistryFailure
	 */
	async webhooks(): Promise<WebhookList> {
		this.list ??= this.forgettingList(listWebhooks(this.registry, this.signal));
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

	/**
	 * Changes a webhook once what was begun with it before has ended: adding an event means reading the
	 * events and sending the new list, and two items at once would each undo the other.
	 * @param readChanges what to send; throws what the user has to put right
	 * @returns what the answer says of the webhook, or else what is known of it now
	 * @throws RegistryFailure
	 */
	async update(id: string, readChanges: () => Promise<WebhookChanges>): Promise<Partial<Webhook>> {
		const update = async () => {
			const changes = await readChanges();
			// A change that fails may have been made or not.
			const answer = await this.forgettingList(
				updateWebhook(this.registry, id, changes, this.signal),
			);
			const list = await this.list?.catch(() => undefined);
			const listed = list?.webhooks.get(id);
			if (listed !== undefined) list?.webhooks.set(id, { ...listed, ...changes });
			// An answer without the webhook says no more than that what was sent is done.
			return answer.id === undefined ? { id, ...changes } : answer;
		};
		const updated = (this.updates.get(id) ?? Promise.resolve()).then(update, update);
		this.updates.set(id, updated);
		return await updated;
	}

	/** Where this request fails, the next item that needs the list reads it again. */
	private async forgettingList<Answer>(request: Promise<Answer>): Promise<Answer> {
		return await request.catch((reason: unknown) => {
			this.list = undefined;
			return Promise.reject(reason);
		});
	}
}
