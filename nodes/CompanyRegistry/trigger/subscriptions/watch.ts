import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import { identify } from '../identity/identity';
import { keeperOf } from './keeper';
import { clockOf } from './schedule';

/**
 * From now on n8n lets the trigger act by itself: go on behind the answer to a publish and after a start, check, store
 * and tell. n8n may call this again without having closed it, and may go on to wake what a failed publish has left.
 */
export async function watch(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const identity = identify(context, 'production');
	context.helpers.registerCron({ expression: clockOf(identity.node) }, (at) =>
		keeperOf(identity).tick(at.getTime()),
	);
	keeperOf(identity).takeHands(context);
	return { closeFunction: async () => await keeperOf(identity).dropHands(context) };
}
