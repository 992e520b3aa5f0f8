import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';

interface Tool {
	function: { name: string; description: string };
}

interface Message {
	role: string;
	content: unknown;
}

export type ChatModel = Awaited<ReturnType<typeof startChatModel>>;

/**
 * A chat model behind OpenAI's interface. It calls the first tool whose description has `wanted` in it, once, with
 * these arguments, and then answers with what the tool returned.
 */
export async function startChatModel(wanted: string, args: Record<string, string>) {
	/** Descriptions of the tools that it was offered, by name. */
	const offered = new Map<string, string>();

	const reply = ({ tools = [], messages }: { tools?: Tool[]; messages: Message[] }) => {
		for (const { function: tool } of tools) offered.set(tool.name, tool.description);
		const result = messages.find(({ role }) => role === 'tool');
		if (result) return { role: 'assistant', content: `Found: ${JSON.stringify(result.content)}` };

		const chosen = tools.find(({ function: { description } }) => description.includes(wanted));
		if (!chosen) return { role: 'assistant', content: 'No tool can do this.' };
		const call = { name: chosen.function.name, arguments: JSON.stringify(args) };
		const toolCalls = [{ id: 'call_1', type: 'function', function: call }];
		return { role: 'assistant', content: null, tool_calls: toolCalls };
	};

	const app = express();
	app.use(express.json({ limit: '5mb' }));
	app.post('/v1/chat/completions', (req, res) => {
		const message = reply(req.body);
		const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
		res.json({
			id: 'chatcmpl-1',
			object: 'chat.completion',
			created: 0,
			model: 'test',
			choices: [{ index: 0, message, finish_reason }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		});
	});

	const server = createServer(app);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		offered,
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		async close(): Promise<void> {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}
