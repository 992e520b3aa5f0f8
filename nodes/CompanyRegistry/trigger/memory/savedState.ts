import type { IDataObject } from 'n8n-workflow';

import type { AddressChanged } from '../parameters/publishOptions';
import type { TriggerIdentity } from './identity';
import {
	findInLines,
	readLines,
	writeLines,
	type KnownWebhook,
	type WebhookLines,
} from './webhookLines';

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
	runId: string;
	/** Companies that the service refused and that were left out, as the user wants it. */
	leftOut: string[];
	/** The value of 'Address Changed' that has been carried out already, for as long as it stays set. */
	addressAnswer?: AddressChanged;
	/** When a life-cycle run of this trigger wrote it, in milliseconds since the epoch. */
	writtenAt?: number;
	webhooks: KnownWebhook[];
	/**
	 * Webhooks that the trigger does not use now but may need again: of another account, or of the n8n
	 * that this one is a copy of. By account, for a copy followed by a space and that n8n's address.
	 */
	setAside: Record<string, KnownWebhook[]>;
}

/**
 * The stored form. n8n parses and wraps static data for every delivery, and objects cost far more than
 * text. So each webhook is one line of text. The lines are in 64 buckets by the first character of the
 * reference, and sorted, so that a delivery reads only a part of one short text.
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
	/** Missing where no company is left out. */
	leftOut?: string;
	addressAnswer?: AddressChanged;
	writtenAt?: number;
	accounts: Record<string, WebhookLines>;
}

const KEY = 'companyRegistryTrigger';
const TEST_SUFFIX = '/test';

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
		runId: stored.run,
		leftOut: words(stored.leftOut ?? ''),
		...(stored.addressAnswer ? { addressAnswer: stored.addressAnswer } : {}),
		writtenAt: stored.writtenAt,
		webhooks: readLines(current),
		setAside: Object.fromEntries(
			Object.entries(others).map(([account, lines]) => [account, readLines(lines)]),
		),
	};
}

/**
 * Replaces one trigger's state, as a whole: n8n notices only changes at the top level. It is written
 * now unless it says otherwise.
 */
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
		run: state.runId,
		...(state.leftOut.length > 0 ? { leftOut: state.leftOut.join(' ') } : {}),
		...(state.addressAnswer ? { addressAnswer: state.addressAnswer } : {}),
		writtenAt: state.writtenAt ?? Date.now(),
		accounts: Object.fromEntries(
			[...Object.entries(state.setAside), [state.account, state.webhooks] as const]
				.filter(([, webhooks]) => webhooks.length > 0)
				.map(([account, webhooks]) => [account, writeLines(webhooks)]),
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
	/** Set aside: known, but not watched. */
	isSetAside: boolean;
	/** As in {@link TriggerState}, for all webhooks of the trigger. */
	published: boolean;
	runId: string;
	/** As in {@link TriggerState}. Read only when called, because a forged delivery needs neither. */
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
	if (!stored) return undefined;
	const { account, accounts } = stored;
	const current = findInLines(accounts[account], reference);
	const webhook = current ?? findInAny(Object.values(accounts), reference);
	if (webhook === undefined) return undefined;
	return {
		webhook,
		isSetAside: current === undefined,
		published: stored.published,
		runId: stored.run,
		events: () => words(stored.events),
		formerEvents: () => words(stored.formerEvents),
	};
}

/** The life-cycle run that wrote the stored state, or undefined when there is none. Only reads. */
export function findLatestRun(
	staticData: IDataObject,
	identity: TriggerIdentity,
): Pick<TriggerState, 'runId' | 'published'> | undefined {
	const stored = readStored(staticData, identity);
	return stored && { runId: stored.run, published: stored.published };
}

/** The triggers of which something is stored here, as far as this version can read it. */
export function storedTriggers(staticData: IDataObject): TriggerIdentity[] {
	return Object.entries(storedStates(staticData))
		.filter(([, { version }]) => version === 1)
		.map(([key, { workflow }]) => ({
			workflow,
			node: key.replace(TEST_SUFFIX, ''),
			kind: key.endsWith(TEST_SUFFIX) ? 'test' : 'production',
		}));
}

/** Forgets one trigger's state. */
export function removeState(staticData: IDataObject, identity: TriggerIdentity): void {
	const key = stateKey(identity);
	const others = Object.entries(storedStates(staticData)).filter(([other]) => other !== key);
	staticData[KEY] = Object.fromEntries(others) as unknown as IDataObject;
}

function stateKey({ node, kind }: TriggerIdentity): string {
	return kind === 'test' ? node + TEST_SUFFIX : node;
}

function storedStates(staticData: IDataObject): Record<string, StoredState> {
	return (staticData[KEY] ?? {}) as unknown as Record<string, StoredState>;
}

function readStored(staticData: IDataObject, identity: TriggerIdentity): StoredState | undefined {
	const stored = storedStates(staticData)[stateKey(identity)] as StoredState | undefined;
	// A copied workflow carries the original's state; its webhooks deliver to the original.
	return stored?.version === 1 && stored.workflow === identity.workflow ? stored : undefined;
}

function findInAny(accounts: WebhookLines[], reference: string): KnownWebhook | undefined {
	for (const lines of accounts) {
		const webhook = findInLines(lines, reference);
		if (webhook !== undefined) return webhook;
	}
	return undefined;
}

function words(text: string): string[] {
	return text === '' ? [] : text.split(' ');
}
