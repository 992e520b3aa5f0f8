import type { IHookFunctions } from 'n8n-workflow';

import { identify, type TriggerIdentity } from './identity';
import { readState } from './savedState';
import { findMemory, memoryOf } from './triggers';

/** What n8n is activating: a published workflow, or the editor's "Listen for test event". */
export function identifyActivated(context: IHookFunctions): TriggerIdentity {
	if (context.getActivationMode() !== 'manual') return identify(context, 'production');
	const identity = identify(context, 'test');
	memoryOf(identity).testUrl = context.getNodeWebhookUrl('default');
	return identity;
}

/**
 * What n8n is deactivating. Only the URL tells a test from a published workflow. The static data that a
 * test wrote is missing if the test failed, or was cancelled before it listened.
 */
export function identifyDeactivated(context: IHookFunctions): TriggerIdentity {
	const test = identify(context, 'test');
	const url = context.getNodeWebhookUrl('default');
	const isTest =
		findMemory(test)?.testUrl === url ||
		readState(context.getWorkflowStaticData('global'), test)?.url === url;
	return isTest ? test : identify(context, 'production');
}
