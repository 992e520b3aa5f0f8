import { omit } from 'lodash';

import type { Facts } from '../records/facts';
import type { Configuration } from './configuration';
import type { TriggerMemory } from './memory';
import { TIMES } from './schedule';

/** A publish, as n8n asks for it. */
export interface Publish {
	configuration: Configuration;
	/** Of the node's parameters. */
	parametersDigest: string;
}

/** A publish begins: from now on this is desired. */
export function beginPublish(
	memory: TriggerMemory,
	{ configuration, parametersDigest }: Publish,
): void {
	const { takenDownAt } = memory.facts;
	if (takenDownAt !== undefined) memory.recordAbsence('unpublished', takenDownAt);
	memory.desire(configuration);

	// A change takes the trigger down for a moment. After that, it is not known how long something has failed.
	const wasAway = Date.now() - (takenDownAt ?? 0) >= TIMES.beforePausing;
	memory.updateFacts({ phase: 'published', ...(wasAway && { failingSince: undefined }) });
	nameOthersAgain(memory);
	const { desired, reading } = configuration;
	if (reading.problem) return;

	memory.updateFacts({ parametersDigest });
	// The question about another address is asked again, so the next answer is a new one.
	const { addressChanged } = desired.options;
	if (addressChanged === 'stop') memory.updateFacts({ usedAddressAnswer: addressChanged });
}

/** The publish succeeds: its pass has ended, or goes on behind the answer. */
export function acceptPublish(memory: TriggerMemory, { desired, reading }: Configuration): void {
	memory.updateFacts({ takenDownAt: undefined });
	// Options that could not be read are not an answer.
	const { addressChanged } = desired.options;
	if (!reading.problem) memory.updateFacts({ usedAddressAnswer: addressChanged });
}

/** The publish fails, so n8n takes the trigger down. @param before the facts before it began */
export function undoPublish(memory: TriggerMemory, { phase, list, unreported }: Facts): void {
	const undone = phase === 'new' ? 'new' : 'unpublished';
	memory.updateFacts({ phase: undone, list, unreported });
	memory.configuration = undefined;
}

/** After a publish or a kill, other active webhooks are a new problem. */
export function nameOthersAgain(memory: TriggerMemory): void {
	const { reportedAt } = memory.facts;
	memory.updateFacts({ reportedAt: reportedAt && omit(reportedAt, 'others') });
}
