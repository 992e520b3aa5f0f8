import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import express, { type Request, type Response } from 'express';
import { NodeHelpers, type INodeExecutionData } from 'n8n-workflow';

import { webhookContext, type TestWorkflow } from './contexts';

export interface ServedWebhook {
	/** Takes the items over, as n8n's execution queue does; a throw is a failed hand-over. */
	execute?: (items: INodeExecutionData[]) => void | Promise<void>;
	/** Serve as n8n's test URL does: manual mode. */
	isTest?: boolean;
}

/**
 * Serves a trigger node's webhook over real HTTP the way n8n does: reads the raw body after
 * decoding it, refuses a malformed JSON body itself, and answers 200 only after the items have
 * been handed over, unless the node answered by itself.
 */
export async function startWebhookServer() {
	let served: ({ testWorkflow: TestWorkflow } & ServedWebhook) | undefined;
	const app = express();
	app.set('query parser', 'extended');
	app.disable('x-powered-by');
	app.use(express.raw({ type: () => true, limit: '16mb' }));
	app.use(async (request, response) => {
		if (served === undefined || !request.path.endsWith(pathOf(served))) {
			response.status(404).json({ code: 404, message: 'The requested webhook is not registered.' });
			return;
		}
		try {
			if (readBody(request)) await run(served, request, response);
			else response.status(422).json({ code: 422, message: 'Failed to parse request body' });
		} catch (error) {
			response.status(500).json({ code: 0, message: error instanceof Error ? error.message : '' });
		}
	});
	const server = createServer(app).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		/** Origin, plain http. Put a TLS proxy in front where https matters. */
		url: `http://127.0.0.1:${port}`,
		port,
		/** From now on requests to the node's webhook path reach its `webhook()`. */
		serve(testWorkflow: TestWorkflow, options: ServedWebhook = {}): void {
			served = { testWorkflow, ...options };
		},
		/** Nothing is served any more, as after deactivation. */
		unserve(): void {
			served = undefined;
		},
		async close(): Promise<void> {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}

/** Sets `rawBody` and `body` as n8n does for a node of version 1; false for malformed JSON. */
export function readBody(request: Request): boolean {
	const raw: Buffer = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
	const [contentType = ''] = (request.headers['content-type'] ?? '').split(';');
	let body: unknown = {};
	if (raw.length > 0 && contentType.toLowerCase() === 'application/json') {
		try {
			body = JSON.parse(raw.toString().replace(/^\uFEFF/, ''));
		} catch {
			return false;
		}
	} else if (raw.length > 0 && contentType.toLowerCase() === 'text/plain') {
		body = raw.toString();
	}
	Object.assign(request, { rawBody: raw, body });
	return true;
}

async function run(
	{ testWorkflow, execute, isTest }: { testWorkflow: TestWorkflow } & ServedWebhook,
	request: Request,
	response: Response,
): Promise<void> {
	const context = webhookContext(testWorkflow, { request, response, isTest });
	const result = await testWorkflow.nodeType.webhook?.call(context);
	if (result === undefined) throw new Error('The node has no webhook method');
	if (result.workflowData !== undefined) await execute?.(result.workflowData.flat());
	if (result.noWebhookResponse === true) return;
	// What n8n makes of `responseData: 'noData'`.
	if (result.workflowData !== undefined) response.json(undefined);
	else response.json(result.webhookResponse ?? { message: 'Webhook call received' });
}

export function pathOf({ testWorkflow }: { testWorkflow: TestWorkflow }): string {
	const { node, nodeType, workflow } = testWorkflow;
	const path = nodeType.description.webhooks?.[0]?.path ?? '';
	return `/${NodeHelpers.getNodeWebhookPath(workflow.id, node, path)}`;
}
