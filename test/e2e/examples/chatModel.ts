import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';

/** What is used here of a request to a chat model. */
interface ChatRequest {
	messages: Array<{ role: string; content: string }>;
	tools?: Array<{
		type: 'function';
		function: { name: string; description: string; parameters: { properties: object } };
	}>;
}

/**
 * Stands in for a chat model behind OpenAI's chat completions: calls the first tool that it is
 * offered with `toolArguments`, then answers with the tool's result, as `Found: <result>`.
 */
export async function startChatModel(toolArguments: object) {
	const requests: ChatRequest[] = [];
	const app = express();
	app.post('/v1/chat/completions', express.json({ limit: '1mb' }), (req, res) => {
		const request = req.body as ChatRequest;
		requests.push(request);
		const last = request.messages.at(-1);
		const [tool] = request.tools ?? [];
		if (last?.role === 'tool')
			return res.json(completion({ content: `Found: ${last.content}` }, 'stop'));
		if (!tool) return res.status(400).json({ error: { message: 'No tool is offered' } });
		const call = { name: tool.function.name, arguments: JSON.stringify(toolArguments) };
		const tool_calls = [{ id: 'call_1', type: 'function', function: call }];
		return res.json(completion({ content: null, tool_calls }, 'tool_calls'));
	});

	const server = createServer(app).listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		/** Base URL, with `/v1` and without a trailing slash. */
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		requests,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

function completion(message: object, finish_reason: string): object {
	return {
		id: 'chatcmpl-1',
		object: 'chat.completion',
		created: Math.floor(Date.now() / 1000),
		model: 'stand-in',
		choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
