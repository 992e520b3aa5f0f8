import { intersection, map } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { addressOf, withReference } from '../identity/destination';
import { nameOf, type TriggerIdentity } from '../identity/identity';
import { dropOldest } from '../../shared/dropOldest';
import {
	isWatched,
	parseLines,
	readState,
	toLine,
	writeState,
	type StoredSubscription,
	type TriggerState,
} from './state';
import {
	isActiveAt,
	isConfirmed,
	mayBeActive,
	type Subscription,
	type SubscriptionSet,
} from './subscription';

/** Far more triggers than one process has. */
const MAXIMUM_STORES = 10_000;
/** So long n8n may take to save what was written, in milliseconds. */
const SAVED_AFTER = 30_000;

/**
 * What is known of one trigger: its state as it is stored, and this process's copy of it, which is ahead.
 * The copy counts unless another process has stored a higher revision.
 */
export class Store {
	/** The current set, and those before until they are paused: one, as a rule. */
	sets: SubscriptionSet[] = [];
	revision = 0;
	status: TriggerState['status'] = 'new';
	url = '';
	events: string[] = [];
	/** Those that the latest publish wants. */
	companies: ReadonlySet<string> = new Set();
	addressChanged: TriggerState['addressChanged'];
	askedAbout: string | undefined;
	told: TriggerState['told'];
	/** Whether something is being done for the trigger in this process. */
	isAtWork = false;
	/** Whether webhooks are being made, which a kill would interrupt. */
	isOpen = false;
	/** Whether such work was interrupted, so that there may be webhooks whose secret nobody holds. */
	wasInterrupted = false;
	/** References of webhooks that the service has been asked to make and has not answered yet. */
	readonly creating = new Set<string>();
	/**
	 * Companies whose new webhook cannot be used, and why: its answer was lost, or is none. Until a person publishes, no
	 * other one is made, or each check would leave one more.
	 */
	readonly spent = new Map<string, unknown>();
	/** How many changes at the service the state does not have that was written last. */
	unwritten = 0;
	/** Whether what was written last may not be in the database. */
	isDoubtful = false;
	/** In milliseconds of `performance.now()`. */
	private writtenAt = 0;

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

	find(reference: string): Subscription | undefined {
		const found = this.sets.map(({ subscriptions }) => subscriptions.get(reference));
		return found.find((one) => one !== undefined);
	}

	/** How many of these companies deliver to this URL, as far as the service has confirmed. */
	countActive(companies: string[], url: string): number {
		const active = this.all.filter((one) => isActiveAt(one, url));
		return intersection(companies, map(active, 'company')).length;
	}

	/** Companies that have what is wanted of them, as far as the service has confirmed. */
	confirmed(wish: { url: string; events: string[] } = this): Set<string> {
		return new Set(
			map(
				this.known.filter((one) => isConfirmed(one, wish)),
				'company',
			),
		);
	}

	/** Subscriptions of a former set that nobody wants, or whose place one of the current set has taken. */
	supersededIn({ subscriptions }: SubscriptionSet): Subscription[] {
		const confirmed = this.confirmed();
		return [...subscriptions.values()].filter(
			(one) => mayBeActive(one) && (!this.companies.has(one.company) || confirmed.has(one.company)),
		);
	}

	/** Keeps what is known now of a subscription. Where the service has confirmed a move, its set has moved. */
	keep(one: Subscription, set: SubscriptionSet | undefined = this.current): void {
		if (set === undefined) return;
		set.subscriptions.set(one.reference, one);
		if (typeof one.confirmed === 'object') set.address = addressOf(one.confirmed.url);
	}

	/** From now on this is wanted. */
	adopt({ companies, events, url }: { companies: string[]; events: string[]; url: string }): void {
		this.companies = new Set(companies);
		this.events = events;
		this.url = url;
	}

	/** Makes a set the current one. The one before stays, and any that may still deliver. */
	use(set: SubscriptionSet): void {
		const others = this.sets.filter((one) => one !== set && one.subscriptions.size > 0);
		const isKept = (one: SubscriptionSet, index: number) =>
			index === 0 || [...one.subscriptions.values()].some(mayBeActive);
		this.sets = [set, ...others.filter(isKept)];
	}

