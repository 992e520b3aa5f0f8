import { intersection, isEqual, isUndefined, map, omitBy, pickBy, xor } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

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
	/** When this process last sent or loaded it, in milliseconds of `performance.now()`. */
	sentAt?: number;
}

/** The stored facts of a trigger beside its subscriptions. Times are milliseconds since the epoch. */
export interface Facts {
	/** `new`: never published, or its first publish failed. */
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
	/** When n8n last took the published trigger down; undefined once a publish has succeeded after that. */
	takenDownAt?: number;
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

/** The state of one trigger in this process. It is ahead of the stored state, unless that has a higher revision. */
export class TriggerMemory {
	facts: Readonly<Facts> = { status: 'new', account: '', url: '', events: [] };
	/** By reference. */
	subscriptions = new Map<string, Subscription>();
	/** As n8n last asked for it, with the list as last read; undefined before the first call in this process. */
	desired: DesiredState | undefined;
	/** What was last loaded or written. */
	stored = { revision: 0, facts: this.facts, lines: '' };

	constructor(readonly identity: TriggerIdentity) {}

	get all(): Subscription[] {
		return [...this.subscriptions.values()];
	}

	withStatus(...statuses: Status[]): Subscription[] {
		return this.all.filter(({ status }) => statuses.includes(status));
	}

	/** Active companies, and unknown ones that this process desires. */
	get companiesToKeep(): string[] {
		const unknown = map(this.withStatus('unknown'), 'company');
		const desired = intersection(unknown, this.desired?.companies);
		return [...map(this.withStatus('active'), 'company'), ...desired];
	}

	/** Whether `active` means active with this URL and these events. */
	isConfirmedFor(url: string, events: string[]): boolean {
		return this.facts.url === url && xor(this.facts.events, events).length === 0;
	}

	updateFacts(facts: Partial<Facts>): void {
		this.facts = omitBy({ ...this.facts, ...facts }, isUndefined) as unknown as Facts;
	}

	get isChanged(): boolean {
		return this.lines !== this.stored.lines || !isEqual(this.facts, this.stored.facts);
	}

	/** Takes over a stored state with a higher revision. Forgets no secret. @returns whether it was higher */
	load(stored: TriggerState | undefined): boolean {
		if (stored === undefined || stored.revision <= this.stored.revision) return false;
		this.stored = stored;
		this.facts = stored.facts;
		for (const one of this.all) if (one.status !== 'pending') one.status = 'unknown';
		const loaded = stored.lines.split('\n').slice(1).map(parseLine);
		for (const one of loaded) {
			const held = this.subscriptions.get(one.reference);
			if (one.secret !== '' || !held?.secret) this.subscriptions.set(one.reference, one);
		}
		// The list may lag behind what n8n asked for just before its end.
		for (const one of this.withStatus('pending')) one.sentAt = performance.now();
		return true;
	}

	/** Writes a new revision into a copy of the static data of the workflow. */
	write(staticData: IDataObject): void {
		const { workflow, node } = this.identity;
		// Later than ever before, because clocks may be set back.
		const revision = Math.max(Date.now(), this.stored.revision + 1);
		const { facts, lines } = this;
		const state: TriggerState = { version: 1, workflow, revision, facts, lines };
		this.stored = state;
		const own = pickBy(statesIn(staticData), { workflow });
		// n8n notices only changes at the top level.
		staticData[KEY] = { ...own, [node]: state } as unknown as IDataObject;
	}

	/** The subscriptions as text. A start must not watch again what is no longer desired. */
	private get lines(): string {
		const desired = this.desired && new Set(this.desired.companies);
		const toLine = ({ reference, status, company, id, secret }: Subscription) => {
			// Nearly all are active, so that takes no room.
			const active = desired?.has(company) === false ? 'unknown' : '';
			const fields = [reference, status === 'active' ? active : status, company, id, secret];
			// The service promises no form of ids and secrets.
			return `\n${fields.map((field) => field.replace(/[%\s]/g, encodeURIComponent)).join(' ')}`;
		};
		return this.all.map(toLine).join('');
	}
}

/** The stored state of one trigger. A copied workflow carries the state of the original, which is not its own. */
export function readState(data: IDataObject, identity: TriggerIdentity): TriggerState | undefined {
	const state = statesIn(data)[identity.node];
	return state?.version === 1 && state.workflow === identity.workflow ? state : undefined;
}

/** The stored subscription that a delivery names, found without parsing the others. */
export function findStored({ lines }: TriggerState, reference: string): Subscription | undefined {
	const start = lines.indexOf(`\n${reference} `);
	return start === -1 ? undefined : parseLine(lines.slice(start + 1).split('\n', 1)[0]);
}

const memories = new Map<string, TriggerMemory>();

/** The memory of a trigger in this process, created if there is none. */
export function memoryOf(identity: TriggerIdentity): TriggerMemory {
	const memory = memories.get(keyOf(identity)) ?? new TriggerMemory(identity);
	// Far more triggers than one process has.
	keepNewest(memories, keyOf(identity), memory, 10_000);
	return memory;
}

/**
 * Writes a trigger into a copy of the static data, and the other triggers of its workflow where the copy is older:
 * n8n saves a copy as a whole, and holds copies of different age.
 */
export function writeAll(staticData: IDataObject, memory: TriggerMemory): void {
	memory.write(staticData);
	for (const other of memories.values()) {
		if (other.identity.workflow !== memory.identity.workflow) continue;
		const { revision = 0 } = readState(staticData, other.identity) ?? {};
		if (revision < other.stored.revision) other.write(staticData);
	}
}

function statesIn(data: IDataObject): Record<string, TriggerState | undefined> {
	return (data[KEY] ?? {}) as Record<string, TriggerState | undefined>;
}

function parseLine(line: string): Subscription {
	const [reference, mark, company, id, secret] = line.split(' ').map(decodeURIComponent);
	return { reference, status: (mark || 'active') as Status, company, id, secret };
}
