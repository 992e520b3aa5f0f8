// An AI agent in a real n8n chooses among the operations of the action node by their names.
import { createServer } from 'node:http';

import express from 'express';
import type { INode, NodeConnectionType } from 'n8n-workflow';

import { chosen, newNode } from '../../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../../n8n-host/execution';
import type { Credential, WorkflowFile } from '../../n8n-host/n8nTypes';
import { endServer, listen } from '../../n8n-host/ports';
import { surroundings } from './importedExample';

interface Asked {
	tools?: Array<{ function: { name: string; description: string } }>;
	messages: Array<{ role: string; content: unknown }>;
}

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const OFFICERS = [{ name: 'Ada Example', role: 'director' }, { name: 'Ben Example' }];

/** Descriptions of the tools that the model was offered, by name. */
const offered = new Map<string, string>();

/** Calls the tool for officers once, and then answers with what that returned. */
function reply({ tools = [], messages }: Asked) {
	for (const { function: tool } of tools) offered.set(tool.name, tool.description);
	const result = messages.find(({ role }) => role === 'tool');
	if (result) return { content: `Found: ${JSON.stringify(result.content)}` };

	const tool = tools.find(({ function: { description } }) => description.includes('officers'));
	if (!tool) return { content: 'No tool can do this.' };
	const args = JSON.stringify({ company_number: '99000001' });
	const call = { name: tool.function.name, arguments: args };
	return { content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] };
}

/** A chat model behind OpenAI's interface. */
const app = express().use(express.json({ limit: '5mb' }));
app.post('/v1/chat/completions', (req, res) => {
	const message = { role: 'assistant', ...reply(req.body) };
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
const model = createServer(app);
let modelUrl: string;
beforeAll(async () => void (modelUrl = `http://127.0.0.1:${await listen(model)}/v1`));
afterAll(async () => await endServer(model));

/** One operation as a tool, under a name that says nothing of it. */
function tool(index: number, operation: string, credential: Credential): INode {
	const value = "={{ $fromAI('company_number', 'Number of the company', 'string') }}";
	const companyNumber = { __rl: true, mode: 'number', value };
	const parameters = { resource: 'company', operation, companyNumber };
	const type = 'n8n-nodes-company-registry.companyRegistryTool';
	return { ...newNode(type, `Tool ${index}`, parameters), ...chosen(credential) };
}

/** Started by hand, an agent that is asked one question. */
function agentWith(tools: INode[], openAi: Credential, text: string): WorkflowFile {
	const start = newNode('n8n-nodes-base.manualTrigger', 'Start');
	const question = { promptType: 'define', text, options: {} };
	const agent = { ...newNode(`${LANGCHAIN}.agent`, 'Agent', question), typeVersion: 3 };
	const choice = { model: { __rl: true, mode: 'id', value: 'test' }, options: {} };
	const chat = { ...newNode(`${LANGCHAIN}.lmChatOpenAi`, 'Model', choice), typeVersion: 1.2 };
	const toAgent = (type: NodeConnectionType) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
	return {
		name: 'Ask an agent',
		nodes: [start, agent, { ...chat, ...chosen(openAi) }, ...tools],
		connections: {
			Start: toAgent('main'),
			Model: toAgent('ai_languageModel'),
			...Object.fromEntries(tools.map(({ name }) => [name, toAgent('ai_tool')])),
		},
		settings: { executionOrder: 'v1' },
	};
}

it('it gets the officers of a company, whose path stands in the credential', async () => {
	const { client, simulator } = surroundings;
	const registry = await client.createRegistryCredential(simulator, {
		companyPath: '/v1/some-company/{company_number}',
		officersPath: '/v1/some-officers/{company_number}',
		pscsPath: '/v1/some-pscs/{company_number}',
		filingsPath: '/v1/some-filings/{company_number}',
	});
	const data = { apiKey: 'none', url: modelUrl };
	const openAi = await client.createCredential({ name: 'Model', type: 'openAiApi', data });
	const answer = { status: 200, body: { data: OFFICERS } };
	simulator.fault({ path: /some-officers/, times: Infinity, action: answer });
	const operations = ['get', 'getPscs', 'getOfficers', 'getFilings'];
	const tools = operations.map((operation, index) => tool(index, operation, registry));
	const question = 'Who are the officers of company 99000001?';

	const { id } = await client.createWorkflow(agentWith(tools, openAi, question));
	simulator.clearRequests();
	const execution = await client.runToEnd(id, 'Start');

	expect(errorOf(execution)).toBeUndefined();
	expect([...offered.values()].sort()).toEqual([
		'Get PSCs of company in Company Registry',
		'Get company in Company Registry',
		'Get filings of company in Company Registry',
		'Get officers of company in Company Registry',
	]);
	expect(simulator.requests.map(({ path }) => path)).toEqual(['/v1/some-officers/99000001']);
	const [{ json }] = outputOf(execution, 'Agent');
	for (const { name } of OFFICERS) expect(json.output).toContain(name);
});
