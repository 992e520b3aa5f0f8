import type { INodeType } from 'n8n-workflow';

import * as pace from '../../nodes/CompanyRegistry/registry/pace';
import * as registry from '../../nodes/CompanyRegistry/registry/registry';
import * as trigger from '../../nodes/CompanyRegistry/trigger/memory/trigger';
import * as ownAddress from '../../nodes/CompanyRegistry/trigger/identity/ownAddress';
import * as waits from '../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import type { TestWorkflow } from './contexts';

/** What one loaded copy of the trigger's code remembers and waits for. */
interface LoadedTrigger {
	trigger: typeof trigger;
	waits: typeof waits;
	ownAddress: typeof ownAddress;
	registry: typeof registry;
	pace: typeof pace;
}

const afterRestarts = new WeakMap<INodeType, LoadedTrigger>();

/** Tests wait for as long as a busy machine takes between an unpublish and the publish that follows. */
const SHORT: Partial<typeof waits.WAITS> = {
	beforePausing: 250,
	retry: 50,
	patience: 600,
	saved: 400,
	askSaved: 20,
	takeOver: 500,
};
/** Longer than any answer for which a test wants the trigger to wait. */
const LIMIT: Partial<typeof registry.REQUEST_LIMIT> = {
	silence: 2500,
	inAll: 4000,
	patience: 3000,
	patienceOfTrigger: 3000,
	beforeRetry: 100,
};

shorten({ waits, ownAddress, registry, pace });

function shorten(code: Omit<LoadedTrigger, 'trigger'>): void {
	Object.assign(code.waits.WAITS, SHORT);
	// No n8n that happens to run on this machine gets a message.
	code.ownAddress.OWN_ADDRESS.local = 'http://127.0.0.1:9';
	Object.assign(code.registry.REQUEST_LIMIT, LIMIT);
	code.pace.PACE.first = 100;
}

/** Makes the copy of the code that a node was loaded from after a restart known here. */
export function noteLoaded(nodeType: INodeType, loaded: LoadedTrigger): void {
	shorten(loaded);
	afterRestarts.set(nodeType, loaded);
}

/** Waits until nothing is done any more in the background for this trigger. */
export async function settled({ workflow, node, nodeType }: TestWorkflow): Promise<void> {
	const { findMemory } = (afterRestarts.get(nodeType) ?? { trigger }).trigger;
	for (const kind of ['production', 'test'] as const) {
		const memory = findMemory({ workflow: workflow.id, node: node.id, kind });
		while (memory?.run) await memory.run.done.catch(() => undefined);
	}
}
