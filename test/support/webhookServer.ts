// How n8n serves a trigger's webhook.
import { promisify } from 'node:util';

import express, { type Request, type Response } from 'express';
import { NodeHelpers, type INodeExecutionData } from 'n8n-workflow';

import { webhookContext, type TestWorkflow } from './contexts';

const readRaw = promisify(express.raw({ type: () => true, limit: '16mb' }));
/** Types of content that n8n parses. Of others it leaves the body to the node, unless that is of version 1. */
const PARSED = /^(application\/(json|x-www-form-urlencoded)|text\/plain)|[/+]xml$/;

/** An application that reads the raw body after decoding it, and passes each request to what is served then. */
export function webhookApp(served: () => Served | undefined) {
	const app = express();
	app.set('query parser', 'extended');
	app.disable('x-powered-by');
	app.use(async (request: Request, response: Response) => {
		request.readRawBody = async () => {
			if (request.rawBody === undefined) await readRaw(request, response);
			request.rawBody ??= Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
		};
		await answerRequest(served(), request, response).catch((error: Error) => {
			response.status(500).json({ code: 0, message: error.message });
		});
	});
	return app;
}

/** What is served, at the test URL or not. */
export interface Served {
	workflow: TestWorkflow;
	isTest?: boolean;
	/** Takes the items, if there are any, as n8n's execution queue does; a throw is a failed hand-over. */
	handOver: (items?: INodeExecutionData[]) => void | Promise<void>;
}

/**
 * Answers a request as n8n does: refuses a malformed JSON body itself, and answers 200 only after the
 * items have been handed over, unless the node answered by itself.
 */
async function answerRequest(
	served: Served | undefined,
	request: Request,
	response: Response,
): Promise<void> {
	// n8n compares what it has stored, as it is, with what it has decoded.
	if (!served || !decodeURIComponent(request.path).endsWith(pathOf(served.workflow))) {
		const message = 'The requested webhook is not registered.';
		return void response.status(404).json({ code: 404, message });
	}
	if (!(await parseBody(request))) {
		return void response.status(422).json({ code: 422, message: 'Failed to parse request body' });
	}
	const { workflow, isTest, handOver } = served;
	const context = webhookContext(workflow, { request, response, isTest });
	const result = await workflow.nodeType.webhook?.call(context);
	const items = result?.workflowData?.flat();
	await handOver(items);
	if (result?.noWebhookResponse) return;
	// What n8n makes of `responseData: 'noData'`.
	response.json(items ? undefined : result?.webhookResponse);
}

/** Reads the body of a parsed type; false for malformed JSON. */
async function parseBody(request: Request): Promise<boolean> {
	const [contentType] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
	if (!PARSED.test(contentType)) return true;
	await request.readRawBody();
	const { rawBody } = request;
	if (rawBody.length === 0 || contentType !== 'application/json') return true;
	try {
		JSON.parse(rawBody.toString().replace(/^\uFEFF/, ''));
		return true;
	} catch {
		return false;
	}
}

function pathOf({ node, nodeType, workflow }: TestWorkflow): string {
	const path = nodeType.description.webhooks?.[0]?.path ?? '';
	return `/${NodeHelpers.getNodeWebhookPath(workflow.id, node, path)}`;
}
