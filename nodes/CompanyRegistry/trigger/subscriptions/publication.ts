import type { IHookFunctions } from 'n8n-workflow';

import type { Registry } from '../../registry/registry';
import { readDestination } from '../identity/destination';
import { identifyActivated, type TriggerIdentity } from '../identity/identity';
import { readState } from '../memory/state';
import type { Subscription } from '../memory/subscription';
import { memoryOf, type Group, type TriggerMemory } from '../memory/trigger';
import { readOptions, type TriggerOptions } from '../parameters/options';
import { readWatchlist, type Watchlist } from '../parameters/watchlist';
import { findUnconfirmed, type Wanted } from './plan';
import { Refusals } from './refusals';
import type { Storing } from './storing';

/** What n8n asks for when it publishes a trigger, or why that cannot be said, and what is known of that trigger. */
export type Wish = ReturnType<typeof readWish>;

/** Reads all that a publish, and n8n's question before it, are about. */
export function readWish(context: IHookFunctions) {
	const options = readOptions(context);
	const identity = identifyActivated(context);
	const staticData = context.getWorkflowStaticData('global');
	/** n8n's URL of the trigger, which the service may not be able to use. */
	const url = context.getNodeWebhookUrl('default') ?? '';
	const stored = readState(staticData, identity);
	const memory = memoryOf(identity);
	// Something older may have been stored over what this process stored last: publishing stores it again.
	const isStored = stored !== undefined && memory.writtenAt <= stored.writtenAt;
	memory.load(stored);
	const known = { context, identity, staticData, memory, isStored, options, url };
	try {
		const wanted = { ...readWatchlist(context, options), url: readDestination(context) };
		return { ...known, wanted, problem: undefined };
	} catch (problem) {
		return { ...known, wanted: undefined, problem: problem as Error };
	}
}

/** Subscriptions of one account that could not be paused, and why. */
export interface Left {
	group: Group;
	subscriptions: Subscription[];
	why: string;
}

/** One publish, as far as the service is concerned: what it is to bring about, and how far it has come. */
export class Publication {
	readonly refusals = new Refusals();
	/** Companies that others watch already, and for which nothing is made. */
	doubled: string[] = [];
	/** What is not wanted any more and could not be paused. */
	left: Left[] = [];
	/** References of webhooks whose update has failed and may succeed later: the next try sends it last. */
	readonly postponed = new Set<string>();
	/** Why the latest try did not come to its end. */
	failure: unknown;
	/** When the service let something through last, in milliseconds since the epoch. */
	throughAt = 0;
	/** Takes back what *Address Changed* has led to. */
	undoAddress: (() => void) | undefined;
	/** Aborts where n8n's time is over and it could not be told of a success. */
	readonly stopped = new AbortController();
	/** Once aborted, nothing more is asked of the service. */
	readonly signal: AbortSignal;

	constructor(
		readonly context: IHookFunctions,
		readonly identity: TriggerIdentity,
		readonly memory: TriggerMemory,
		readonly registry: Registry,
		readonly wanted: Wanted & Watchlist,
		readonly options: TriggerOptions,
		/** None for a test, of which n8n stores nothing. */
		readonly storing: Storing | undefined,
		/** Aborted once something else is wanted of the trigger. */
		readonly superseded: AbortSignal,
	) {
		this.signal = AbortSignal.any([superseded, this.stopped.signal]);
	}

	/** Those of the wanted companies that are not as wanted. */
	get missing(): string[] {
		return findUnconfirmed(this.wanted, this.memory.known);
	}

	/** How many of them are. */
	get done(): number {
		return this.wanted.companies.length - this.missing.length;
	}

	/** How many of them deliver to this trigger, be it with the events or by the account of before. */
	get watched(): number {
		return this.memory.countWatched(this.wanted.companies, this.wanted.url);
	}

	/** The service has let something through. */
	noteThrough(): void {
		this.throughAt = Date.now();
		this.storing?.note();
	}
}
