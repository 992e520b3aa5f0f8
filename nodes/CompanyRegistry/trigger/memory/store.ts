import { intersection, map, pick, xor } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Registry } from '../../registry/registry';
import { keepNewest } from '../../shared/dropOldest';
import { nameOf, type TriggerIdentity } from '../identity/identity';
import {
	Facts,
	isActive,
	mayBeActive,
	parseLines,
	readState,
	toLine,
	writeState,
	type Drift,
	type Subscription,
	type TriggerState,
} from './state';

/** Far more triggers than one process has. */
const MAXIMUM_STORES = 10_000;
const FACTS = Object.keys(new Facts()) as Array<keyof Facts>;

/** What is wanted of the account: companies, the service's events, n8n's URL of the trigger. */
export type Wanted = Pick<Facts, 'events' | 'url'> & { companies: string[] };

/** Subscriptions of one account that deliver to one n8n. */
export interface SubscriptionSet {
	account: string;
	/** What all triggers' URLs of that n8n begin with. */
	address: string;
	/** By reference. */
	subscriptions: Map<string, Subscription>;
	/** The service as the credential showed it that worked last in this process. */
	registry?: Registry;
}

/**
 * What is known of one trigger: its state as it is stored, and this process's copy of it, which is ahead.
 * The copy counts unless another process has stored a higher revision.
 */
export class Store extends Facts {
	/** The current set, and those before until they are paused: one, as a rule. */
	sets: SubscriptionSet[] = [];
	/** Those that the latest publish wants. */
	companies: ReadonlySet<string> = new Set();
	/** Whether webhooks were being made when n8n was stopped: nobody may hold their secret. */
	wasInterrupted = false;
	/** Companies with such a webhook, or one whose answer was lost, that get another one. */
	readonly madeAgain = new Set<string>();
	/** References of webhooks that the service has been asked to make and has not answered yet. */
	readonly creating = new Set<string>();
	/** Companies whose new webhook cannot be used, and why. A check makes no other one, or each would leave one more. */
	readonly spent = new Map<string, unknown>();
	/** What somebody else has changed of a company's webhook, until it is told that this was put right. */
	drifts = new Map<string, Drift>();
	/** By company number, as the lists have it that this process has read. */
	readonly names = new Map<string, string>();
	/** How many changes at the service the state does not have that was written last. */
	unwritten = 0;
	/** Whether what was written last may not be in the database. */
	isDoubtful = false;

	get current(): SubscriptionSet | undefined {
		return this.sets[0];
	}

	/** The subscriptions of the current set. */
	get known(): Subscription[] {
		return [...(this.current?.subscriptions.values() ?? [])];
	}

	/** The subscriptions of all sets. */
	get all(): Subscription[] {
		return this.sets.flatMap(({ subscriptions }) => [...subscriptions.values()]);
	}

	/** Constant work. */
	find(reference: string): Subscription | undefined {
		const set = this.sets.find(({ subscriptions }) => subscriptions.has(reference));
		return set?.subscriptions.get(reference);
	}

	/** How many of these companies deliver to this URL, as far as the service has confirmed. */
	countActive(companies: string[], url: string): number {
		const active = url === this.url ? this.all.filter(isActive) : [];
		return intersection(companies, map(active, 'company')).length;
	}

	/** Companies that have what is wanted of them, as far as the service has confirmed. */
	confirmed({ url, events }: Pick<Wanted, 'url' | 'events'> = this): Set<string> {
		const isSame = url === this.url && sameMembers(events, this.events);
		const watched = this.known.filter(({ status }) => isSame && status === 'watched');
		return new Set(map(watched, 'company'));
	}

	/** Those of a former set that nobody wants, or whose place one of the current set has taken. */
	supersededIn({ subscriptions }: SubscriptionSet, wanted = this.companies): Subscription[] {
		const confirmed = this.confirmed();
		return [...subscriptions.values()].filter(
			(one) => mayBeActive(one) && (!wanted.has(one.company) || confirmed.has(one.company)),
		);
	}

	/** Keeps a new subscription of the current set. */
	keep(one: Subscription): void {
		this.current?.subscriptions.set(one.reference, one);
	}

	/** From now on this is wanted, which the service has not confirmed where it differs. */
	adopt({ companies, events, url }: Wanted): void {
		for (const one of this.all.filter(isActive)) {
			if (url !== this.url) one.status = 'unknown';
			else if (!sameMembers(events, this.events)) one.status = 'active';
		}
		Object.assign(this, { companies: new Set(companies), events, url });
		for (const company of this.drifts.keys()) {
			if (!this.companies.has(company)) this.drifts.delete(company);
		}
	}

