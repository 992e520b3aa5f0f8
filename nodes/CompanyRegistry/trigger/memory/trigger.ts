import { map, sumBy, without } from 'lodash';

import type { Registry } from '../../registry/registry';
import { withReference } from './destination';
import type { StoredSubscription, TriggerIdentity, TriggerState } from './state';
import { isConfirmed, type Subscription } from './subscription';

/** The subscriptions of one account that deliver to one n8n. */
export interface Group {
	account: string;
	/** What all triggers' URLs of that n8n begin with. */
	address: string;
	/** By reference. */
	subscriptions: Map<string, Subscription>;
}

/** What is being done for a trigger at the service. Made in `subscriptions/runner.ts`. */
export interface Run {
	/** `publish`: what is wanted is set up. `rest`: after that, what is not wanted is paused. `pause`: all is. */
	readonly kind: 'publish' | 'rest' | 'pause';
	/** Aborted once something else is wanted. */
	readonly signal: AbortSignal;
	/** The service as the node's credential shows it, and as those of the runs before did; the latest first. */
	readonly registries: Registry[];
	readonly done: Promise<void>;
	abort: () => void;
}

/**
 * All that this process remembers of one trigger. It counts unless another process has stored something
 * later: n8n saves static data only after a life-cycle run. After test runs, and in 1.x after a failed
 * activation, it discards it.
 */
export class TriggerMemory {
	/** The current one first. */
	groups: Group[] = [];
	/** When this was stored last, or what was loaded was. In milliseconds since the epoch. */
	writtenAt = 0;
	published = false;
	/** n8n's URL of this trigger, without a reference, as of the latest publish. */
	url = '';
	/** What the latest publish wants. */
	events: string[] = [];
	companies: ReadonlySet<string> = new Set();
	/** Companies that the service refused and that were left out. */
	refused: string[] = [];
	answered: TriggerState['answered'];
	/** References of webhooks that the service has been asked to make and has not answered yet. */
	readonly creating = new Set<string>();
	run: Run | undefined;
	/** The latest publish, all of n8n's attempts together, and the failure for want of time. In milliseconds since the epoch. */
	publishing: { began: number; ended: number; failure?: Error } | undefined;

	/** The group in use; undefined before the first publish. */
	get current(): Group | undefined {
		return this.groups[0];
	}

	/** The subscriptions of that group. */
	get known(): Subscription[] {
		return [...(this.current?.subscriptions.values() ?? [])];
	}

	/** How many subscriptions are known, of every group. */
	get size(): number {
		return sumBy(this.groups, ({ subscriptions }) => subscriptions.size);
	}

	/** Whether this counts and not what is stored. */
	countsAgainst(stored: { writtenAt: number } | undefined): boolean {
		return stored === undefined || stored.writtenAt <= this.writtenAt;
	}

	find(reference: string): Subscription | undefined {
		const found = this.groups.map(({ subscriptions }) => subscriptions.get(reference));
		return found.find((one) => one !== undefined);
	}

	/** Keeps what is known now of a subscription of the group in use. */
	keep(one: Subscription): void {
		this.current?.subscriptions.set(one.reference, one);
	}

	/** The group of this account and address; made when there is none. */
	groupOf(account: string, address: string): Group {
		const known = this.groups.find((one) => one.account === account && one.address === address);
		if (known !== undefined) return known;
		const group = { account, address, subscriptions: new Map<string, Subscription>() };
		this.groups.push(group);
		return group;
	}

	/** Makes a group the current one, and moves into it the groups that are proven to be parts of it. */
	use(group: Group, parts: Group[] = []): void {
		for (const part of parts) {
			for (const [reference, one] of part.subscriptions) group.subscriptions.set(reference, one);
		}
		const others = without(this.groups, group, ...parts);
		this.groups = [group, ...others.filter(({ subscriptions }) => subscriptions.size > 0)];
	}

	/** Takes over what is stored, unless this memory counts. Forgets nothing. */
	load(stored: TriggerState | undefined): void {
		if (stored === undefined || this.countsAgainst(stored)) return;
		const { groups, ...head } = stored;
		const before = this.groups;
		this.groups = [];
		Object.assign(this, head);
		const [current] = groups;
		const watched = current?.subscriptions.filter(({ status }) => status === 'watched') ?? [];
		this.companies = new Set(watched.map(({ company }) => company));
		for (const { account, address, subscriptions } of groups) {
			const group = this.groupOf(account, address);
			for (const one of subscriptions) group.subscriptions.set(one.reference, loaded(one, stored));
		}
		for (const { account, address, subscriptions } of before) {
			for (const [reference, one] of subscriptions) {
				if (this.find(reference) !== undefined) continue;
				// Another process has published since: what has become of this one is not known.
				const unknown = { ...one, confirmed: undefined };
				this.groupOf(account, address).subscriptions.set(reference, unknown);
			}
		}
	}

	/** What is to be stored now; undefined while no subscription is known. */
	toState(): TriggerState | undefined {
		const { published, url, events, refused, answered } = this;
		if (this.size === 0) return undefined;
		// Clocks may be set back; this one never goes back by itself.
		this.writtenAt = Math.max(Date.now(), this.writtenAt + 1);
		const groups = this.groups.map(({ account, address, subscriptions }) => ({
			account,
			address,
			subscriptions: [...subscriptions.values()].map((one) => this.toStored(one)),
		}));
		return { writtenAt: this.writtenAt, published, url, events, refused, answered, groups };
	}

	private toStored(one: Subscription): StoredSubscription {
		const { confirmed, ...subscription } = one;
		if (this.companies.has(one.company) && isConfirmed(one, this)) {
			return { ...subscription, status: 'watched' };
		}
		return { ...subscription, status: confirmed === 'paused' ? 'paused' : 'unknown' };
	}
}

const triggers = new Map<string, TriggerMemory>();

/** What this process remembers of a trigger; made when there is nothing yet. */
export function memoryOf(identity: TriggerIdentity): TriggerMemory {
	const memory = findMemory(identity) ?? new TriggerMemory();
	triggers.set(keyOf(identity), memory);
	return memory;
}

/** The same, or undefined when there is nothing. Constant work. */
export function findMemory(identity: TriggerIdentity): TriggerMemory | undefined {
	return triggers.get(keyOf(identity));
}

/** Ids of the webhooks that triggers of this process hold at an account. */
export function knownIds(account: string): Set<string> {
	const groups = [...triggers.values()].flatMap((memory) => memory.groups);
	const own = groups.filter((group) => group.account === account);
	return new Set(own.flatMap(({ subscriptions }) => map([...subscriptions.values()], 'id')));
}

function keyOf({ workflow, node, kind }: TriggerIdentity): string {
	return `${workflow}/${node}/${kind}`;
}

/** What was stored while the trigger was unpublished may have been paused since. */
function loaded(
	{ status, ...subscription }: StoredSubscription,
	{ url, events, published }: TriggerState,
): Subscription {
	if (status === 'paused') return { ...subscription, confirmed: 'paused' };
	if (status === 'unknown' || !published) return subscription;
	return {
		...subscription,
		confirmed: { url: withReference(url, subscription.reference), events },
	};
}
