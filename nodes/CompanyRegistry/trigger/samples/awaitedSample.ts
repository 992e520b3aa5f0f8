import { dropOldest } from '../../shared/dropOldest';
import type { TriggerIdentity } from '../memory/state';

/** A webhook made up for a test run. The service knows nothing of it. */
export interface Sample {
	readonly reference: string;
	readonly company: string;
	readonly id: 'sample';
	readonly secret: string;
	/** Those that the node asks for: one for each part of the delivery, whose body names none. */
	readonly events: string[];
	/** Whether a delivery of it has come to this process, which shows that its address leads here. */
	hasArrived: boolean;
}

/** Far more than people click at once. */
const MAXIMUM_SAMPLES = 1000;

/**
 * By trigger: what is clicked last counts. n8n tells of a test's end when another may have begun, so that
 * nothing ends with it: n8n itself passes nothing on any more.
 */
const awaited = new Map<string, Sample>();

/** From now on the trigger takes deliveries of this sample, and of none before it. */
export function awaitSample(trigger: TriggerIdentity, sample: Sample): void {
	awaited.set(nameOf(trigger), sample);
	dropOldest(awaited, MAXIMUM_SAMPLES);
}

/** The sample that the trigger awaits, if its deliveries have this reference. Constant work. */
export function findSample(trigger: TriggerIdentity, reference: string): Sample | undefined {
	const sample = awaited.get(nameOf(trigger));
	return sample?.reference === reference ? sample : undefined;
}

function nameOf({ workflow, node }: TriggerIdentity): string {
	return `${workflow}/${node}`;
}
