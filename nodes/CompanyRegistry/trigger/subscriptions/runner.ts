import { uniqBy } from 'lodash';

import type { Registry } from '../../registry/registry';
import type { Run, TriggerMemory } from '../memory/trigger';

/**
 * From now on this is wanted of the trigger. In each process a trigger has one run at a time: what runs is
 * told to stop, and once it has, this begins, with all that was done until then. Two runs side by side
 * would create every webhook twice.
 *
 * @param registries the service as the node's credential shows it; none if that cannot be used
 */
export function want(
	memory: TriggerMemory,
	kind: Run['kind'],
	registries: Registry[],
	work: (run: Run) => Promise<void>,
): Run {
	const before = memory.run;
	before?.abort();
	const controller = new AbortController();
	const run: Run = {
		kind,
		signal: controller.signal,
		registries: uniqBy([...registries, ...(before?.registries ?? [])], 'account'),
		abort: () => controller.abort(),
		done: (before?.done ?? Promise.resolve())
			.catch(() => undefined)
			.then(async () => {
				try {
					if (!controller.signal.aborted) await work(run);
				} finally {
					// In the same step as the end of the work: nothing that is wanted later goes unseen.
					if (memory.run === run) memory.run = undefined;
				}
			}),
	};
	// Whoever wants to know how it ends listens by itself.
	run.done.catch(() => undefined);
	memory.run = run;
	return run;
}

/**
 * How a publish ends, as n8n is to see it. One that another publish has superseded ends as that does, and
 * quietly when the trigger is unpublished: n8n answers a failure by undoing what the later run has done.
 */
export async function outcomeOf(memory: TriggerMemory, run: Run): Promise<void> {
	await run.done.catch((reason: unknown) => {
		if (!run.signal.aborted) throw reason;
	});
	if (run.signal.aborted && memory.run?.kind === 'publish') await outcomeOf(memory, memory.run);
}
