import { messageOf } from '../../registry/failure';
import type { Registry } from '../../registry/registry';
import { waitUnlessAborted } from '../../shared/async';
import type { DesiredState } from '../records/desired';
import { isRefusal, isTemporary } from '../records/failures';
import type { TriggerMemory } from './memory';
import { reconcile } from './reconcile';
import { TIMES } from './schedule';

/**
 * Pauses what an unpublished trigger has, with a few attempts.
 * @param opened the account, or why it cannot be used
 * @returns why webhooks may stay active; empty if none does, or a publish begins
 */
export async function pauseAll(
	memory: TriggerMemory,
	desired: DesiredState,
	opened: Registry | Error,
	signal: AbortSignal,
): Promise<string> {
	let failure: unknown;
	for (const wait of [TIMES.beforePausing, ...TIMES.pauseAgain]) {
		await waitUnlessAborted(wait, signal);
		if (signal.aborted) return '';
		if (opened instanceof Error) return messageOf(opened);

		const pass = { memory, desired, registry: opened, signal, mayPause: true };
		({ failure } = await reconcile({ ...pass, kind: 'unpublish' }));
		if (!isTemporary(failure) && !isRefusal(failure)) break;
	}
	return failure === undefined ? '' : messageOf(failure);
}
