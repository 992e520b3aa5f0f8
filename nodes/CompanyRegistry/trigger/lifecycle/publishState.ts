import { omit } from 'lodash';

import type { Facts } from '../records/facts';
import type { Configuration } from './configuration';
import type { TriggerMemory } from './memory';

/** A publish, as n8n asks for it. */
export interface Publish {
	configuration: Configuration;
	/** Digest of the node's parameters. */
	parameters: string;
}

/** A publish begins: from now on this is desired. */
export function beginPublish(memory: TriggerMemory, { configuration, parameters }: Publish): void {
	const { takenDownAt, reportedAt } = memory.facts;
	if (takenDownAt !== undefined) memory.recordAbsence('unpublished', takenDownAt);
	memory.desire(configuration);

	// Other active webhooks are named again after a publish.
	memory.updateFacts({ status: 'published', reportedAt: reportedAt && omit(reportedAt, 'others') });
	const { desired, reading } = configuration;
	if (reading.problem) return;

	memory.updateFacts({ accepted: parameters });
	// The question about another address is asked again, so the next answer is a new one.
	const { addressChanged } = desired.options;
	if (addressChanged === 'stop') memory.updateFacts({ addressAnswer: addressChanged });
}

/** The publish succeeds: its pass has ended, or goes on behind the answer. */
export function acceptPublish(memory: TriggerMemory, { desired, reading }: Configuration): void {
	memory.updateFacts({ takenDownAt: undefined });
	// Options that could not be read are not an answer.
	const { addressChanged } = desired.options;
	if (!reading.problem) memory.updateFacts({ addressAnswer: addressChanged });
}

/** The publish fails, so n8n takes the trigger down. @param before the facts before it began */
export function undoPublish(memory: TriggerMemory, { status, list, unreported }: Facts): void {
	const undone = status === 'new' ? 'new' : 'unpublished';
	memory.updateFacts({ status: undone, list, unreported });
	memory.configuration = undefined;
}
