import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import { keepNewest } from '../../shared/dropOldest';

/** Which node in which workflow: the node's id survives a rename, the workflow's tells copies apart. */
export interface TriggerIdentity {
	workflow: string;
	node: string;
	/** Production and test destinations of one node are kept apart. */
	kind: 'production' | 'test';
}

/** Far more than people click at once. */
const MAXIMUM_TESTS = 1000;

/** By trigger, n8n's URL of the test that this process has begun last. */
const tests = new Map<string, string>();

export function identify(
	context: IHookFunctions | ITriggerFunctions | IWebhookFunctions,
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
		keepNewest(tests, nameOf(identity), urlOf(context), MAXIMUM_TESTS);
	}
	return identity;
}

/** The test that this process has begun last, if this is its end; n8n tells of the end of both kinds alike. */
export function identifyTest(context: IHookFunctions): TriggerIdentity | undefined {
	const identity = identify(context, 'test');
	return tests.get(nameOf(identity)) === urlOf(context) ? identity : undefined;
}

function urlOf(context: IHookFunctions): string {
	return context.getNodeWebhookUrl('default') ?? '';
}
