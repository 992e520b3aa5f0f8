import type { IHookFunctions } from 'n8n-workflow';

import { identify } from '../memory/destination';
import { dropOldest } from '../../shared/dropOldest';
import { readState, type TriggerIdentity, type TriggerState } from '../memory/knownWebhooks';
import { ownerOf } from '../memory/processMemory';

/** Far more than are tested in one process at once. */
const MAXIMUM_REMEMBERED = 1000;

/** The URL at which each trigger last listened for a test event in this process. */
const testUrls = new Map<string, string | undefined>();

/** What n8n is activating: a published workflow, or the editor's "Listen for test event". */
export function identifyActivated(context: IHookFunctions): TriggerIdentity {
	if (context.getActivationMode() !== 'manual') return identify(context, 'production');
	const identity = identify(context, 'test');
	testUrls.delete(ownerOf(identity));
	testUrls.set(ownerOf(identity), context.getNodeWebhookUrl('default'));
	dropOldest(testUrls, MAXIMUM_REMEMBERED);
	return identity;
}

/**
 * What n8n is deactivating. It says so by the URL alone, and the static data that a test wrote is
 * missing when the test failed or is cancelled before it listens.
 */
export function identifyDeactivated(context: IHookFunctions): TriggerIdentity {
	const test = identify(context, 'test');
	const url = context.getNodeWebhookUrl('default');
	const isTest =
		testUrls.get(ownerOf(test)) === url ||
		readState(context.getWorkflowStaticData('global'), test)?.url === url;
	return isTest ? test : identify(context, 'production');
}

/** Publishes that threw, with the runs that n8n's call to clean up after each may find stored. */
const failedPublishes: Array<{ owner: string; runs: Array<string | undefined> }> = [];

/**
 * n8n follows each publish that throws with an unpublish, even when a later publish has taken its
 * place by then. n8n 2.40 hands it the static data that the publish wrote, 1.x what was stored before.
 */
export function expectCleanUp(
	identity: TriggerIdentity,
	...states: Array<TriggerState | undefined>
): void {
	failedPublishes.push({ owner: ownerOf(identity), runs: states.map((state) => state?.run) });
	if (failedPublishes.length > MAXIMUM_REMEMBERED) failedPublishes.shift();
}

/** Whether an unpublish is such a clean-up and not the user's. True once for each expected. */
export function takeCleanUp(identity: TriggerIdentity, stored: TriggerState | undefined): boolean {
	const index = failedPublishes.findIndex(
		({ owner, runs }) => owner === ownerOf(identity) && runs.includes(stored?.run),
	);
	if (index !== -1) failedPublishes.splice(index, 1);
	return index !== -1;
}
