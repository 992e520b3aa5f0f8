import type { IHookFunctions } from 'n8n-workflow';

import type { Registry } from '../../registry/registry';
import type { Group, TriggerMemory } from '../memory/trigger';
import type { Subscription } from '../memory/subscription';
import type { TriggerOptions } from '../parameters/options';
import { findUnconfirmed, type Wanted } from './plan';
import { Refusals } from './refusals';
import type { Storing } from './storing';

/** Subscriptions of one account that could not be paused, and why. */
export interface Left {
	group: Group;
	subscriptions: Subscription[];
	why: string;
}

/** One publish, as far as the service is concerned: what it is to bring about, and how far it has come. */
export class Publication {
	readonly refusals = new Refusals();
	/** Rows of the user's list that hold no company number, and are left out. */
	unreadable: string[] = [];
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

	constructor(
		readonly context: IHookFunctions,
		readonly memory: TriggerMemory,
		readonly registry: Registry,
		readonly wanted: Wanted,
		readonly options: TriggerOptions,
		/** None for a test, of which n8n stores nothing. */
		readonly storing: Storing | undefined,
	) {}

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
