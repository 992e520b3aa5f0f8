import { sumBy, without } from 'lodash';

import type { Registry } from '../../registry/registry';
import { withReference } from './destination';
import type { StoredSubscription, TriggerIdentity, TriggerState } from './state';
import { sameMembers, type Subscription } from './subscription';

/** Far more triggers than one process has. What is dropped of a published trigger is still stored. */
const MAXIMUM_TRIGGERS = 1000;
/** Besides the current one: accounts, and addresses of n8n, that a trigger was used with before. */
const MAXIMUM_OTHER_GROUPS = 10;

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
	/** The URL at which it listened last for a test event. */
	testUrl: string | undefined;
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
		for (const { subscriptions } of this.groups) {
			const found = subscriptions.get(reference);
			if (found !== undefined) return found;
		}
		return undefined;
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
		const kept = others.filter(({ subscriptions }) => subscriptions.size > 0);
		this.groups = [group, ...kept.slice(0, MAXIMUM_OTHER_GROUPS)];
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

	/** Whether the service has confirmed all that is wanted of a company's subscription. */
	isAsWanted({ reference, company, confirmed }: Subscription): boolean {
		return (
			this.companies.has(company) &&
			confirmed?.active === true &&
			confirmed.url === withReference(this.url, reference) &&
			sameMembers(confirmed.events, this.events)
		);
	}

	private toStored(one: Subscription): StoredSubscription {
		const { confirmed, ...subscription } = one;
		const status = this.isAsWanted(one)
			? 'watched'
			: confirmed?.active === false
				? 'paused'
				: 'unknown';
		return { ...subscription, status };
	}
}

const triggers = new Map<string, TriggerMemory>();

/** What this process remembers of a trigger; made when there is nothing yet. */
export function memoryOf(identity: TriggerIdentity): TriggerMemory {
	const key = keyOf(identity);
	const memory = triggers.get(key) ?? new TriggerMemory();
	// Last in the order, so that what has not been used for longest is dropped first.
	triggers.delete(key);
	dropUnused();
	triggers.set(key, memory);
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
	return new Set(
		own.flatMap(({ subscriptions }) => [...subscriptions.values()].map(({ id }) => id)),
	);
}

function keyOf({ workflow, node, kind }: TriggerIdentity): string {
	return `${workflow}/${node}/${kind}`;
}

function dropUnused(): void {
	for (const [key, memory] of triggers) {
		if (triggers.size < MAXIMUM_TRIGGERS) return;
		if (memory.run === undefined) triggers.delete(key);
	}
}

/** What was stored while the trigger was unpublished may have been paused since. */
function loaded(
	{ status, ...subscription }: StoredSubscription,
	{ url, events, published }: TriggerState,
): Subscription {
	const isKnown = status === 'paused' || (status === 'watched' && published);
	if (!isKnown) return subscription;
	const active = status === 'watched';
	return {
		...subscription,
		confirmed: { url: withReference(url, subscription.reference), events, active },
	};
}
