import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { addressOf } from './destination';
import { readState, type TriggerIdentity } from './state';
import { findMemory } from './trigger';

export function identify(
	context: IHookFunctions | IWebhookFunctions,
	kind: TriggerIdentity['kind'],
): TriggerIdentity {
	return { workflow: context.getWorkflow().id ?? '', node: context.getNode().id, kind };
}

/** What n8n is activating: a published workflow, or the editor's "Listen for test event". */
export function identifyActivated(context: IHookFunctions): TriggerIdentity {
	return identify(context, context.getActivationMode() === 'manual' ? 'test' : 'production');
}

/**
 * What n8n is deactivating. Only the URL tells a test from a published workflow. Undefined for a test that
 * another main process has begun, of which nothing is known here.
 */
export function identifyDeactivated(context: IHookFunctions): TriggerIdentity | undefined {
	const url = context.getNodeWebhookUrl('default') ?? '';
	const staticData = context.getWorkflowStaticData('global');
	const urlOf = (identity: TriggerIdentity) =>
		findMemory(identity)?.url || readState(staticData, identity)?.url;
	const test = identify(context, 'test');
	if (urlOf(test) === url) return test;
	const production = identify(context, 'production');
	const known = urlOf(production);
	return known !== undefined && isOfAnotherEndpoint(url, known) ? undefined : production;
}

/** At the same host, n8n serves tests and published workflows under different first segments. */
function isOfAnotherEndpoint(url: string, known: string): boolean {
	const origin = (text: string) => (URL.canParse(text) ? new URL(text).origin : '');
	return origin(url) === origin(known) && addressOf(url) !== addressOf(known);
}
