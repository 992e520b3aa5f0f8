import type { INodeType } from 'n8n-workflow';

import * as registryApi from '../../nodes/CompanyRegistry/registry/registry';
import * as triggers from '../../nodes/CompanyRegistry/trigger/memory/triggers';
import * as reconciler from '../../nodes/CompanyRegistry/trigger/subscriptions/reconciler';
import type { TestWorkflow } from './contexts';

/** What one loaded copy of the trigger's code remembers and waits for. */
interface LoadedTrigger {
	triggers: typeof triggers;
	reconciler: typeof reconciler;
	registryApi: typeof registryApi;
}

const afterRestarts = new WeakMap<INodeType, LoadedTrigger>();

/**
 * Tests wait for as long as a busy machine takes between an unpublish and the publish that follows. The
 * three differ, so that a test notices when one is taken for another.
 */
const SHORT: typeof reconciler.WAIT = { forChange: 250, forNextAttempt: 500, afterTimeOut: 800 };
/** Longer than any answer for which a test wants the trigger to wait. */
const LIMIT: typeof registryApi.REQUEST_LIMIT = {
	silence: 2500,
	silenceForItem: 2500,
	inAll: 4000,
};

shorten({ reconciler, registryApi });

function shorten(code: Pick<LoadedTrigger, 'reconciler' | 'registryApi'>): void {
	Object.assign(code.reconciler.WAIT, SHORT);
	Object.assign(code.registryApi.REQUEST_LIMIT, LIMIT);
}

/** Makes the copy of the code that a node was loaded from after a restart known here. */
export function noteLoaded(nodeType: INodeType, loaded: LoadedTrigger): void {
	shorten(loaded);
	afterRestarts.set(nodeType, loaded);
}

/** Waits until nothing is done any more in the background for this trigger. */
export async function settled({ workflow, node, nodeType }: TestWorkflow): Promise<void> {
	const { findMemory } = (afterRestarts.get(nodeType) ?? { triggers }).triggers;
	for (const kind of ['production', 'test'] as const) {
		const memory = findMemory({ workflow: workflow.id, node: node.id, kind });
		while (memory?.runner) await memory.runner;
	}
}
