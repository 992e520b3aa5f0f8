import { randomBytes } from 'crypto';

import type { FunctionsBase, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isLoopback } from '../../registry/credential';

/** Names a trigger: the node's id survives a rename, the workflow's tells copies apart. */
export interface TriggerIdentity {
	workflow: string;
	node: string;
}

export function identify(context: FunctionsBase): TriggerIdentity {
	return { workflow: context.getWorkflow().id ?? '', node: context.getNode().id };
}

/**
 * n8n's URL of the trigger, at which deliveries reach it. For a node without a webhook id, n8n stores its name encoded
 * but looks it up decoded, so here it is encoded twice.
 */
export function urlOf(context: IHookFunctions | IWebhookFunctions): string {
	const url = context.getNodeWebhookUrl('default') ?? '';
	if (context.getNode().webhookId) return url;

	const segments = url.split('/');
	const own = segments.splice(-2).map((segment) => segment.replaceAll('%', '%25'));
	return [...segments, ...own].join('/');
}

/** One text for a trigger, unique in the process. */
export function keyOf({ workflow, node }: TriggerIdentity): string {
	return `${workflow}/${node}`;
}

/** A reference that cannot be guessed: 128 random bits. */
export function newReference(): string {
	return randomBytes(16).toString('base64url');
}

/** The URL of one webhook: n8n's URL of the trigger with the webhook's reference. */
export function withReference(url: string, reference: string): string {
	return `${url}?ref=${reference}`;
}

/** The reference in a delivery's query; empty if there is none or it has another form. */
export function readReference(query: Record<string, unknown>): string {
	const { ref } = query;
	return typeof ref === 'string' && /^[\w-]{22}$/.test(ref) ? ref : '';
}

/**
 * A trigger's URL without the trigger's own segments: `https://n8n.example.com/webhook`; in a test `…/webhook-test`.
 * These are the node's webhook id and the path, or for a node without such an id the workflow, the node and the path.
 */
export function addressOf(url: string, { workflow }: Pick<TriggerIdentity, 'workflow'>): string {
	const segments = url.split('/').slice(0, -2);
	if (workflow !== '' && segments.at(-1) === workflow) segments.pop();
	return segments.join('/');
}

/**
 * Why the service cannot deliver to n8n's URL of this trigger; undefined where it may.
 * @param baseUrl of the service; undefined where it is not known
 */
export function addressProblem(url: string, baseUrl?: string): string | undefined {
	const isLocal = (text: string) => isLoopback(new URL(text).hostname);
	const isSecure = url.startsWith('https://');
	const mayReach = baseUrl === undefined || isLocal(baseUrl);
	if (isSecure && (mayReach || !isLocal(url))) return undefined;

	const why = isSecure
		? 'cannot reach this n8n at its webhook address'
		: 'delivers only to https addresses, but the webhook address of n8n is';
	return `The registry service ${why} ${url || 'not set'}. Set the environment variable N8N_WEBHOOK_URL to the public https address of n8n, then restart n8n.`;
}
