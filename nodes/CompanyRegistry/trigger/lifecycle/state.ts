import { invert, map, pickBy, xor } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { digestOf } from '../../shared/digest';
import { keepNewest } from '../../shared/keepNewest';
import type { TriggerOptions } from '../parameters/options';
import type { AcceptedList } from '../parameters/watchlist';
import type { DesiredState } from './desired';
import { keyOf, type TriggerIdentity } from './identity';

/**
 * `pending`: the service was asked to create it, and no usable answer has come.
 * `active`: confirmed for the URL and the events of {@link Facts}.
 * `paused`: kept, so that the next publish can resume it.
 * `unknown`: anything else, such as a change whose answer was lost.
 */
export type Status = 'pending' | 'active' | 'paused' | 'unknown';

/** One webhook of this trigger at the service. */
export interface Subscription {
	/** Random query parameter of its URL, by which a delivery finds its secret. */
	reference: string;
	company: string;
	/** As the service assigned it; empty while pending, like the secret. */
	id: string;
	secret: string;
	status: Status;
	/** When this process last changed it, in milliseconds of `performance.now()`. */
	wroteAt?: number;
}

/** The stored facts of a trigger beside its subscriptions. Times are milliseconds since the epoch. */
export interface Facts {
	/** `new`: no publish has succeeded yet. */
	status: 'new' | 'published' | 'unpublished';
	/** Fingerprint of the account that the subscriptions belong to. */
	account: string;
	/** n8n's URL of the trigger and the events for which `active` was confirmed. */
	url: string;
	events: string[];
	/** The option at the latest publish: an answer that was set earlier was meant for another change. */
	addressChanged?: TriggerOptions['addressChanged'];
	/** Digest of the last report. */
	reported?: { what: string; at: number };
	/** When n8n last took the published trigger down; undefined once it is published again. */
	takenDownAt?: number;
	/** The list of a followed link. */
	list?: AcceptedList;
}

/** A trigger as it is stored in the static data of its workflow. */
export interface TriggerState {
	version: 1;
	workflow: string;
	/** Rises with each write: milliseconds since the epoch, or more. */
	revision: number;
	facts: Facts;
	/** One line for each subscription: n8n parses static data at each delivery, and text is cheap. */
	lines: string;
}

const KEY = 'companyRegistryTrigger';
/** Far more triggers than one process has. */
const MAXIMUM_TRIGGERS = 10_000;
const MARKS: Record<Status, string> = { pending: '?', active: '+', paused: '-', unknown: '!' };
const STATUSES = invert(MARKS) as Record<string, Status>;

/** The state of one trigger in this process. It is ahead of the stored state, unless that has a higher revision. */
export class TriggerMemory {
	revision = 0;
	facts: Readonly<Facts> = { status: 'new', account: '', url: '', events: [] };
	/** By reference. */
	subscriptions = new Map<string, Subscription>();
	/** As n8n last asked for it; undefined before the first call in this process. */
	desired: DesiredState | undefined;
	/** Digest of what was last stored. */
	private stored = this.digest();

	constructor(readonly identity: TriggerIdentity) {}

	get all(): Subscription[] {
		return [...this.subscriptions.values()];
	}

	get active(): Subscription[] {
		return this.all.filter(({ status }) => status === 'active');
	}

	/** Those that the service may hold without this trigger knowing their secret. */
	get pending(): Subscription[] {
		return this.all.filter(({ status }) => status === 'pending');
	}

	/** Those whose webhooks may deliver to a desired URL, with whatever events. */
	get delivering(): Subscription[] {
		return this.all.filter(({ status }) => status === 'active' || status === 'unknown');
	}

	/** Whether `active` means active with this URL and these events. */
	isConfirmedFor(url: string, events: string[]): boolean {
		return this.facts.url === url && xor(this.facts.events, events).length === 0;
	}

	/** Active companies, and unknown ones that this process desires. */
	get companiesToKeep(): string[] {
		const isDesired = ({ company }: Subscription) => this.desired?.companySet.has(company);
		const watched = this.delivering.filter((one) => one.status === 'active' || isDesired(one));
		return map(watched, 'company');
	}

	drop({ reference }: Subscription): void {
		this.subscriptions.delete(reference);
	}

	updateFacts(facts: Partial<Facts>): void {
		this.facts = { ...this.facts, ...facts };
	}

