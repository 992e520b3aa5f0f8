import type { IHookFunctions } from 'n8n-workflow';

import { messageOf } from '../../registry/failure';
import { openRegistry } from '../../registry/registry';
import { listWebhooks } from '../../registry/webhooks';
import { warn } from '../../shared/words';
import { findUnconfirmed, makePlan } from './plan';
import { WAITS } from './waits';
import { readWish } from './publication';

/** Whether the account is already as the node wants it. Makes one request at most, and only if that may be. */
export async function checkPublished(context: IHookFunctions): Promise<boolean> {
	const { memory, wanted, isStored } = readWish(context);
	// While a run is at work, or about to begin, the account is still changing.
	const isPublished = isStored && memory.phase.name === 'published' && memory.run === undefined;
	if (!isPublished || wanted === undefined) return false;
	if (findUnconfirmed(wanted, memory.known).length > 0) return false;
	try {
		const registry = await openRegistry(context);
		if (registry.account !== memory.current?.account) return false;
		const { webhooks } = await listWebhooks(registry, AbortSignal.timeout(WAITS.check));
		const plan = makePlan(wanted, memory.known, webhooks);
		return plan.resume.length + plan.create.length + plan.pause.length === 0;
	} catch (reason) {
		// While the service cannot be asked, what is stored is trusted, so that deliveries keep flowing.
		warn(context, describeUnchecked(reason));
		return true;
	}
}

export function describeUnchecked(reason: unknown): string {
	return `could not check its webhooks and keeps using the stored ones: ${messageOf(reason)}`;
}
