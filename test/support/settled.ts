import type { INodeType } from 'n8n-workflow';

import * as backOff from '../../nodes/CompanyRegistry/registry/backOff';
import * as registry from '../../nodes/CompanyRegistry/registry/registry';
import * as trigger from '../../nodes/CompanyRegistry/trigger/memory/trigger';
import * as waits from '../../nodes/CompanyRegistry/trigger/subscriptions/waits';
import type { TestWorkflow } from './contexts';

/** What one loaded copy of the trigger's code remembers and waits for. */
interface LoadedTrigger {
	trigger: typeof trigger;
	waits: typeof waits;
	registry: typeof registry;
	backOff: typeof backOff;
}

const afterRestarts = new WeakMap<INodeType, LoadedTrigger>();

/**
 * Tests wait for as long as a busy machine takes between an unpublish and the publish that follows. The
 * two differ, so that a test notices when one is taken for the other.
 */
const SHORT: Partial<typeof waits.WAITS> = { beforePausing: 250, afterTimeOut: 600 };
const SOON: Partial<typeof backOff.BACK_OFF> = { inAll: 3000, first: 100 };
/** Longer than any answer for which a test wants the trigger to wait. */
const LIMIT: Partial<typeof registry.REQUEST_LIMIT> = {
	silence: 2500,
	inAll: 4000,
};

shorten({ waits, registry, backOff });

function shorten(code: Omit<LoadedTrigger, 'trigger'>): void {
	Object.assign(code.waits.WAITS, SHORT);
	Object.assign(code.registry.REQUEST_LIMIT, LIMIT);
	Object.assign(code.backOff.BACK_OFF, SOON);
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
