import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

/** Production and test destinations of one node are kept apart. */
export type DestinationKind = 'production' | 'test';

/** Which node in which workflow: the node's id survives a rename, the workflow's tells copies apart. */
export interface TriggerIdentity {
	workflow: string;
	node: string;
	kind: DestinationKind;
}

export function identify(
	context: IHookFunctions | IWebhookFunctions,
	kind: DestinationKind,
): TriggerIdentity {
	return { workflow: context.getWorkflow().id ?? '', node: context.getNode().id, kind };
}
