import { randomBytes } from 'crypto';

import type { Registry } from '../../registry/registry';
import { dropOldest } from '../../shared/dropOldest';
import { withReference } from './destination';
import type { TriggerState } from './savedState';
import type { KnownWebhook } from './webhookLines';

/** A webhook that this process has read from static data, created or changed. */
export interface RememberedWebhook extends KnownWebhook {
	/** The account that it belongs to, or for one that is set aside its key among those. */
	account: string;
	/** The destination that the service has confirmed last, if any. */
	url?: string;
	/** As the service has confirmed them last. */
	events: string[];
}

/** What is wanted of a trigger at the service. Made and carried out in `subscriptions/`. */
export interface WantedState {
	/** To be watched; none after an unpublish. */
	readonly companies: ReadonlySet<string>;
}

/** Far more runs than one trigger has while n8n still holds an older state of it. */
const MAXIMUM_RUNS = 1000;
/** Accounts, or copies of an n8n, whose webhooks a trigger sets aside. */
const MAXIMUM_SET_ASIDE = 10;

/**
 * All that this process remembers of one trigger. It is newer than static data, unless another process
 * has stored something since: n8n saves static data only after a life-cycle run. After test runs, and
 * in 1.x after a failed activation, it discards it.
 */
export class TriggerMemory {
	/** By reference. */
	readonly webhooks = new Map<string, RememberedWebhook>();
	/** The URL at which it listened last for a test event. */
	testUrl: string | undefined;
	/** What the account is being moved to, or was moved to last. */
	wanted: WantedState | undefined;
	/**
	 * Accounts that the trigger has left while webhooks there may be active, by name. Held until those are
	 * paused, since no later life-cycle call reads the credential of an account that is left.
	 */
	readonly leftAccounts = new Map<string, Registry>();
	/** Moves the account; undefined when there is nothing to do. Never rejects. */
	runner: Promise<void> | undefined;
	/** The latest publishing: n8n makes several attempts in one. In milliseconds since the epoch. */
	publishing: { began: number; ended: number } | undefined;

	published = false;
	url = '';
	account = '';
	events: string[] = [];
	/** Companies that the service refused and that were left out. */
	leftOut: string[] = [];
	/** Events once subscribed to and no longer wanted. */
	formerEvents: string[] = [];
	/** As in {@link TriggerState}. */
	addressAnswer: TriggerState['addressAnswer'];
	private runId: string | undefined;
	/** Life-cycle runs whose state this memory takes account of. */
	private readonly runs = new Set<string>();
	/** Publishes that threw, each by the runs that n8n's call to clean up after it may find stored. */
	private readonly failedPublishes: Array<Array<string | undefined>> = [];

	/** Whether this memory is later than a stored state. False where another process wrote that. */
	isLaterThan(storedRun: string | undefined): boolean {
		return storedRun === undefined || this.runs.has(storedRun);
	}

	/** Whether the stored state is the one that this process wrote last, or holds all that it knows. */
	isSaved(storedRun: string | undefined): boolean {
		return storedRun === this.runId || !this.isLaterThan(storedRun);
	}

	/** Takes over what is stored, unless this memory is later. */
	load(stored: TriggerState | undefined): void {
		if (stored === undefined || this.isLaterThan(stored.runId)) return;
		// Another process has published since: where these deliver to by now is not known.
		for (const webhook of this.webhooks.values()) this.note({ ...webhook, url: undefined });

		const { published, url, account, events, formerEvents, leftOut, addressAnswer, runId } = stored;
		const head = { published, url, account, events, formerEvents, leftOut, addressAnswer, runId };
		Object.assign(this, head);
		this.runs.add(runId);
		// Oldest first, which is forgotten first. What was in use last comes last.
		for (const [key, webhooks] of Object.entries(stored.setAside)) {
			for (const webhook of webhooks) this.note({ ...webhook, account: key, events: [] });
		}
		for (const webhook of stored.webhooks) this.note(loaded(webhook, stored));
	}

	/** Names what follows as a life-cycle run of its own. */
	beginRun(): void {
		this.runId = randomBytes(9).toString('base64url');
		this.runs.add(this.runId);
		dropOldest(this.runs, MAXIMUM_RUNS);
	}

	/** From now on these events are wanted; what was wanted before starts nothing any more. */
	wantEvents(events: string[]): void {
		const wanted = new Set(events);
		const former = new Set([...this.formerEvents, ...this.events]);
		this.formerEvents = [...former].filter((event) => !wanted.has(event));
		this.events = events;
	}

