import { NodeOperationError, type INode } from 'n8n-workflow';

import { isLoopback } from '../../registry/credential';

const REFERENCE_PARAMETER = 'ref';
/** What all of ours look like. */
const REFERENCE = /^[\w-]{22}$/;
/** Of n8n's URL of a trigger, the segments that belong to the trigger and not to n8n. */
const SEGMENTS_OF_TRIGGER = 2;

/** The destination of one webhook: n8n's URL of this trigger with the webhook's own reference. */
export function withReference(url: string, reference: string): string {
	return `${url}?${REFERENCE_PARAMETER}=${reference}`;
}

/** The reference in a delivery's query; empty when there is none, or another text: that is not kept or shown. */
export function readReference(query: Record<string, unknown>): string {
	const reference = query[REFERENCE_PARAMETER];
	return typeof reference === 'string' && REFERENCE.test(reference) ? reference : '';
}

/** The part of a trigger's URL that all triggers of one n8n share: `https://n8n.example.com/webhook`. */
export function addressOf(url: string): string {
	return url.split('/').slice(0, -SEGMENTS_OF_TRIGGER).join('/');
}

/** @throws NodeOperationError where n8n's URL of this trigger is none that the service delivers to */
export function checkHttps(node: INode, url: string): void {
	if (url.startsWith('https://')) return;
	throw unusable(node, `delivers to https addresses only, and this n8n's webhook address is`, url);
}

/**
 * Refuses an address that leads a service elsewhere to its own machine.
 * @throws NodeOperationError
 */
export function checkDestination(node: INode, url: string, baseUrl: string): void {
	const isHere = (text: string) => isLoopback(new URL(text).hostname);
	if (!isHere(url) || isHere(baseUrl)) return;
	throw unusable(node, 'cannot reach this n8n at its webhook address', url);
}

function unusable(node: INode, why: string, url: string): NodeOperationError {
	return new NodeOperationError(
		node,
		`The registry service ${why} ${url || 'not set'}. Set the environment variable N8N_WEBHOOK_URL to n8n's public https address and restart n8n, or ask whoever runs it to do so.`,
	);
}
