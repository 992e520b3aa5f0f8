import { invert, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../identity/identity';
import type { TriggerOptions } from '../parameters/options';
import type { Subscription } from './subscription';

/** What one trigger node stores in the workflow's static data. */
export interface TriggerState {
	/** Rises with each store: what is higher is newer. Milliseconds since the epoch, or more. */
	revision: number;
	/** `new`: no publish has succeeded yet. */
	status: 'new' | 'published' | 'unpublished';
	/** Whether work was under way: webhooks may exist that are in no store. */
	isOpen: boolean;
	/** n8n's URL of this trigger, without a reference, and the service's events, as of the latest publish. */
	url: string;
	events: string[];
	/** The value of *Address Changed* at the latest publish: one that has not changed since was meant for that. */
	addressChanged?: TriggerOptions['addressChanged'];
	/** Damaged cells of the list that a person was asked about. */
	askedAbout?: string;
	/** What was told last, shortened, and when, in milliseconds since the epoch. */
	told?: { what: string; at: number };
	/** The current set, and the one before until it is paused. */
	sets: StoredSet[];
}

export interface StoredSet {
	account: string;
	address: string;
	/**
	 * The subscriptions, each in a line that begins with a line break: n8n parses and wraps static data for
	 * every delivery, and objects cost far more than text.
	 */
	lines: string;
}

export type StoredSubscription = Omit<Subscription, 'confirmed' | 'wroteAt'> & { status: Status };

/**
 * `watched`: active, with the wanted events, and delivering to the trigger's URL.
 * `active`: the same with other events, or it is not known which.
 * `paused`: kept to be resumed.
 * `unknown`: anything else, and what a change was sent for that nobody has confirmed.
 */
export type Status = 'watched' | 'active' | 'paused' | 'unknown';

const KEY = 'companyRegistryTrigger';
const MARKS: Record<Status, string> = { watched: '+', active: '~', paused: '-', unknown: '!' };
const STATUSES = invert(MARKS) as Record<string, Status>;

/** Whether its deliveries start the workflow. */
export function isWatched({ status }: Pick<StoredSubscription, 'status'>): boolean {
	return status === 'watched' || status === 'active';
}

/** The state of one trigger, or undefined when it has none. Only reads. */
export function readState(
	staticData: IDataObject,
	identity: TriggerIdentity,
): TriggerState | undefined {
	const stored = readForms(staticData)[keyOf(identity)] as StoredForm | undefined;
	// A copied workflow carries the original's state; its webhooks deliver to the original.
	return stored?.version === 1 && stored.workflow === identity.workflow ? stored : undefined;
}

/** Replaces one trigger's state, as a whole: n8n notices only changes at the top level. */
export function writeState(
	staticData: IDataObject,
	identity: TriggerIdentity,
	state: TriggerState,
): void {
	const { workflow } = identity;
	const own = pickBy(readForms(staticData), (stored) => stored.workflow === workflow);
	const form: StoredForm = { ...state, version: 1, workflow };
	staticData[KEY] = { ...own, [keyOf(identity)]: form } as unknown as IDataObject;
}

type StoredForm = TriggerState & { version: 1; workflow: string };

function readForms(staticData: IDataObject): Record<string, StoredForm> {
	return (staticData[KEY] ?? {}) as unknown as Record<string, StoredForm>;
}

function keyOf({ node, kind }: TriggerIdentity): string {
	return kind === 'test' ? `${node}/test` : node;
}

/** What is stored of the subscription that a delivery names, found without reading the others. */
export function findStored(
	{ sets }: TriggerState,
	reference: string,
): StoredSubscription | undefined {
	for (const { lines } of sets) {
		const start = lines.indexOf(`\n${reference} `);
		if (start !== -1) return parseLine(lines.slice(start + 1).split('\n', 1)[0]);
	}
	return undefined;
}

export function parseLines(lines: string): StoredSubscription[] {
	return lines.split('\n').slice(1).map(parseLine);
}

/** Ids and secrets are encoded, because the service promises no form of them. */
export function toLine({ reference, status, company, id, secret }: StoredSubscription): string {
	return `\n${reference} ${MARKS[status]}${company} ${encode(id)} ${encode(secret)}`;
}

function parseLine(line: string): StoredSubscription {
	const [reference, marked, id, secret] = line.split(' ');
	return {
		reference,
		status: STATUSES[marked[0]],
		company: marked.slice(1),
		id: decodeURIComponent(id),
		secret: decodeURIComponent(secret),
	};
}

/** No more than needed: static data stays small, and people may read it. */
function encode(value: string): string {
	return value.replace(/[%\s]/g, encodeURIComponent);
}