	/** Remembers a webhook, or what has changed about it. */
	note(webhook: RememberedWebhook): void {
		this.webhooks.set(webhook.reference, webhook);
	}

	/** Those of the account that the trigger uses. */
	get current(): RememberedWebhook[] {
		return this.of(this.account);
	}

	/** Those of an account, or of what is set aside under this key. */
	of(key: string): RememberedWebhook[] {
		return [...this.webhooks.values()].filter(({ account }) => account === key);
	}

	/**
	 * Makes an account the one that the trigger uses, and sets aside the webhooks of others.
	 *
	 * @param isOwn whether a group of webhooks, by its key, belongs to that account
	 */
	useAccount(
		account: string,
		isOwn: (key: string, webhooks: RememberedWebhook[]) => boolean,
	): void {
		for (const [key, webhooks] of this.byAccount()) {
			if (key === account || !isOwn(key, webhooks)) continue;
			for (const webhook of webhooks) this.note({ ...webhook, account });
		}
		this.moveToTheEnd(this.current);
		this.account = account;
		this.forgetOldestSetAside();
	}

	/** Keeps the webhooks of the account in use, but leaves them alone: they serve another n8n. */
	setAsideCurrent(address: string): void {
		for (const webhook of this.webhooks.values()) {
			if (servesAnotherN8n(webhook.account)) continue;
			this.note({ ...webhook, account: copyKey(webhook.account, address) });
		}
	}

	/** A publish has failed, and n8n is going to call `delete` to clean up after it. */
	expectCleanUp(storedBefore: string | undefined): void {
		// n8n 2.40 hands over the static data that the publish wrote, 1.x what was stored before.
		this.failedPublishes.push([storedBefore, this.runId]);
	}

	/** Whether an unpublish is such a clean-up and not the user's. True once for each expected. */
	takeExpectedCleanUp(storedRun: string | undefined): boolean {
		const index = this.failedPublishes.findIndex((runs) => runs.includes(storedRun));
		if (index !== -1) this.failedPublishes.splice(index, 1);
		return index !== -1;
	}

	/** What is to be stored; undefined while nothing is known of the trigger. */
	toState(): TriggerState | undefined {
		const { published, url, account, events, formerEvents, leftOut, addressAnswer, runId } = this;
		if (runId === undefined || this.webhooks.size === 0) return undefined;
		const { [account]: current = [], ...setAside } = Object.fromEntries(this.byAccount());
		const webhooks = current.map((webhook) => this.toStored(webhook));
		const head = { published, url, account, events, formerEvents, leftOut, addressAnswer, runId };
		return { ...head, webhooks, setAside };
	}

	/** What is stored as watched delivers to the stored URL. */
	private toStored(webhook: RememberedWebhook): RememberedWebhook {
		const delivers = webhook.url === withReference(this.url, webhook.reference);
		return webhook.status === 'watched' && !delivers
			? { ...webhook, status: 'unconfirmed' }
			: webhook;
	}

	private byAccount(): Map<string, RememberedWebhook[]> {
		const groups = new Map<string, RememberedWebhook[]>();
		for (const webhook of this.webhooks.values()) {
			const group = groups.get(webhook.account);
			if (group) group.push(webhook);
			else groups.set(webhook.account, [webhook]);
		}
		return groups;
	}

	/** Of what is set aside, the first is forgotten first. */
	private moveToTheEnd(webhooks: RememberedWebhook[]): void {
		for (const { reference } of webhooks) this.webhooks.delete(reference);
		for (const webhook of webhooks) this.note(webhook);
	}

	private forgetOldestSetAside(): void {
		const keys = [...this.byAccount().keys()].filter((key) => key !== this.account);
		const forgotten = new Set(keys.slice(0, -MAXIMUM_SET_ASIDE));
		for (const { reference, account } of this.webhooks.values()) {
			if (forgotten.has(account)) this.webhooks.delete(reference);
		}
	}
}

/** Whether a group of webhooks was set aside because it serves another n8n. */
export function servesAnotherN8n(key: string): boolean {
	return key.includes(' ');
}

function copyKey(account: string, address: string): string {
	return `${account} ${address}`;
}

/** While a workflow is unpublished its webhooks are paused in the background, after n8n has saved. */
function loaded(webhook: KnownWebhook, state: TriggerState): RememberedWebhook {
	const { account, events, published, url } = state;
	if (webhook.status !== 'watched') return { ...webhook, account, events };
	return {
		...webhook,
		status: published ? 'watched' : 'unconfirmed',
		url: withReference(url, webhook.reference),
		account,
		events,
	};
}
