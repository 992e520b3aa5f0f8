import { difference, intersection, map, without } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Registry } from '../../registry/registry';
import { addressOf, withReference } from '../identity/destination';
import { nameOf, type TriggerIdentity } from '../identity/identity';
import type { Phase } from './phase';
import {
	isWatched,
	parseLines,
	readState,
	toLine,
	writeState,
	type StoredSubscription,
	type TriggerState,
} from './state';
import { isActiveAt, isConfirmed, mayBeActive, type Subscription } from './subscription';

/** The subscriptions of one account that deliver to one n8n. */
export interface Group {
	account: string;
	/** What all triggers' URLs of that n8n begin with. */
	address: string;
	/** By reference. */
	subscriptions: Map<string, Subscription>;
	/** The service as the credential showed it that worked last in this process. */
	registry?: Registry;
}

export interface PublishOutcome {
	failure?: Error;
	/** Webhooks that are not as wanted yet; undefined where nothing is left to do or to tell. */
	left?: number;
}

/** What is being done for a trigger at the service. Made in `subscriptions/runner.ts`. */
export interface Run {
	/** `publish`: what is wanted is brought about. `pause`: nothing is wanted. */
	readonly kind: 'publish' | 'pause';
	/** Aborted once something else is wanted. */
	readonly signal: AbortSignal;
	/** How a publish ends as far as n8n is concerned; the run may go on. */
	readonly answer: Promise<PublishOutcome>;
	readonly done: Promise<void>;
	abort: () => void;
}

/**
 * All that this process remembers of one trigger. It counts unless another process has stored something
 * later. After test runs, and in 1.x after a failed activation, n8n discards what is stored.
 */
export class TriggerMemory {
	/** The current one first. */
	groups: Group[] = [];
	/** When this was stored last, or what was loaded was. In milliseconds since the epoch. */
	writtenAt = 0;
	/** Of the latest state or message that was made, in the same unit. */
	stamped = 0;
	phase: Phase = { name: 'idle' };
	/** Seals what the trigger sends to itself; empty before the first publish. */
	key = '';
	/** n8n's URL of this trigger, without a reference, as of the latest publish. */
	url = '';
	/** What the latest publish wants. */
	events: string[] = [];
	companies: ReadonlySet<string> = new Set();
	answered: TriggerState['answered'];
	/** Whether what is active was set up by a publish that failed: n8n's next attempt is no change of it. */
	isProvisional = false;
	/** Whether a publish was stopped in the middle, so that it may have made webhooks that are in no store. */
	mayHaveLost = false;
	/** References of webhooks that the service has been asked to make and has not answered yet. */
	readonly creating = new Set<string>();
	run: Run | undefined;

	/** The group in use; undefined before the first publish. */
	get current(): Group | undefined {
		return this.groups[0];
	}

	/** The subscriptions of that group. */
	get known(): Subscription[] {
		return [...(this.current?.subscriptions.values() ?? [])];
	}

	/** The subscriptions of every group. */
	get all(): Subscription[] {
		return this.groups.flatMap(({ subscriptions }) => [...subscriptions.values()]);
	}

	/** Whether this counts and not what is stored. */
	overrules(stored: TriggerState | undefined): boolean {
		return stored === undefined || stored.writtenAt <= this.writtenAt;
	}

	/** How many of these companies deliver to this URL, of whichever group, as far as the service has confirmed. */
	countWatched(companies: string[], url: string): number {
		const active = this.all.filter((one) => isActiveAt(one, url));
		return intersection(companies, map(active, 'company')).length;
	}

	/** How many webhooks are not as wanted yet. */
	get remaining(): number {
		const missing = difference([...this.companies], map(this.confirmed, 'company'));
		return missing.length + this.groups.flatMap((group) => this.unwantedOf(group)).length;
	}

	/** What of a group is not wanted, or not any more because another takes its place. */
	unwantedOf(group: Group): Subscription[] {
		if (group.address !== addressOf(this.url)) return [];
		const replaced = new Set(group === this.current ? [] : map(this.confirmed, 'company'));
		return [...group.subscriptions.values()].filter(
			(one) => mayBeActive(one) && (!this.companies.has(one.company) || replaced.has(one.company)),
		);
	}

