import { isPlainObject } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Registry } from '../registry/registry';
import { payloadSchema } from '../registry/schemas';
import {
	listWebhooks,
	updateWebhook,
	type Webhook,
	type WebhookChanges,
	type WebhookList,
} from '../registry/webhooks';

/** State that the items of one run share if they use the same account. */
export class SharedAccount {
	/** Company and URL of each webhook that an item is to create. */
	readonly reserved = new Set<string>();
	/** Company numbers of the webhooks that the run has created, by ID. */
	readonly created = new Map<string, string>();
	private list: Promise<WebhookList> | undefined;
	/** The last update of each webhook. */
	private readonly updates = new Map<string, Promise<Partial<Webhook>>>();

	constructor(
		readonly registry: Registry,
		/** Aborted when the run fails or is cancelled. */
		readonly signal: AbortSignal,
		/** Warnings that n8n shows above the output. */
		readonly hints: Set<string>,
	) {}

	/** The payload of a route that does not document it, whole and as received. @throws RegistryFailure */
	async payload(path: string): Promise<unknown> {
		const request = { method: 'GET', path } as const;
		const { data } = await this.registry.request(request, payloadSchema, this.signal);
		return data;
	}

	/** A record: one object for each entry if it is a list, otherwise one. @throws RegistryFailure */
	async record(path: string): Promise<IDataObject[]> {
		const data = await this.payload(path);
		return Array.isArray(data) ? data.map(asObject) : [asObject(data)];
	}

	/** The account's list, read once for all items. Hints say where it is not whole. @throws RegistryFailure */
	async webhooks(): Promise<WebhookList> {
		this.list ??= listWebhooks(this.registry, this.signal);
		const list = await this.list;
		if (!list.isWhole) {
			this.hints.add(
				"The service's list of webhooks has more pages, or rows that this node cannot read. Some webhooks may be missing. Pause, Resume and Update still work with a webhook's ID.",
			);
		}
		return list;
	}

	/**
	 * Waits for earlier updates of the webhook: two items that each send a new list would undo each other.
	 * @param readChanges returns the body, or throws an error for the user
	 * @returns the webhook from the answer, or its ID and the changes if the answer has none
	 * @throws RegistryFailure
	 */
	async update(id: string, readChanges: () => Promise<WebhookChanges>): Promise<Partial<Webhook>> {
		const update = async () => {
			const changes = await readChanges();
			const answer = await updateWebhook(this.registry, id, changes, this.signal);
			const list = await this.list?.catch(() => undefined);
			const listed = list?.webhooks.get(id);
			if (listed !== undefined) list?.webhooks.set(id, { ...listed, ...changes });
			return answer.id === undefined ? { id, ...changes } : answer;
		};
		const updated = (this.updates.get(id) ?? Promise.resolve()).then(update, update);
		this.updates.set(id, updated);

		return await updated;
	}
}

/** An output item holds an object: any other value becomes `{data: value}`. */
export function asObject(value: unknown): IDataObject {
	return (isPlainObject(value) ? value : { data: value }) as IDataObject;
}
