import { invert, map, pick, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { keepNewest } from '../../shared/dropOldest';
import type { TriggerOptions } from '../parameters/options';
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

/** A list read from a link, as the trigger last accepted it. */
export interface AcceptedList {
	digest: string;
	/** A table: headings, then rows. */
	text: string;
}

/** What a trigger stores beside its subscriptions. */
export interface Facts {
	/** Rises with each write. Milliseconds since the epoch, or more. */
	revision: number;
	/** `new`: no publish has succeeded yet. */
	status: 'new' | 'published' | 'unpublished';
	/** Fingerprint of the account that the subscriptions belong to. */
	account: string;
	/** n8n's URL of the trigger and the events for which `active` was confirmed. */
	url: string;
	events: string[];
	/** The option at the latest publish: an answer that was set earlier was meant for another change. */
	addressChanged?: TriggerOptions['addressChanged'];
	/** Digest of the last report, and its time in milliseconds since the epoch. */
	reported?: { what: string; at: number };
	/** When n8n last took the trigger down, in milliseconds since the epoch. */
	takenDownAt?: number;
	list?: AcceptedList;
}

/** A trigger as it is stored in the static data of its workflow. */
export interface TriggerState extends Facts {
	version: 1;
	workflow: string;
	/** One line for each subscription: n8n parses static data at each delivery, and text is cheap. */
	lines: string;
}

const KEY = 'companyRegistryTrigger';
/** Far more triggers than one process has. */
const MAXIMUM_TRIGGERS = 10_000;
const MARKS: Record<Status, string> = { pending: '?', active: '+', paused: '-', unknown: '!' };
const STATUSES = invert(MARKS) as Record<string, Status>;
const FACTS: Array<keyof Facts> = [
	'revision',
	'status',
	'account',
	'url',
	'events',
	'addressChanged',
	'reported',
	'takenDownAt',
	'list',
];

/** What this process knows of one trigger. It is ahead of the stored state, unless that has a higher revision. */
export class TriggerMemory {
	facts: Readonly<Facts> = { revision: 0, status: 'new', account: '', url: '', events: [] };
	/** By reference. */
	subscriptions = new Map<string, Subscription>();
	/** As n8n last asked for it; undefined before the first call in this process. */
	desired: DesiredState | undefined;
	/** Changes since the last write. */
	unsaved = 0;

	constructor(readonly identity: TriggerIdentity) {}

	get all(): Subscription[] {
		return [...this.subscriptions.values()];
	}

	get active(): Subscription[] {
		return this.all.filter(({ status }) => status === 'active');
	}

	/** Companies that an earlier process or publish was asked to watch. */
	get previousCompanies(): string[] {
		const wanted = this.all.filter(({ status }) => status !== 'paused');
		return this.desired?.companies ?? [...new Set(map(wanted, 'company'))];
	}

	keep(subscription: Subscription): void {
		this.subscriptions.set(subscription.reference, subscription);
		this.unsaved++;
	}

	drop({ reference }: Subscription): void {
		if (this.subscriptions.delete(reference)) this.unsaved++;
	}

	note(facts: Partial<Facts>): void {
		this.facts = { ...this.facts, ...facts };
		this.unsaved++;
	}

	/** Takes over a stored state with a higher revision. Forgets no secret. */
	load(stored: TriggerState | undefined): void {
		if (stored === undefined || stored.revision <= this.facts.revision) return;
		const known = this.all;
		this.facts = pick(stored, FACTS);
		// After an unpublish webhooks are paused, which n8n does not store.
		const isPublished = stored.status === 'published';
		const loaded = linesIn(stored).map(parseLine);
		for (const one of loaded) if (one.status === 'active' && !isPublished) one.status = 'unknown';
		this.subscriptions = new Map(map(loaded, (one) => [one.reference, one]));
		for (const one of known) {
			if (!this.subscriptions.has(one.reference)) this.keep({ ...one, status: 'unknown' });
		}
	}

	/** Writes a new revision into a copy of the static data of the workflow. */
	write(staticData: IDataObject): void {
		const { workflow } = this.identity;
		// Later than ever before, because clocks may be set back.
		const revision = Math.max(Date.now(), this.facts.revision + 1);
		this.facts = { ...this.facts, revision };
		this.unsaved = 0;
		const lines = this.all.map((one) => toLine(one, this.isWanted(one))).join('');
		const own = pickBy(statesIn(staticData), (state) => state.workflow === workflow);
		const state: TriggerState = { ...this.facts, version: 1, workflow, lines };
		// n8n notices only changes at the top level.
		staticData[KEY] = { ...own, [this.identity.node]: state } as unknown as IDataObject;
	}

	private isWanted({ company }: Subscription): boolean {
		return this.desired?.companySet.has(company) ?? true;
	}
}

/** The stored state of one trigger, or undefined. A copied workflow carries the state of the original: not its own. */
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

/** What this process knows of a trigger; created if it knows nothing. */
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
	const { workflow } = memory.identity;
	memory.write(staticData);
	for (const other of memories.values()) {
		if (other === memory || other.identity.workflow !== workflow) continue;
		const { revision = 0 } = readState(staticData, other.identity) ?? {};
		if (revision < other.facts.revision) other.write(staticData);
	}
}

function statesIn(staticData: IDataObject): Record<string, TriggerState> {
	return (staticData[KEY] ?? {}) as unknown as Record<string, TriggerState>;
}

function linesIn({ lines }: TriggerState): string[] {
	return lines.split('\n').slice(1);
}

/** An active webhook that is no longer wanted is stored as unknown, so that a start does not watch it again. */
function toLine({ reference, status, company, id, secret }: Subscription, isWanted: boolean): string {
	const stored = status === 'active' && !isWanted ? 'unknown' : status;
	// The service promises no form of ids and secrets.
	return `\n${reference} ${MARKS[stored]}${company} ${encode(id)} ${encode(secret)}`;
}

function parseLine(line: string): Subscription {
	const [reference, marked, ...encoded] = line.split(' ');
	const [id, secret] = encoded.map(decodeURIComponent);
	return { reference, status: STATUSES[marked[0]], company: marked.slice(1), id, secret };
}

function encode(value: string): string {
	return value.replace(/[%\s]/g, encodeURIComponent);
}
