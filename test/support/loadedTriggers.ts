import type { INodeType } from 'n8n-workflow';

import type { WAITS } from '../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import { loadTrigger, type LoadedTrigger } from './loadTrigger';

/** How long the trigger waits, in milliseconds; `store`: the longest between two stores. */
type Waits = typeof WAITS & { store: number };

/** Far less than users wait, and long enough for a busy machine. */
const SHORT: Omit<Waits, 'check'> = {
	answer: 15_000,
	patience: 2500,
	store: 400,
	beforePausing: 300,
	retry: 100,
	takeOver: 500,
	longestRetry: 500,
	askSaved: 30,
	saved: 3000,
};

/** Copies of the trigger's code. To load one takes long, so the tests of a file share them. */
const loaded = new Map<number, LoadedTrigger>();
let current = SHORT;

/** From now on every copy of the trigger waits so long, and otherwise as short as tests want it. */
export function shortenWaits(waits: Partial<Waits> = {}): void {
	current = { ...SHORT, ...waits };
	for (const one of loaded.values()) shorten(one);
}

function shorten({ waits, registry, phase }: LoadedTrigger): void {
	Object.assign(waits.WAITS, current);
	registry.REQUEST_LIMIT.patienceOfTrigger = current.patience;
	phase.SIGN_OF_LIFE.every = current.store;
}

/** As n8n's own. What a killed process still waits for does not keep the tests running. */
async function sleep(ms: number): Promise<void> {
	await new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
}

/** The trigger as the nth process of an n8n loads it: what it keeps in memory is its own. */
export async function triggerOf(process: number): Promise<INodeType> {
	const one = loaded.get(process) ?? (await loadTrigger(sleep));
	loaded.set(process, one);
	shorten(one);
	return one.nodeType;
}
