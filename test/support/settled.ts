import type { INodeType } from 'n8n-workflow';

import * as pace from '../../nodes/CompanyRegistry/registry/pace';
import * as registry from '../../nodes/CompanyRegistry/registry/registry';
import * as trigger from '../../nodes/CompanyRegistry/trigger/memory/trigger';
import * as ownAddress from '../../nodes/CompanyRegistry/trigger/identity/destination';
import * as waits from '../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import type { TestWorkflow } from './contexts';
import { loadTrigger, type LoadedTrigger } from './loadTrigger';

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
/** An answer is waited for as in use: a busy machine takes its time. */
const LIMIT: Partial<typeof registry.REQUEST_LIMIT> = {
	patience: 3000,
	patienceOfTrigger: 3000,
	beforeRetry: 100,
};

shorten({ waits, ownAddress, registry, pace });

function shorten(code: Omit<LoadedTrigger, 'nodeType' | 'trigger' | 'phase'>): void {
	Object.assign(code.waits.WAITS, SHORT);
	// No n8n that happens to run on this machine gets a message.
	code.ownAddress.OWN_ADDRESS.local = 'http://127.0.0.1:9';
	Object.assign(code.registry.REQUEST_LIMIT, LIMIT);
	code.pace.PACE.first = 100;
}

/** The trigger as a newly started n8n loads it: nothing that it kept in the process's memory is left. */
export async function afterRestart(): Promise<INodeType> {
	const loaded = await loadTrigger();
	shorten(loaded);
	afterRestarts.set(loaded.nodeType, loaded);
	return loaded.nodeType;
}

/** Waits until nothing is done any more in the background for this trigger. */
export async function settled({ workflow, node, nodeType }: TestWorkflow): Promise<void> {
	const { findMemory } = (afterRestarts.get(nodeType) ?? { trigger }).trigger;
	for (const kind of ['production', 'test'] as const) {
		const memory = findMemory({ workflow: workflow.id, node: node.id, kind });
		while (memory?.run) await memory.run.done.catch(() => undefined);
	}
}