	/** Makes a set the current one. The one before stays, and any that may still deliver. */
	use(set: SubscriptionSet): void {
		const others = this.sets.filter((one) => one !== set && one.subscriptions.size > 0);
		const isKept = (one: SubscriptionSet, index: number) =>
			index === 0 || [...one.subscriptions.values()].some(mayBeActive);
		this.sets = [set, ...others.filter(isKept)];
	}

	/** No webhooks are being made any more. @param isOpen whether some of them are not known yet */
	close(isOpen = false): void {
		if (isOpen !== this.isOpen) this.unwritten++;
		this.isOpen = isOpen;
	}

	/** A delivery has shown which revision is in the database: n8n may have saved an older copy over what was stored. */
	noteSaved(revision: number): void {
		this.isDoubtful = revision < this.revision;
	}

	/** Takes over what is stored, unless this process's copy counts. Forgets nothing. */
	load(stored: TriggerState | undefined): void {
		if (stored === undefined || stored.revision <= this.revision) return;
		const before = this.sets;
		Object.assign(this, new Facts(), pick(stored, FACTS), { isOpen: false });
		this.wasInterrupted ||= stored.isOpen;
		this.drifts = new Map(Object.entries(stored.drifts ?? {}));
		this.sets = stored.sets.map(({ account, address, lines }) => {
			const subscriptions = new Map(parseLines(lines).map((one) => [one.reference, one]));
			const registry = before.find((set) => set.account === account)?.registry;
			return { account, address, subscriptions, registry };
		});
		const active = this.all.filter(isActive);
		this.companies = new Set(map(active, 'company'));
		// While n8n had taken the trigger down, it may have been paused since.
		if (stored.status !== 'published') for (const one of active) one.status = 'unknown';
		// Another process has published since: what has become of what it does not know is not known.
		for (const set of before) {
			let known = this.sets.find(({ account }) => account === set.account);
			if (!known) this.sets.push((known = { ...set, subscriptions: new Map() }));
			const lost = [...set.subscriptions.values()].filter((one) => !this.find(one.reference));
			for (const one of lost) known.subscriptions.set(one.reference, { ...one, status: 'unknown' });
		}
	}

	/** Writes a new revision into a copy of the workflow's static data. */
	write(staticData: IDataObject, identity: TriggerIdentity): void {
		// Later than ever before: clocks may be set back.
		this.revision = Math.max(Date.now(), this.revision + 1);
		this.unwritten = 0;
		const lineOf = (one: Subscription) => {
			const isUnwanted = isActive(one) && !this.companies.has(one.company);
			return toLine(isUnwanted ? { ...one, status: 'unknown' } : one);
		};
		const sets = this.sets.map(({ account, address, subscriptions }) => {
			return { account, address, lines: [...subscriptions.values()].map(lineOf).join('') };
		});
		const drifts = Object.fromEntries(this.drifts);
		writeState(staticData, identity, { ...pick(this, FACTS), sets, drifts });
	}
}

const stores = new Map<string, { identity: TriggerIdentity; store: Store }>();

/** What is known of a trigger; made when there is nothing yet. */
export function storeOf(identity: TriggerIdentity): Store {
	const store = findStore(identity) ?? new Store();
	keepNewest(stores, keyOf(identity), { identity, store }, MAXIMUM_STORES);
	return store;
}

/** The same, or undefined when there is nothing. Constant work. */
export function findStore(identity: TriggerIdentity): Store | undefined {
	return stores.get(keyOf(identity))?.store;
}

/**
 * Writes a trigger's state into a copy of its workflow's static data, and that of the workflow's other triggers
 * where the copy has an older one or none: n8n saves a copy as a whole, and has copies of different age.
 */
export function writeAll(staticData: IDataObject, identity: TriggerIdentity): void {
	const own = storeOf(identity);
	if (own.all.length > 0 || own.revision > 0) own.write(staticData, identity);
	if (identity.kind === 'test') return;
	for (const { identity: other, store } of stores.values()) {
		if (other.workflow !== identity.workflow || other.node === identity.node) continue;
		const { revision = 0 } = readState(staticData, other) ?? {};
		if (other.kind === 'test' || revision >= store.revision) continue;
		store.write(staticData, other);
		store.isDoubtful = true;
	}
}

function keyOf(identity: TriggerIdentity): string {
	return `${nameOf(identity)}/${identity.kind}`;
}

/** Whether two lists hold the same texts, in any order. */
export function sameMembers(one: string[], other: string[]): boolean {
	return xor(one, other).length === 0;
}
