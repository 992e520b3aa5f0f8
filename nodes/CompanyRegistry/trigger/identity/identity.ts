import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { dropOldest } from '../../shared/dropOldest';
import { addressOf } from './destination';
import { readState, type TriggerIdentity } from '../memory/state';
import { findMemory } from '../memory/trigger';

/** Far more than people click at once. */
const MAXIMUM_TESTS = 1000;

/** By trigger, n8n's URL of the test that this process has begun last. */
const tests = new Map<string, string>();

export function identify(
	context: IHookFunctions | IWebhookFunctions,
	kind: TriggerIdentity['kind'],
): TriggerIdentity {
	return { workflow: context.getWorkflow().id ?? '', node: context.getNode().id, kind };
}

/** Names a trigger among all that one process has. */
export function nameOf({ workflow, node }: TriggerIdentity): string {
	return `${workflow}/${node}`;
}

/** What n8n is activating: a published workflow, or the editor's "Listen for test event". */
export function identifyActivated(context: IHookFunctions): TriggerIdentity {
	const isTest = context.getActivationMode() === 'manual';
	const identity = identify(context, isTest ? 'test' : 'production');
	if (isTest) {
		tests.set(nameOf(identity), urlOf(context));
		dropOldest(tests, MAXIMUM_TESTS);
	}
	return identity;
}

/**
 * What n8n is deactivating: it calls alike for both, so that only the URL tells a test from a published workflow.
 * Undefined for a test that another main process has begun, of which nothing is known here.
 */
export function identifyDeactivated(context: IHookFunctions): TriggerIdentity | undefined {
	const test = identify(context, 'test');
	if (tests.get(nameOf(test)) === urlOf(context)) return test;
	const production = identify(context, 'production');
	const staticData = context.getWorkflowStaticData('global');
	const known = findMemory(production)?.url || readState(staticData, production)?.url;
	return known && endpointOf(known) !== endpointOf(urlOf(context)) ? undefined : production;
}

function urlOf(context: IHookFunctions): string {
	return context.getNodeWebhookUrl('default') ?? '';
}

/** Under which n8n serves published workflows, or tests. Their hosts may differ, too. */
function endpointOf(url: string): string {
	return addressOf(url).split('/').pop() ?? '';
}
