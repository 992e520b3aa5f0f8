import { invert, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../identity/identity';
import type { TriggerOptions } from '../parameters/options';

/** What this trigger holds of a webhook that it has made at the service. */
export interface Subscription {
	/** Random query parameter of its destination, by which a delivery finds it. */
	reference: string;
	company: string;
	/** The webhook's, as the service has assigned it. */
	id: string;
	secret: string;
	/** By what the service has confirmed last. */
	status: Status;
	/** When it was written to last by this process, in milliseconds of `performance.now()`. */
	wroteAt?: number;
}

/**
 * `watched`: active, with the wanted events, and delivering to the trigger's URL.
 * `active`: the same with other events, or it is not known which.
 * `paused`: kept to be resumed.
 * `unknown`: anything else, and what a change was sent for that nobody has confirmed.
 */
export type Status = 'watched' | 'active' | 'paused' | 'unknown';

/** How a webhook differs from what the service has confirmed: somebody else has changed it. */
export type Drift = 'paused' | 'events' | 'redirected' | 'removed';

/** What is known of one trigger, beside its subscriptions. */
export class Facts {
	/** Rises with each store: what is higher is newer. Milliseconds since the epoch, or more. */
	revision = 0;
	/** `new`: no publish has succeeded yet. */
	status: 'new' | 'published' | 'unpublished' = 'new';
	/** Whether webhooks are being made: some may exist that are in no store. */
	isOpen = false;
	/** n8n's URL of this trigger, without a reference, and the service's events, as of the latest publish. */
	url = '';
	events: string[] = [];
	/** The value of *Address Changed* at the latest publish: one that has not changed since was meant for that. */
	addressChanged?: TriggerOptions['addressChanged'] = undefined;
	/** Damaged cells of the list that a person was asked about. */
	askedAbout?: string = undefined;
	/** What was told last, shortened, and when, in milliseconds since the epoch. */
	told?: { what: string; at: number } = undefined;
}

/** What one trigger node stores in the workflow's static data. */
export interface TriggerState extends Facts {
	/**
	 * The current set, and the one before until it is paused. Its subscriptions are in lines that begin with a line
	 * break: n8n parses and wraps static data for every delivery, and objects cost far more than text.
	 */
	sets: Array<{ account: string; address: string; lines: string }>;
	/** By company. */
	drifts?: Record<string, Drift>;
}

type StoredForm = TriggerState & { version: 1; workflow: string };

const KEY = 'companyRegistryTrigger';
const MARKS: Record<Status, string> = { watched: '+', active: '~', paused: '-', unknown: '!' };
const STATUSES = invert(MARKS) as Record<string, Status>;

/** Whether the service has confirmed that it delivers to the trigger's URL, whichever events. */
export function isActive({ status }: Subscription): boolean {
	return status === 'watched' || status === 'active';
}

/** Whether the service may deliver for it. */
export function mayBeActive({ status }: Subscription): boolean {
	return status !== 'paused';
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

function readForms(staticData: IDataObject): Record<string, StoredForm> {
	return (staticData[KEY] ?? {}) as unknown as Record<string, StoredForm>;
}

function keyOf({ node, kind }: TriggerIdentity): string {
	return kind === 'test' ? `${node}/test` : node;
}

/** What is stored of the subscription that a delivery names, found without reading the others. */
export function findStored({ sets }: TriggerState, reference: string): Subscription | undefined {
	for (const { lines } of sets) {
		const start = lines.indexOf(`\n${reference} `);
		if (start !== -1) return parseLine(lines.slice(start + 1).split('\n', 1)[0]);
	}
	return undefined;
}

export function parseLines(lines: string): Subscription[] {
	return lines.split('\n').slice(1).map(parseLine);
}

/** Ids and secrets are encoded, because the service promises no form of them. */
export function toLine({ reference, status, company, id, secret }: Subscription): string {
	return `\n${reference} ${MARKS[status]}${company} ${encode(id)} ${encode(secret)}`;
}

function parseLine(line: string): Subscription {
	const [reference, marked, ...encoded] = line.split(' ');
	const [status, company] = [STATUSES[marked[0]], marked.slice(1)];
	const [id, secret] = encoded.map(decodeURIComponent);
	return { reference, status, company, id, secret };
}

/** No more than needed: static data stays small, and people may read it. */
function encode(value: string): string {
	return value.replace(/[%\s]/g, encodeURIComponent);
}