	/**
	 * A delivery has shown which revision is in the database. n8n saves copies of different age, also after runs that
	 * began earlier, so an older one may have been saved over what was stored.
	 */
	noteSaved(revision: number): void {
		const isSettled = performance.now() - this.writtenAt > SAVED_AFTER;
		if (revision >= this.revision) this.isDoubtful = false;
		else if (isSettled) this.isDoubtful = true;
	}

	/** Takes over what is stored, unless this process's copy counts. Forgets nothing. */
	load(stored: TriggerState | undefined): void {
		if (stored === undefined || stored.revision <= this.revision) return;
		const before = this.sets;
		const { revision, status, url, events, addressChanged, askedAbout, told } = stored;
		Object.assign(this, { revision, status, url, events, addressChanged, askedAbout, told });
		this.wasInterrupted ||= stored.isOpen;
		const companies = new Set<string>();
		this.sets = stored.sets.map(({ account, address, lines }) => {
			const subscriptions = parseLines(lines).map((line) => {
				if (isWatched(line)) companies.add(line.company);
				return [line.reference, loaded(line, stored)] as const;
			});
			const registry = before.find((set) => set.account === account)?.registry;
			return { account, address, subscriptions: new Map(subscriptions), registry };
		});
		this.companies = companies;
		// Another process has published since: what has become of what it does not know is not known.
		for (const { subscriptions, ...of } of before) {
			const known = this.sets.find(({ account }) => account === of.account);
			const set = known ?? { ...of, subscriptions: new Map<string, Subscription>() };
			if (!known) this.sets.push(set);
			for (const one of subscriptions.values()) {
				if (!this.find(one.reference)) this.keep({ ...one, confirmed: undefined }, set);
			}
		}
	}

	/** What is to be stored now. */
	private toState(): TriggerState {
		const { status, url, events, addressChanged, askedAbout, told, isOpen } = this;
		// Later than ever before: clocks may be set back.
		this.revision = Math.max(Date.now(), this.revision + 1);
		this.unwritten = 0;
		this.writtenAt = performance.now();
		const sets = this.sets.map(({ account, address, subscriptions }) => ({
			account,
			address,
			lines: [...subscriptions.values()].map((one) => toLine(this.toStored(one))).join(''),
		}));
		const { revision } = this;
		return { revision, status, isOpen, url, events, addressChanged, askedAbout, told, sets };
	}

	/** Writes a new revision into a copy of the workflow's static data. */
	write(staticData: IDataObject, identity: TriggerIdentity): void {
		writeState(staticData, identity, this.toState());
	}

	private toStored({ reference, company, id, secret, ...one }: Subscription): StoredSubscription {
		const subscription = { reference, company, id, secret };
		if (one.confirmed === 'paused') return { ...subscription, status: 'paused' };
		const whole = { ...subscription, ...one };
		if (!this.companies.has(company) || !isActiveAt(whole, this.url)) {
			return { ...subscription, status: 'unknown' };
		}
		return { ...subscription, status: isConfirmed(whole, this) ? 'watched' : 'active' };
	}
}

const stores = new Map<string, { identity: TriggerIdentity; store: Store }>();

/** What is known of a trigger; made when there is nothing yet. */
export function storeOf(identity: TriggerIdentity): Store {
	const store = findStore(identity) ?? new Store();
	const key = keyOf(identity);
	stores.delete(key);
	stores.set(key, { identity, store });
	dropOldest(stores, MAXIMUM_STORES);
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
		const isOther = other.workflow === identity.workflow && other.node !== identity.node;
		if (!isOther || other.kind === 'test' || store.revision === 0) continue;
		const stored = readState(staticData, other);
		if ((stored?.revision ?? 0) >= store.revision) continue;
		store.write(staticData, other);
		store.isDoubtful = true;
	}
}

function keyOf(identity: TriggerIdentity): string {
	return `${nameOf(identity)}/${identity.kind}`;
}

/** What was stored while n8n had taken the trigger down may have been paused since. */
function loaded(
	{ status, ...subscription }: StoredSubscription,
	{ url, events, status: ofTrigger }: TriggerState,
): Subscription {
	if (status === 'paused') return { ...subscription, confirmed: 'paused' };
	if (status === 'unknown' || ofTrigger !== 'published') return subscription;
	const confirmed = {
		url: withReference(url, subscription.reference),
		events: status === 'watched' ? events : [],
	};
	return { ...subscription, confirmed };
}