	/** Takes over a stored state with a higher revision. Forgets no secret. @returns whether it was higher */
	load(stored: TriggerState | undefined): boolean {
		if (stored === undefined || stored.revision <= this.revision) return false;
		const known = this.all;
		({ revision: this.revision, facts: this.facts } = stored);
		const loaded = stored.lines.split('\n').slice(1).map(parseLine);
		// The list may lag behind what n8n asked for just before its end.
		for (const one of loaded) if (one.status === 'pending') one.wroteAt = performance.now();
		this.subscriptions = new Map(map(loaded, (one) => [one.reference, one]));
		this.stored = this.digest();
		for (const one of known) {
			const status = one.status === 'pending' ? 'pending' : 'unknown';
			if (this.subscriptions.has(one.reference)) continue;
			this.subscriptions.set(one.reference, { ...one, status });
		}
		return true;
	}

	/** Whether the stored state is another. */
	get isChanged(): boolean {
		return this.stored !== this.digest();
	}

	private digest(): string {
		return digestOf(JSON.stringify(this.facts) + this.lines);
	}

	private get lines(): string {
		const isDesired = ({ company }: Subscription) => this.desired?.companySet.has(company) ?? true;
		return this.all.map((one) => toLine(one, isDesired(one))).join('');
	}

	/** Writes a new revision into a copy of the static data of the workflow. */
	write(staticData: IDataObject): void {
		const { workflow, node } = this.identity;
		// Later than ever before, because clocks may be set back.
		this.revision = Math.max(Date.now(), this.revision + 1);
		this.stored = this.digest();
		const { revision, facts, lines } = this;
		const state: TriggerState = { version: 1, workflow, revision, facts, lines };
		const own = pickBy(statesIn(staticData), (other) => other.workflow === workflow);
		// n8n notices only changes at the top level.
		staticData[KEY] = { ...own, [node]: state } as unknown as IDataObject;
	}
}

/** The stored state of one trigger. A copied workflow carries the state of the original, which is not its own. */
export function readState(
	staticData: IDataObject,
	{ workflow, node }: TriggerIdentity,
): TriggerState | undefined {
	const state = statesIn(staticData)[node] as TriggerState | undefined;
	return state?.version === 1 && state.workflow === workflow ? state : undefined;
}

/** The stored subscription that a delivery names, found without parsing the others. */
export function findStored({ lines }: TriggerState, reference: string): Subscription | undefined {
	const start = lines.indexOf(`\n${reference} `);
	return start === -1 ? undefined : parseLine(lines.slice(start + 1).split('\n', 1)[0]);
}

const memories = new Map<string, TriggerMemory>();

/** The memory of a trigger in this process, created if there is none. */
export function memoryOf(identity: TriggerIdentity): TriggerMemory {
	const memory = findMemory(identity) ?? new TriggerMemory(identity);
	keepNewest(memories, keyOf(identity), memory, MAXIMUM_TRIGGERS);
	return memory;
}

export function findMemory(identity: TriggerIdentity): TriggerMemory | undefined {
	return memories.get(keyOf(identity));
}

/**
 * Writes a trigger into a copy of the static data, and the other triggers of its workflow where the copy is older:
 * n8n saves a copy as a whole, and holds copies of different age.
 */
export function writeAll(staticData: IDataObject, memory: TriggerMemory): void {
	memory.write(staticData);
	for (const other of memories.values()) {
		if (other === memory || other.identity.workflow !== memory.identity.workflow) continue;
		const { revision = 0 } = readState(staticData, other.identity) ?? {};
		if (revision < other.revision) other.write(staticData);
	}
}

function statesIn(staticData: IDataObject): Record<string, TriggerState> {
	return (staticData[KEY] ?? {}) as unknown as Record<string, TriggerState>;
}

/** An active webhook that is no longer desired is stored as unknown, so that a start does not watch it again. */
function toLine(
	{ reference, status, company, id, secret }: Subscription,
	isDesired: boolean,
): string {
	const mark = MARKS[status === 'active' && !isDesired ? 'unknown' : status];
	// The service promises no form of ids and secrets.
	return `\n${reference} ${mark}${company} ${encode(id)} ${encode(secret)}`;
}

function parseLine(line: string): Subscription {
	const [reference, marked, ...encoded] = line.split(' ');
	const [id, secret] = encoded.map(decodeURIComponent);
	return { reference, status: STATUSES[marked[0]], company: marked.slice(1), id, secret };
}

function encode(value: string): string {
	return value.replace(/[%\s]/g, encodeURIComponent);
}
