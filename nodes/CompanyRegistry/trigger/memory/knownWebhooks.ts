import type { IDataObject } from 'n8n-workflow';

import { findLine } from './findLine';

/** A webhook at the service whose id and secret this trigger holds. Both exist or neither does. */
export interface KnownWebhook {
	/** Random query parameter of its destination, by which a delivery finds it. */
	reference: string;
	company: string;
	id: string;
	secret: string;
	/**
	 * `watched`: active and wanted. `paused`: kept to be resumed.
	 * `unpaused`: no longer wanted, but the service has not confirmed the pause yet.
	 */
	status: 'watched' | 'paused' | 'unpaused';
}

/** What one trigger node remembers between life-cycle runs, in the workflow's static data. */
export interface TriggerState {
	/** True from a successful publish until the next unpublish. */
	published: boolean;
	/** n8n's URL of this trigger, without a reference, as last sent to the service. */
	url: string;
	/** The account that `webhooks` belong to, as {@link Registry.account} names it. */
	account: string;
	events: string[];
	/** Events once subscribed to and no longer wanted: a late delivery of one starts nothing. */
	formerEvents: string[];
	/** Names the life-cycle run that wrote this. */
	run: string;
	webhooks: KnownWebhook[];
	/** Webhooks of accounts that the node used before, by account: ids and secrets are never thrown away. */
	otherAccounts: Record<string, KnownWebhook[]>;
}

/** Production and test destinations of one node are kept apart. */
export type DestinationKind = 'production' | 'test';

/**
 * The stored form. n8n parses, wraps and copies static data for every delivery and every execution,
 * and charges for objects far more than for text: hence one line of text per webhook, in one of 64
 * buckets by the first character of its reference, so that a delivery reads one short text, and sorted,
 * so that it reads little of that.
 */
interface StoredState {
	version: 1;
	workflow: string;
	published: boolean;
	url: string;
	account: string;
	events: string;
	formerEvents: string;
	run: string;
	accounts: Record<string, Record<string, string>>;
}

const KEY = 'companyRegistryTrigger';
/** Characters. What is as long as a reference and begins a line is that line's reference. */
const REFERENCE_LENGTH = 22;
const MARKS = { watched: '+', paused: '-', unpaused: '!' } as const;
const STATUSES: Record<string, KnownWebhook['status']> = {
	'+': 'watched',
	'-': 'paused',
	'!': 'unpaused',
};

/** Which node in which workflow: the node's id survives a rename, the workflow's tells copies apart. */
export interface TriggerIdentity {
	workflow: string;
	node: string;
	kind: DestinationKind;
}

/** The state of one trigger, or undefined when it has none. Only reads. */
export function readState(
	staticData: IDataObject,
	identity: TriggerIdentity,
): TriggerState | undefined {
	const stored = readStored(staticData, identity);
	if (!stored) return undefined;
	const { [stored.account]: current = {}, ...others } = stored.accounts;
	return {
		published: stored.published,
		url: stored.url,
		account: stored.account,
		events: words(stored.events),
		formerEvents: words(stored.formerEvents),
		run: stored.run,
		webhooks: parseBuckets(current),
		otherAccounts: Object.fromEntries(
			Object.entries(others).map(([account, buckets]) => [account, parseBuckets(buckets)]),
		),
	};
}

/** Replaces the state of one trigger. Assigned as a whole: n8n notices only assignments at the top. */
export function writeState(
	staticData: IDataObject,
	identity: TriggerIdentity,
	state: TriggerState,
): void {
	const stored: StoredState = {
		version: 1,
		workflow: identity.workflow,
		published: state.published,
		url: state.url,
		account: state.account,
		events: state.events.join(' '),
		formerEvents: state.formerEvents.join(' '),
		run: state.run,
		accounts: Object.fromEntries(
			[...Object.entries(state.otherAccounts), [state.account, state.webhooks] as const]
				.filter(([, webhooks]) => webhooks.length > 0)
				.map(([account, webhooks]) => [account, toBuckets(webhooks)]),
		),
	};
	staticData[KEY] = {
		...(staticData[KEY] as IDataObject | undefined),
		[stateKey(identity)]: stored,
	};
}

