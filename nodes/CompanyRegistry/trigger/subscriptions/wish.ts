import type { IHookFunctions } from 'n8n-workflow';

import { identifyActivated } from '../identity/identity';
import { readDestination } from '../identity/destination';
import { readState } from '../memory/state';
import { memoryOf } from '../memory/trigger';
import { readOptions } from '../parameters/options';
import { readWatchlist } from '../parameters/watchlist';
import type { Wanted } from './plan';

/** What n8n asks for when it publishes a trigger, and what is known of that trigger. */
export type Wish = ReturnType<typeof readWish>;

/** Reads all that a publish, and n8n's question before it, are about. */
export function readWish(context: IHookFunctions) {
	const options = readOptions(context);
	const wanted = readWanted(context, options);
	const identity = identifyActivated(context);
	const staticData = context.getWorkflowStaticData('global');
	const stored = readState(staticData, identity);
	const memory = memoryOf(identity);
	// Something older may have been stored over what this process stored last: publishing stores it again.
	const isStored = stored !== undefined && memory.writtenAt <= stored.writtenAt;
	memory.load(stored);
	return {
		context,
		identity,
		staticData,
		memory,
		isStored,
		options,
		/** n8n's URL of the trigger, which the service may not be able to use. */
		url: context.getNodeWebhookUrl('default') ?? '',
		...wanted,
	};
}

/** What the user wants watched, or why that cannot be said. */
function readWanted(
	context: IHookFunctions,
	options: ReturnType<typeof readOptions>,
):
	| { wanted: Wanted; unreadable: string[]; problem?: undefined }
	| { wanted?: undefined; problem: Error } {
	try {
		const { companies, events, unreadable } = readWatchlist(context, options);
		return { wanted: { companies, events, url: readDestination(context) }, unreadable };
	} catch (problem) {
		return { problem: problem as Error };
	}
}
