import { phaseNow, type Phase } from '../memory/phase';
import { findStored, isWatched, readState } from '../memory/state';
import type { Subscription } from '../memory/subscription';
import { findMemory } from '../memory/trigger';
import { findSample, type Sample } from '../samples/startSample';
import type { Incoming } from './incoming';

/** While a trigger is in one of these, a webhook may exist whose secret is not known here yet. */
const UNDER_WAY: Array<Phase['name']> = ['publishing', 'settingUpRest', 'pausing'];

/** Whom a delivery is for: a webhook of this trigger. */
export interface Recipient {
	webhook: Pick<Subscription, 'reference' | 'company' | 'id' | 'secret'>;
	/** By what is kept of it. The node's parameters may choose its company all the same. */
	isWatched: boolean;
	/** So many webhooks were not as wanted when the latest publish was interrupted. */
	interruptedWith?: number;
	/** Set if it is that of a test run, made up by this process. */
	sample?: Sample;
}

/** No webhook is known for the reference, or not yet. */
export interface UnknownRecipient {
	webhook?: undefined;
	sample?: undefined;
	/** The service has been asked to create the reference's webhook and has not answered yet. */
	isBeingCreated: boolean;
	/** A publish is under way, after which the secret may be known. */
	isPublishing: boolean;
}

/**
 * The webhook that the delivery's reference names, or why there may be none. This process's memory comes first,
 * because it knows of a publish that has not ended, unless another process has stored something later.
 */
export function findRecipient({
	reference,
	production,
	test,
	isTest,
	staticData,
}: Incoming): Recipient | UnknownRecipient {
	// One that comes again later, to the published trigger, is none of its deliveries.
	const sample = isTest ? findSample(production, reference) : undefined;
	if (sample) return { webhook: sample, isWatched: true, sample };
	const kept = [production, test].map((identity) => {
		const memory = findMemory(identity);
		const state = readState(staticData, identity);
		return { identity, memory: memory?.overrules(state) ? memory : undefined, state };
	});
	for (const { memory, state } of kept) {
		const known = memory?.find(reference);
		if (memory && known) {
			const isChosen = memory.companies.has(known.company);
			const phase = memory.run ? memory.phase : phaseNow(memory);
			return { webhook: known, isWatched: isChosen, interruptedWith: leftIn(phase) };
		}
		const stored = state && findStored(state, reference);
		if (stored) {
			const interruptedWith = leftIn(phaseNow(state));
			return { webhook: stored, isWatched: isWatched(stored), interruptedWith };
		}
	}
	const [{ memory, state }] = kept;
	return {
		isBeingCreated: kept.some(({ identity }) => findMemory(identity)?.creating.has(reference)),
		isPublishing:
			memory?.run?.kind === 'publish' ||
			(state !== undefined && UNDER_WAY.includes(phaseNow(state).name)),
	};
}

function leftIn(phase: Phase): number | undefined {
	return phase.name === 'interrupted' ? phase.left : undefined;
}