/** What the stored state says of the webhook that a delivery names. */
export interface StoredRecipient {
	webhook: KnownWebhook;
	/** Of an account that the node no longer uses: known, but not watched. */
	isFormer: boolean;
	published: boolean;
	/** As in {@link TriggerState}, read when asked for: a forged delivery needs neither. */
	events: () => string[];
	formerEvents: () => string[];
}

/** Found without reading the other webhooks. Only reads. */
export function findByReference(
	staticData: IDataObject,
	identity: TriggerIdentity,
	reference: string,
): StoredRecipient | undefined {
	const stored = readStored(staticData, identity);
	if (!stored || reference.length !== REFERENCE_LENGTH) return undefined;
	const { account, accounts } = stored;
	const current = findInBuckets(accounts[account], reference);
	const webhook = current ?? findInOthers(accounts, reference);
	if (webhook === undefined) return undefined;
	return {
		webhook,
		isFormer: current === undefined,
		published: stored.published,
		events: () => words(stored.events),
		formerEvents: () => words(stored.formerEvents),
	};
}

function stateKey({ node, kind }: TriggerIdentity): string {
	return kind === 'test' ? `${node}/test` : node;
}

function readStored(staticData: IDataObject, identity: TriggerIdentity): StoredState | undefined {
	const all = staticData[KEY] as Record<string, StoredState> | undefined;
	const stored = all?.[stateKey(identity)];
	// A copied workflow carries the original's state; its webhooks deliver to the original.
	return stored?.version === 1 && stored.workflow === identity.workflow ? stored : undefined;
}

function toBuckets(webhooks: KnownWebhook[]): Record<string, string> {
	const buckets: Record<string, string> = {};
	const sorted = [...webhooks].sort((one, other) => (one.reference < other.reference ? -1 : 1));
	for (const { reference, status, company, id, secret } of sorted) {
		const line = `${reference} ${MARKS[status]}${company} ${escape(id)} ${escape(secret)}`;
		const bucket = reference[0];
		buckets[bucket] = Object.hasOwn(buckets, bucket) ? `${buckets[bucket]}\n${line}` : line;
	}
	return buckets;
}

function parseBuckets(buckets: Record<string, string>): KnownWebhook[] {
	return Object.values(buckets).flatMap((bucket) => bucket.split('\n').map(parseLine));
}

function findInOthers(
	accounts: StoredState['accounts'],
	reference: string,
): KnownWebhook | undefined {
	for (const buckets of Object.values(accounts)) {
		const webhook = findInBuckets(buckets, reference);
		if (webhook !== undefined) return webhook;
	}
	return undefined;
}

/** Reads one bucket and parses one line of it. */
function findInBuckets(
	buckets: Record<string, string> | undefined,
	reference: string,
): KnownWebhook | undefined {
	const lines = buckets?.[reference[0]] ?? '';
	const start = findLine(lines, reference);
	if (start === -1) return undefined;
	const end = lines.indexOf('\n', start);
	return parseLine(lines.slice(start, end === -1 ? undefined : end));
}

/** Every delivery comes through here: hence without `split` and its array. */
function parseLine(line: string): KnownWebhook {
	const afterCompany = line.indexOf(' ', REFERENCE_LENGTH + 1);
	const afterId = line.indexOf(' ', afterCompany + 1);
	return {
		reference: line.slice(0, REFERENCE_LENGTH),
		status: STATUSES[line[REFERENCE_LENGTH + 1]],
		company: line.slice(REFERENCE_LENGTH + 2, afterCompany),
		id: unescape(line.slice(afterCompany + 1, afterId)),
		secret: unescape(line.slice(afterId + 1)),
	};
}

/** Keeps the line's separators out of values whose form the service does not promise. */
function escape(value: string): string {
	return value.replace(/[%\s]/g, encodeURIComponent);
}

/** Most values hold nothing escaped, and looking costs less than decoding. */
function unescape(value: string): string {
	return value.includes('%') ? decodeURIComponent(value) : value;
}

function words(text: string): string[] {
	return text === '' ? [] : text.split(' ');
}
