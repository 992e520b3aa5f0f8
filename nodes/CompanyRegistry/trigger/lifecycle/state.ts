import { fromPairs, isEmpty, isEqual, isUndefined, map, omit, omitBy, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { keepNewest } from '../../shared/keepNewest';
import { isSameInMails, type AcceptedList } from '../parameters/watchlist';
import { digestOfCompanies, listedCompanies, type DesiredState } from './desired';
import type { Facts } from '../records/facts';
import { keyOf, type TriggerIdentity } from './identity';
import { TIMES } from './schedule';
import {
	formatLine,
	parseLine,
	parseLines,
	targetsOf,
	type StoredSubscription,
} from './storedLines';
import {
	isKnown,
	isPending,
	type Known,
	type Pending,
	type Subscription,
	type Target,
} from '../records/subscription';
import { TrackRecord } from '../records/trackRecord';

/** A trigger as it is stored in the static data of its workflow. */
export interface TriggerState {
	version: 1;
	workflow: string;
	/** Rises with each write: milliseconds since the epoch, or more. */
	revision: number;
	facts: Facts;
	/** Where the webhooks deliver to. Each line names one of them by its place here. */
	targets: Target[];
	/** One line for each subscription: n8n parses static data at each delivery, and text is cheap. */
	lines: string;
}

/** The state that was last loaded or written. */
interface LastStored extends Pick<TriggerState, 'revision' | 'facts' | 'targets' | 'lines'> {
	/** Whether the same was stored twice: something else may have saved an old copy over the first time. */
	isRepeated: boolean;
}

const KEY = 'companyRegistryTrigger';
const DAY = 86_400_000;
/** States of nodes that no longer exist are dropped after so long, in milliseconds. */
export const FORGET_AFTER = 30 * DAY;

/** The state of one trigger in this process. It is ahead of the stored state, unless that has a higher revision. */
export class TriggerMemory {
	facts: Readonly<Facts> = { status: 'new', account: '' };
	/** By reference. */
	subscriptions = new Map<string, Subscription>();
	/** Companies that the service refused in the last pass of this process, with the reasons. */
	refused = new Map<string, unknown>();
	/** As n8n last asked for it, with the list as last read; undefined before the first call in this process. */
	desired: DesiredState | undefined;
	stored: LastStored = { revision: 0, facts: this.facts, targets: [], lines: '', isRepeated: true };

	/** Of the deliveries that this process has received. */
	readonly record = new TrackRecord();

	constructor(readonly identity: TriggerIdentity) {}

	get all(): Subscription[] {
		return [...this.subscriptions.values()];
	}

	get known(): Known[] {
		return this.all.filter(isKnown);
	}

	get pending(): Pending[] {
		return this.all.filter(isPending);
	}

	updateFacts(facts: Partial<Facts>): void {
		this.facts = omitBy({ ...this.facts, ...facts }, isUndefined) as unknown as Facts;
	}

	/** From now on this is desired. Events of other companies start nothing, whatever becomes of their webhooks. */
	desire(desired: DesiredState): void {
		this.desired = desired;
		const isDesired = new Set(desired.companies);
		for (const one of this.known) {
			const isIgnored = !isDesired.has(one.company) && one.said !== 'paused';
			if (isIgnored) one.silentSince ??= Date.now();
		}
	}

	/** Records when events were given up, until they are chosen again. */
	acceptEvents({ events, dropped }: Pick<DesiredState, 'events' | 'dropped'>): void {
		const givenUp = fromPairs(dropped.map((event) => [event, Date.now()]));
		const unchosen = omit({ ...givenUp, ...this.facts.unchosen }, events);
		this.updateFacts({ unchosen: isEmpty(unchosen) ? undefined : unchosen });
	}

	/** From now on this is desired, and its list is the accepted one. */
	accept(desired: DesiredState): void {
		this.desire(desired);
		const { problem, list, kept, exchanged } = desired;
		if (problem || list === undefined) return;

		const { list: before, removalsReported } = this.facts;
		const isReported = removalsReported === digestOfCompanies(listedCompanies(desired));
		const isStored = before !== undefined && !isWorthStoring(before, list);
		this.updateFacts({
			list: isStored ? before : list,
			kept: kept.size > 0 ? Object.fromEntries(kept) : undefined,
			exchanged: exchanged.length > 0 ? exchanged : undefined,
			// A person may confirm only what was reported of the latest list.
			removalsReported: isReported ? removalsReported : undefined,
		});
	}

	get isChanged(): boolean {
		const { lines, targets } = this.content;
		const { stored } = this;
		return (
			lines !== stored.lines ||
			!isEqual(lastingFacts(this.facts), lastingFacts(stored.facts)) ||
			!isEqual(targets, stored.targets)
		);
	}

	/** Takes over a stored state with a higher revision. Forgets no secret. @returns whether it was higher */
	load(state: TriggerState | undefined): boolean {
		if (state === undefined || state.revision <= this.stored.revision) return false;
		const { revision, facts, targets, lines } = state;
		this.stored = { revision, facts, targets, lines, isRepeated: true };
		this.facts = facts;

		// Another process may have changed them since.
		for (const one of this.known) one.said = 'unsure';
		for (const { subscription } of parseLines(lines, targets)) {
			const held = this.subscriptions.get(subscription.reference);
			const losesSecret = held !== undefined && isKnown(held) && !isKnown(subscription);
			if (!losesSecret) this.subscriptions.set(subscription.reference, subscription);
		}

		// The list may lag behind what n8n asked for just before its end.
		for (const one of this.pending) one.sentAt = performance.now();
		return true;
	}

	/** Writes a new revision into a copy of the static data of the workflow. */
	write(staticData: IDataObject): void {
		const { workflow, node } = this.identity;
		const { facts, stored } = this;
		const { targets, lines } = this.content;
		// Later than ever before, because clocks may be set back.
		const revision = Math.max(Date.now(), stored.revision + 1);
		const state: TriggerState = { version: 1, workflow, revision, facts, targets, lines };

		this.stored = { revision, facts, targets, lines, isRepeated: !this.isChanged };
		const own = pickBy(statesIn(staticData), { workflow });
		// n8n notices only changes at the top level.
		staticData[KEY] = { ...own, [node]: state } as unknown as IDataObject;
	}

	/** The subscriptions as they are stored. */
	private get content(): Pick<TriggerState, 'targets' | 'lines'> {
		const desired = this.desired && new Set(this.desired.companies);
		const targets = targetsOf(this.known);
		const isLeft = ({ company }: Subscription) => desired?.has(company) === false;
		const lines = this.all.map((one) => `\n${formatLine(one, isLeft(one), targets)}`).join('');
		return { targets, lines };
	}
}

/** That n8n has started is stored with the next check, because each store is an execution. */
function lastingFacts(facts: Facts): Partial<Facts> {
	return facts.status === 'published' ? omit(facts, 'takenDownAt', 'healthyAt') : facts;
}

/** Columns that no mail depends on are stored once a day, because each store is an execution. */
function isWorthStoring(before: AcceptedList, now: AcceptedList): boolean {
	if (before.digest === now.digest) return false;
	const isOld = Math.abs(now.acceptedAt - before.acceptedAt) >= DAY;
	return isOld || !isSameInMails(before, now);
}

/** The stored state of one trigger. A copied workflow carries the state of the original, which is not its own. */
export function readState(data: IDataObject, identity: TriggerIdentity): TriggerState | undefined {
	const state = statesIn(data)[identity.node];
	return state?.version === 1 && state.workflow === identity.workflow ? state : undefined;
}

/** The stored subscription that a delivery names, found without parsing the others. */
export function findStored(
	{ lines, targets }: TriggerState,
	reference: string,
): StoredSubscription | undefined {
	const start = lines.indexOf(`\n${reference} `);
	if (start === -1) return undefined;
	return parseLine(lines.slice(start + 1).split('\n', 1)[0], targets);
}

const memories = new Map<string, TriggerMemory>();

/** The memory of a trigger in this process, created if there is none. */
export function memoryOf(identity: TriggerIdentity): TriggerMemory {
	const memory = memories.get(keyOf(identity)) ?? new TriggerMemory(identity);
	// Far more triggers than one process has.
	keepNewest(memories, keyOf(identity), memory, 10_000);
	return memory;
}

/** Loads triggers that were unpublished when n8n started: a new node of the workflow may replace one of them. */
export function loadUnpublished(data: IDataObject, { workflow, node }: TriggerIdentity): void {
	for (const id of Object.keys(statesIn(data))) {
		const identity = { workflow, node: id };
		const state = readState(data, identity);
		if (id === node || state?.facts.status !== 'unpublished') continue;
		const memory = memoryOf(identity);
		// n8n does not store the pauses after an unpublish.
		if (memory.load(state)) for (const one of memory.known) one.said = 'paused';
	}
}

/** The other triggers of the workflow in this process. */
function beside({ identity }: TriggerMemory): TriggerMemory[] {
	return [...memories.values()].filter(({ identity: { workflow, node } }) => {
		return workflow === identity.workflow && node !== identity.node;
	});
}

/** Those that n8n has taken down, perhaps because their node was replaced. */
export function unpublishedBeside(memory: TriggerMemory): TriggerMemory[] {
	return beside(memory).filter(({ facts }) => facts.status === 'unpublished');
}

/** Those that n8n has just taken down. */
export function takenDownBeside(memory: TriggerMemory): TriggerMemory[] {
	return unpublishedBeside(memory).filter(({ facts: { takenDownAt = -Infinity } }) => {
		return Date.now() - takenDownAt < TIMES.beforePausing;
	});
}

/** Companies that other triggers of the workflow watch. */
export function watchedBeside(memory: TriggerMemory): string[] {
	const published = beside(memory).filter(({ facts }) => facts.status === 'published');
	const active = published.flatMap(({ known }) => known).filter(({ said }) => said === 'active');
	return map(active, 'company');
}

/**
 * Writes a trigger into a copy of the static data, and the other triggers of its workflow where the copy is older:
 * n8n saves a copy as a whole, and holds copies of different age.
 */
export function writeAll(staticData: IDataObject, memory: TriggerMemory): void {
	memory.write(staticData);
	for (const other of beside(memory)) {
		const { revision = 0 } = readState(staticData, other.identity) ?? {};
		const isAhead = other.stored.revision > 0 && revision <= other.stored.revision;
		// The pauses after an unpublish are stored with another trigger, or never.
		if (isAhead && (revision < other.stored.revision || other.isChanged)) other.write(staticData);
	}
}

/**
 * Drops the states of other triggers of the workflow that were unpublished long ago, with every webhook confirmed as
 * paused: no API says that a node was deleted. @returns the ids of their webhooks
 */
export function dropAbandoned(
	staticData: IDataObject,
	{ workflow, node }: TriggerIdentity,
): string[] {
	const states = statesIn(staticData);
	const abandoned = pickBy(states, (state, id) => id !== node && isAbandoned(state, workflow));
	if (Object.keys(abandoned).length === 0) return [];

	// Otherwise the next emission would write them again.
	for (const id of Object.keys(abandoned)) memories.delete(keyOf({ workflow, node: id }));
	const left = pickBy(states, (_state, id) => !(id in abandoned));
	staticData[KEY] = left as unknown as IDataObject;
	return Object.values(abandoned).flatMap((state) => map(knownIn(state), 'id'));
}

function isAbandoned(state: TriggerState | undefined, workflow: string): boolean {
	if (state?.workflow !== workflow || state.facts.status === 'published') return false;
	const since = state.facts.takenDownAt ?? Infinity;
	const isLongAgo = Date.now() - since > FORGET_AFTER;
	return isLongAgo && parseLines(state.lines, state.targets).every(isConfirmedAsPaused);
}

function isConfirmedAsPaused({ subscription }: StoredSubscription): boolean {
	return isKnown(subscription) && subscription.said === 'paused';
}

function knownIn(state: TriggerState | undefined): Known[] {
	const parsed = state ? parseLines(state.lines, state.targets) : [];
	return map(parsed, 'subscription').filter(isKnown);
}

function statesIn(data: IDataObject): Record<string, TriggerState | undefined> {
	return (data[KEY] ?? {}) as Record<string, TriggerState | undefined>;
}
