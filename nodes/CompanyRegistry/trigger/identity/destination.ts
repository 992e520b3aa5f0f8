import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { isLoopback } from '../../registry/credential';

const REFERENCE_PARAMETER = 'ref';
/** Of n8n's URL of a trigger, the segments that belong to the trigger and not to n8n. */
const SEGMENTS_OF_TRIGGER = 2;

/** The destination of one webhook: n8n's URL of this trigger with the webhook's own reference. */
export function withReference(url: string, reference: string): string {
	return `${url}?${REFERENCE_PARAMETER}=${reference}`;
}

/** The reference in a delivery's query; empty when there is none. */
export function readReference(query: Record<string, unknown>): string {
	const reference = query[REFERENCE_PARAMETER];
	return typeof reference === 'string' ? reference : '';
}

/** The part of a trigger's URL that all triggers of one n8n share: `https://n8n.example.com/webhook`. */
export function addressOf(url: string): string {
	return url.split('/').slice(0, -SEGMENTS_OF_TRIGGER).join('/');
}

/** In tests n8n listens elsewhere. */
export const OWN_ADDRESS = {
	/** Where n8n listens unless it is told otherwise: behind many routers it does not reach its public address. */
	local: 'http://127.0.0.1:5678',
};

/** A trigger's URL at the local address of n8n. */
export function localUrl(url: string): string {
	const address = addressOf(url);
	return OWN_ADDRESS.local + url.slice(address.lastIndexOf('/'));
}

/**
 * n8n's URL of this trigger.
 * @throws NodeOperationError when the service could not deliver to it
 */
export function readDestination(context: IHookFunctions): string {
	const url = context.getNodeWebhookUrl('default') ?? '';
	if (url.startsWith('https://')) return url;
	throw unusable(context, `delivers to https addresses only, and this n8n's webhook address is`);
}

/**
 * Refuses an address that leads a service elsewhere to its own machine.
 * @throws NodeOperationError
 */
export function checkDestination(context: IHookFunctions, url: string, baseUrl: string): void {
	const isHere = (text: string) => isLoopback(new URL(text).hostname);
	if (!isHere(url) || isHere(baseUrl)) return;
	throw unusable(context, `cannot reach this n8n at its webhook address`);
}

function unusable(context: IHookFunctions, why: string): NodeOperationError {
	const url = context.getNodeWebhookUrl('default') || 'not set';
	return new NodeOperationError(
		context.getNode(),
		`The registry service ${why} ${url}. Set the environment variable N8N_WEBHOOK_URL to n8n's public https address and restart n8n, or ask whoever runs it to do so.`,
	);
}
