import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';

import type { DestinationKind, TriggerIdentity } from './knownWebhooks';

const REFERENCE_PARAMETER = 'ref';

/** The destination of one webhook: n8n's URL of this trigger with the webhook's own reference. */
export function withReference(url: string, reference: string): string {
	return `${url}?${REFERENCE_PARAMETER}=${reference}`;
}

/** The reference in a delivery's query; empty when there is none. */
export function readReference(query: Record<string, unknown>): string {
	const reference = query[REFERENCE_PARAMETER];
	return typeof reference === 'string' ? reference : '';
}

export function identify(
	context: IHookFunctions | IWebhookFunctions,
	kind: DestinationKind,
): TriggerIdentity {
	return { workflow: context.getWorkflow().id ?? '', node: context.getNode().id, kind };
}

/**
 * n8n's URL of this trigger.
 * @throws NodeOperationError when the service could not deliver to it
 */
export function readDestination(context: IHookFunctions): string {
	const url = context.getNodeWebhookUrl('default') ?? '';
	if (url.startsWith('https://')) return url;
	throw new NodeOperationError(
		context.getNode(),
		`The registry service delivers to https addresses only, and this n8n's webhook address is ${url || 'not set'}. Set the environment variable N8N_WEBHOOK_URL (before n8n 2.40: WEBHOOK_URL) to n8n's public https address and restart n8n, or ask whoever runs it to do so.`,
	);
}
