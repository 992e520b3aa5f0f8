import { pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { TriggerIdentity } from '../identity/identity';
import type { TriggerOptions } from '../parameters/options';
import type { Phase } from './phase';
import type { Subscription } from './subscription';

/** What one trigger node remembers between life-cycle runs, in the workflow's static data. */
export interface TriggerState {
	/** In milliseconds since the epoch: what was written later counts. */
	writtenAt: number;
	phase: Phase;
	/** Seals what the trigger sends to itself. */
	key: string;
	/** n8n's URL of this trigger, without a reference. */
	url: string;
	/** As wanted by the latest publish. */
	events: string[];
	/** The value of 'Address Changed' that has been carried out already, for as long as it stays set. */
	answered?: TriggerOptions['addressChanged'];
	/** The current one first. */
	groups: StoredGroup[];
}

/** Subscriptions of one account that deliver to one n8n. */
export interface StoredGroup {
	account: string;
	/** What all triggers' URLs of that n8n begin with. */
	address: string;
	subscriptions: StoredSubscription[];
}

export type StoredSubscription = Omit<Subscription, 'confirmed'> & { status: Status };

/**
 * `watched`: active, with the wanted events, and delivering to the trigger's URL.
 * `active`: the same with other events, or it is not known which.
 * `paused`: kept to be resumed.
 * `unknown`: anything else, and what a change was sent for that nobody has confirmed.
 */
export type Status = 'watched' | 'active' | 'paused' | 'unknown';

/** Whether its deliveries start the workflow. */
export function isWatched({ status }: Pick<StoredSubscription, 'status'>): boolean {
	return status === 'watched' || status === 'active';
}

/**
 * The stored form. n8n parses and wraps static data for every delivery, and objects cost far more than
 * text. So a group's subscriptions are one text, a line for each, each beginning with a line break.
 */
type StoredForm = Omit<TriggerState, 'groups'> & {
	version: 1;
	workflow: string;
	groups: Array<Omit<StoredGroup, 'subscriptions'> & { lines: string }>;
};

/** What is stored, without the subscriptions. */
export type StoredSummary = Pick<TriggerState, 'writtenAt' | 'phase' | 'key'>;

const KEY = 'companyRegistryTrigger';
const MARKS: Record<Status, string> = { watched: '+', active: '~', paused: '-', unknown: '!' };
const STATUSES: Record<string, Status> = {
	'+': 'watched',
	'~': 'active',
	'-': 'paused',
	'!': 'unknown',
};

/** The state of one trigger, or undefined when it has none. Only reads. */
export function readState(
	staticData: IDataObject,
	identity: TriggerIdentity,
): TriggerState | undefined {
	const stored = readForm(staticData, identity);
	if (stored === undefined) return undefined;
	const { writtenAt, phase, key, url, events, answered } = stored;
	const groups = stored.groups.map(({ account, address, lines }) => ({
		account,
		address,
		subscriptions: lines.split('\n').slice(1).map(parseLine),
	}));
	return { writtenAt, phase, key, url, events, answered, groups };
}

/** Replaces one trigger's state, as a whole: n8n notices only changes at the top level. */
export function writeState(
	staticData: IDataObject,
	identity: TriggerIdentity,
	{ groups, ...state }: TriggerState,
): void {
	const stored: StoredForm = {
		version: 1,
		workflow: identity.workflow,
		...state,
		groups: groups.map(({ account, address, subscriptions }) => ({
			account,
			address,
			lines: subscriptions.map(toLine).join(''),
		})),
	};
	// A copied workflow carries the original's state, which it never reads.
	const own = pickBy(readForms(staticData), ({ workflow }) => workflow === identity.workflow);
	staticData[KEY] = { ...own, [keyOf(identity)]: stored } as IDataObject;
}

/** What is stored of the subscription that a delivery names, found without reading the others. Only reads. */
export function findStored(
	staticData: IDataObject,
	identity: TriggerIdentity,
	reference: string,
): StoredSubscription | undefined {
	for (const { lines } of readForm(staticData, identity)?.groups ?? []) {
		const start = lines.indexOf(`\n${reference} `);
		if (start === -1) continue;
		const end = lines.indexOf('\n', start + 1);
		return parseLine(lines.slice(start + 1, end === -1 ? undefined : end));
	}
	return undefined;
}

/** What is stored, without reading the subscriptions; undefined where nothing is. */
export function readSummary(
	staticData: IDataObject,
	identity: TriggerIdentity,
): StoredSummary | undefined {
	return readForm(staticData, identity);
}

function keyOf({ node, kind }: TriggerIdentity): string {
	return kind === 'test' ? `${node}/test` : node;
}

function readForms(staticData: IDataObject): Record<string, StoredForm> {
	return (staticData[KEY] ?? {}) as unknown as Record<string, StoredForm>;
}

function readForm(staticData: IDataObject, identity: TriggerIdentity): StoredForm | undefined {
	const stored = readForms(staticData)[keyOf(identity)] as StoredForm | undefined;
	// A copied workflow carries the original's state; its webhooks deliver to the original.
	return stored?.version === 1 && stored.workflow === identity.workflow ? stored : undefined;
}

/** Ids and secrets are encoded, because the service promises no form of them. */
function toLine({ reference, status, company, id, secret }: StoredSubscription): string {
	const values = [reference, MARKS[status] + company, encode(id), encode(secret)];
	return `\n${values.join(' ')}`;
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
