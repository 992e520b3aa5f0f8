import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import express, { type Request, type Response } from 'express';
import type { IWebhookResponseData } from 'n8n-workflow';

import { webhookContext, type TestWorkflow } from './contexts';

export interface DeliveredRequest {
	headers: Record<string, string | string[]>;
	query: unknown;
	rawBody: Buffer;
	/** As at n8n's test URL. */
	isTest?: boolean;
}

/** What came of a request: what the node answered by itself, and what it returned to n8n. */
export interface Outcome {
	/** 200 unless the node answered by itself. */
	status: number;
	body: unknown;
	result: IWebhookResponseData | undefined;
}

const app = express();

/** Calls a trigger's `webhook()` without a connection, for inputs that no HTTP client would send. */
export async function exchange(
	workflow: TestWorkflow,
	{ headers, query, rawBody, isTest }: DeliveredRequest,
): Promise<Outcome> {
	const message = new IncomingMessage(new Socket());
	message.headers = headers;
	const request: Request = Object.setPrototypeOf(message, app.request);
	Object.defineProperties(request, { query: { value: query }, rawBody: { value: rawBody } });
	const response: Response = Object.setPrototypeOf(new ServerResponse(message), app.response);
	let body: unknown;
	response.end = (sent?: unknown) => {
		body = JSON.parse(String(sent));
		return response;
	};
	const result = await workflow.nodeType.webhook?.call(
		webhookContext(workflow, { request, response, isTest }),
	);
	response.emit('close');
	return { status: response.statusCode, body, result };
}
