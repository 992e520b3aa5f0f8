import { compact, isEmpty, isEqual, isUndefined, map, omit, omitBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { DesiredState, Reading } from '../records/desired';
import type { Facts } from '../records/facts';
import { beginGap, endGap, type Cause } from '../records/gap';
import type { Subscription } from '../records/subscription';
import { isFailing, type Outcome } from '../records/outcome';
import type { Configuration } from './configuration';
import { keyOf, type TriggerIdentity } from './identity';
import { formatBlocks, parseBlocks, targetsOf } from './storedLines';
import { readState, writeState, type TriggerState } from './storedState';

/** The state that was last loaded or written. */
interface LastStored extends Pick<TriggerState, 'revision' | 'facts' | 'targets' | 'blocks'> {
	/** Whether the same was stored twice: something else may have saved an old copy over the first time. */
	isStoredTwice: boolean;
}

/** The state of one trigger in this process. It is ahead of the stored state, unless that has a higher revision. */
export class TriggerMemory {
	facts: Readonly<Facts> = { phase: 'new', account: '' };
	/** Undefined where this process has asked the service for a webhook, and no usable answer has come. */
	readonly byReference = new Map<string, Subscription | undefined>();
	/** As n8n last asked for it, with the list as last read; undefined before the first call in this process. */
	configuration: Configuration | undefined;
	stored: LastStored = {
		revision: 0,
		facts: this.facts,
		targets: [],
		blocks: [],
		isStoredTwice: true,
	};

	/** When the last genuine delivery came to this process, in milliseconds since the epoch. */
	lastEventAt: number | undefined;

	constructor(readonly identity: TriggerIdentity) {}

	get subscriptions(): Subscription[] {
		return compact([...this.byReference.values()]);
	}

	updateFacts(facts: Partial<Facts>): void {
		this.facts = omitBy({ ...this.facts, ...facts }, isUndefined) as unknown as Facts;
	}

	/** From now on this is desired. */
	desire(configuration: Configuration): void {
		this.configuration = configuration;
		this.recordUnlisted(configuration.desired);
	}

	/** Events of companies that are not desired start nothing, whatever becomes of their webhooks. */
	private recordUnlisted({ companies }: DesiredState): void {
		const isDesired = new Set(companies);
		for (const one of this.subscriptions) {
			if (!isDesired.has(one.company) && !one.gap) beginGap(one, 'unlisted', Date.now());
			// Of any other, only an answer of the service shows that it delivers.
			if (isDesired.has(one.company) && one.state === 'active') endGap(one, Date.now());
		}
	}

	/** The same, and its list is in force. */
	accept(accepted: Configuration): void {
		this.desire(accepted);
		const { list, reading } = accepted;
		if (list === undefined || list.digest === this.facts.list?.digest) return;
		const { unreported = {} } = this.facts;
		const changedNumbers = [...(unreported.changedNumbers ?? []), ...reading.changedNumbers];
		this.updateFacts({
			list,
			...(changedNumbers.length > 0 && { unreported: { ...unreported, changedNumbers } }),
		});
	}

	get desired(): DesiredState | undefined {
		return this.configuration?.desired;
	}

	get reading(): Reading | undefined {
		return this.configuration?.reading;
	}

	/** Since when passes fail, or when one last came to its end. @param at in milliseconds since the epoch */
	rememberResult(outcome: Outcome, at: number): void {
		const { isChecked, failure, reading } = outcome;
		const { check = at, list = at } = this.facts.failingSince ?? {};
		const since = {
			...(isFailing(outcome) && { check }),
			...(reading.problem && { list }),
		};
		this.updateFacts({ failingSince: isEmpty(since) ? undefined : since });

		if (isChecked && failure === undefined) this.updateFacts({ healthyAt: at });
	}

	/**
	 * Until now, n8n or the trigger was away. What the service may have paused waits for its answer.
	 * @param from in milliseconds since the epoch; undefined where it is not known
	 */
	recordAbsence(cause: Cause, from: number | undefined): void {
		for (const one of this.subscriptions) {
			// A company that no report has called watched misses nothing.
			if (one.isAnnounced || one.gap) beginGap(one, cause, from);
		}
	}

	get isUnsaved(): boolean {
		const { blocks, targets } = this.content;
		const { stored } = this;
		return (
			!isEqual(blocks, stored.blocks) ||
			!isEqual(lastingFacts(this.facts), lastingFacts(stored.facts)) ||
			!isEqual(targets, stored.targets)
		);
	}

	/** Takes over a stored state with a higher revision, and forgets no webhook. @returns whether it was higher */
	load(state: TriggerState | undefined): boolean {
		if (state === undefined || state.revision <= this.stored.revision) return false;
		const { revision, facts, targets, blocks } = state;
		this.stored = { revision, facts, targets, blocks, isStoredTwice: true };
		this.facts = facts;

		// Another process may have changed them since.
		for (const one of this.subscriptions) one.state = 'unsure';
		for (const one of parseBlocks(state)) this.byReference.set(one.reference, one);
		return true;
	}

	/** Writes a new revision into a copy of the static data of the workflow. */
	write(staticData: IDataObject): void {
		const { workflow, node } = this.identity;
		const { facts, stored } = this;
		const { targets, blocks } = this.content;
		// Later than ever before, because clocks may be set back.
		const revision = Math.max(Date.now(), stored.revision + 1);
		const state: TriggerState = { version: 1, workflow, revision, facts, targets, blocks };

		this.stored = { revision, facts, targets, blocks, isStoredTwice: !this.isUnsaved };
		writeState(staticData, node, state);
	}

	/** The webhooks as they are stored. */
	private get content(): Pick<TriggerState, 'targets' | 'blocks'> {
		const { subscriptions } = this;
		const targets = targetsOf(subscriptions);
		return { targets, blocks: formatBlocks(subscriptions, targets) };
	}
}

/** These times are stored with the next change or as n8n ends, because each store is an execution. */
function lastingFacts(facts: Facts): Partial<Facts> {
	if (facts.phase !== 'published') return facts;
	return omit(facts, 'takenDownAt', 'healthyAt', 'failingSince');
}

const memories = new Map<string, TriggerMemory>();

/** The memory of a trigger in this process, created if there is none. */
export function memoryOf(identity: TriggerIdentity): TriggerMemory {
	const memory = memories.get(keyOf(identity)) ?? new TriggerMemory(identity);
	memories.set(keyOf(identity), memory);
	return memory;
}

/** The other triggers of the workflow in this process. */
function beside({ identity }: TriggerMemory): TriggerMemory[] {
	return [...memories.values()].filter(({ identity: { workflow, node } }) => {
		return workflow === identity.workflow && node !== identity.node;
	});
}

/** Ids of the webhooks of the workflow's other triggers. */
export function idsBeside(memory: TriggerMemory): string[] {
	return beside(memory).flatMap(({ subscriptions }) => map(subscriptions, 'id'));
}

/**
 * Writes a trigger into a copy of the static data, and the other triggers of its workflow where the copy is older:
 * n8n saves a copy as a whole, and holds copies of different age.
 */
export function writeAll(staticData: IDataObject, memory: TriggerMemory): void {
	memory.write(staticData);
	for (const other of beside(memory)) {
		const { revision = 0 } = readState(staticData, other.identity) ?? {};
		const isAhead = other.stored.revision > 0 && revision <= other.stored.revision;
		// The pauses after an unpublish are stored with another trigger, or never.
		if (isAhead && (revision < other.stored.revision || other.isUnsaved)) other.write(staticData);
	}
}
