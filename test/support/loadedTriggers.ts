import * as n8nWorkflow from 'n8n-workflow';
import type { INodeType } from 'n8n-workflow';

import type { SIGN_OF_LIFE } from '../../nodes/CompanyRegistry/trigger/memory/phase';

/** How long the trigger waits, in milliseconds. */
export interface Waits {
	/** n8n is answered by then, if anything is watched. */
	answer: number;
	/** Work goes on for so long after the service has let something through. */
	patience: number;
	/** The longest between two stores. */
	store: number;
	/** Until an unpublished trigger's webhooks are paused. */
	beforePausing: number;
	/** Between two tries while the service cannot be used. */
	retry: number;
	/** For what is under way before n8n is answered. */
	takeOver: number;
	longestRetry: number;
	/** Between two questions whether n8n has saved, and in all. */
	askSaved: number;
	saved: number;
}

/** Far less than users wait, and long enough for a busy machine. */
const SHORT: Waits = {
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

interface LoadedTrigger {
	nodeType: INodeType;
	waits: object;
	limits: { patienceOfTrigger: number };
	life: typeof SIGN_OF_LIFE;
}

/** Copies of the trigger's code. To load one takes long, so the tests of a file share them. */
const loaded = new Map<number, LoadedTrigger>();
let current = SHORT;

/** From now on every copy of the trigger waits so long, and otherwise as short as tests want it. */
export function shortenWaits(waits: Partial<Waits> = {}): void {
	current = { ...SHORT, ...waits };
	for (const one of loaded.values()) shorten(one);
}

function shorten({ waits, limits, life }: LoadedTrigger): void {
	Object.assign(waits, current);
	limits.patienceOfTrigger = current.patience;
	life.every = current.store;
}

/** As n8n's own. What a killed process still waits for does not keep the tests running. */
async function sleep(ms: number): Promise<void> {
	await new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
}

/**
 * The trigger as the nth process of an n8n loads it: what it keeps in memory is its own. n8n's own library
 * is the one that is loaded already.
 */
export async function triggerOf(process: number): Promise<INodeType> {
	const known = loaded.get(process) ?? (await load());
	loaded.set(process, known);
	return known.nodeType;
}

async function load(): Promise<LoadedTrigger> {
	let made: LoadedTrigger | undefined;
	await jest.isolateModulesAsync(async () => {
		jest.doMock('n8n-workflow', () => ({ ...n8nWorkflow, sleep }));
		const { CompanyRegistryTrigger } = await import(
			'../../nodes/CompanyRegistry/CompanyRegistryTrigger.node'
		);
		const { WAITS } = await import('../../nodes/CompanyRegistry/trigger/subscriptions/waits');
		const { REQUEST_LIMIT } = await import('../../nodes/CompanyRegistry/registry/registry');
		const { SIGN_OF_LIFE: life } = await import('../../nodes/CompanyRegistry/trigger/memory/phase');
		made = { nodeType: new CompanyRegistryTrigger(), waits: WAITS, limits: REQUEST_LIMIT, life };
		shorten(made);
	});
	if (made === undefined) throw new Error('The trigger could not be loaded');
	return made;
}