	private get confirmed(): Subscription[] {
		return this.known.filter((one) => isConfirmed(one, this));
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
		if (stored === undefined || this.overrules(stored)) return;
		const before = this.groups;
		const companies = new Set<string>();
		this.groups = [];
		this.writtenAt = stored.writtenAt;
		this.phase = stored.phase;
		this.mayHaveLost ||= 'left' in stored.phase;
		this.key = stored.key;
		this.url = stored.url;
		this.events = stored.events;
		this.answered = stored.answered;
		this.companies = companies;
		for (const { account, address, lines } of stored.groups) {
			const { subscriptions } = this.groupOf(account, address);
			for (const one of parseLines(lines)) {
				subscriptions.set(one.reference, loaded(one, stored));
				if (isWatched(one)) companies.add(one.company);
			}
		}
		// Another process has published since: what has become of what it does not know is not known.
		for (const { account, address, subscriptions, registry } of before) {
			const group = this.groupOf(account, address);
			group.registry = registry;
			for (const [reference, one] of subscriptions) {
				if (this.find(reference)) continue;
				group.subscriptions.set(reference, { ...one, confirmed: undefined });
			}
		}
	}

	/** What is to be stored now. */
	toState(): TriggerState {
		const { key, url, events, answered } = this;
		const phase = 'left' in this.phase ? { ...this.phase, left: this.remaining } : this.phase;
		this.writtenAt = this.stamp();
		const groups = this.groups.map(({ account, address, subscriptions }) => ({
			account,
			address,
			lines: [...subscriptions.values()].map((one) => toLine(this.toStored(one))).join(''),
		}));
		return { writtenAt: this.writtenAt, phase, key, url, events, answered, groups };
	}

	/** Now, in milliseconds since the epoch, and later than ever before: clocks may be set back. */
	stamp(): number {
		this.stamped = Math.max(Date.now(), this.stamped + 1, this.writtenAt + 1);
		return this.stamped;
	}

	private toStored(one: Subscription): StoredSubscription {
		const { confirmed, ...subscription } = one;
		if (confirmed === 'paused') return { ...subscription, status: 'paused' };
		if (!this.companies.has(one.company) || !isActiveAt(one, this.url)) {
			return { ...subscription, status: 'unknown' };
		}
		return { ...subscription, status: isConfirmed(one, this) ? 'watched' : 'active' };
	}
}

const triggers = new Map<string, { identity: TriggerIdentity; memory: TriggerMemory }>();

/** What this process remembers of a trigger; made when there is nothing yet. */
export function memoryOf(identity: TriggerIdentity): TriggerMemory {
	const memory = findMemory(identity) ?? new TriggerMemory();
	triggers.set(keyOf(identity), { identity, memory });
	return memory;
}

/** The same, or undefined when there is nothing. Constant work. */
export function findMemory(identity: TriggerIdentity): TriggerMemory | undefined {
	return triggers.get(keyOf(identity))?.memory;
}

/**
 * Writes what is known of a trigger into its workflow's static data, and of the workflow's other triggers
 * where this copy is older: n8n saves it as a whole.
 */
export function writeAll(staticData: IDataObject, identity: TriggerIdentity): void {
	const own = memoryOf(identity);
	if (own.all.length > 0) writeState(staticData, identity, own.toState());
	if (identity.kind === 'test') return;
	for (const { identity: other, memory } of triggers.values()) {
		if (other.workflow !== identity.workflow || other.kind !== identity.kind) continue;
		const stored = readState(staticData, other);
		if (stored && stored.writtenAt < memory.writtenAt) {
			writeState(staticData, other, memory.toState());
		}
	}
}

function keyOf(identity: TriggerIdentity): string {
	return `${nameOf(identity)}/${identity.kind}`;
}

/** What was stored while n8n had taken the trigger down may have been paused since. */
function loaded(
	{ status, ...subscription }: StoredSubscription,
	{ url, events, phase }: TriggerState,
): Subscription {
	if (status === 'paused') return { ...subscription, confirmed: 'paused' };
	const isDown = phase.name === 'pausing' || phase.name === 'idle';
	if (status === 'unknown' || isDown) return subscription;
	const confirmed = {
		url: withReference(url, subscription.reference),
		events: status === 'watched' ? events : [],
	};
	return { ...subscription, confirmed };
}
