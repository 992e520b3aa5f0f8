// An AI agent in a real n8n chooses among the operations of the action node by their names.
import { randomUUID } from 'node:crypto';

import type { INode, INodeParameters, NodeConnectionType } from 'n8n-workflow';

import { errorOf, outputOf } from '../n8n-host/execution';
import type { Credential, WorkflowFile } from '../n8n-host/n8nTypes';
import { startChatModel, type ChatModel } from './chatModel';
import { useSurroundings } from './surroundings';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const OFFICERS = [{ name: 'Ada Example', role: 'director' }, { name: 'Ben Example' }];

const surroundings = useSurroundings();
let model: ChatModel;
beforeAll(async () => {
	model = await startChatModel('officers', { company_number: '99000001' });
});
afterAll(async () => await model?.close());

function node(name: string, type: string, typeVersion: number, rest: Partial<INode> = {}): INode {
	return { id: randomUUID(), name, type, typeVersion, position: [0, 0], parameters: {}, ...rest };
}

/** One operation as a tool, under a name that says nothing of it. */
function tool(index: number, operation: string, { id, name, type }: Credential): INode {
	const companyNumber = {
		__rl: true,
		mode: 'number',
		value: "={{ $fromAI('company_number', 'Number of the company', 'string') }}",
	};
	const parameters: INodeParameters = { resource: 'company', operation, companyNumber };
	const credentials = { [type]: { id, name } };
	const nodeType = 'n8n-nodes-company-registry.companyRegistryTool';
	return node(`Tool ${index}`, nodeType, 1, { parameters, credentials });
}

/** Started by hand, an agent that is asked one question. */
function agentWith(tools: INode[], openAi: Credential, question: string): WorkflowFile {
	const start = node('Start', 'n8n-nodes-base.manualTrigger', 1);
	const agent = node('Agent', `${LANGCHAIN}.agent`, 3, {
		parameters: { promptType: 'define', text: question, options: {} },
	});
	const chat = node('Model', `${LANGCHAIN}.lmChatOpenAi`, 1.2, {
		parameters: { model: { __rl: true, mode: 'id', value: 'test' }, options: {} },
		credentials: { [openAi.type]: { id: openAi.id, name: openAi.name } },
	});
	const toAgent = (type: NodeConnectionType) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
	return {
		name: 'Ask an agent',
		nodes: [start, agent, chat, ...tools],
		connections: {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
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
	const openAi = await client.createCredential({
		name: 'Model',
		type: 'openAiApi',
		data: { apiKey: 'none', url: model.url },
	});
	simulator.fault({
		path: /some-officers/,
		times: Infinity,
		action: { status: 200, body: { data: OFFICERS } },
	});
	const operations = ['get', 'getPscs', 'getOfficers', 'getFilings'];
	const tools = operations.map((operation, index) => tool(index, operation, registry));
	const question = 'Who are the officers of company 99000001?';

	const { id } = await client.createWorkflow(agentWith(tools, openAi, question));
	const execution = await client.runToEnd(id, 'Start');

	expect(errorOf(execution)).toBeUndefined();
	const offered = ['Get PSCs of company', 'Get company', 'Get filings of company'];
	expect([...model.offered.values()].sort()).toEqual(
		[...offered, 'Get officers of company'].map((action) => `${action} in Company Registry`),
	);
	expect(simulator.requests.map(({ path }) => path)).toEqual(['/v1/some-officers/99000001']);
	const [{ json }] = outputOf(execution, 'Agent');
	for (const { name } of OFFICERS) expect(json.output).toContain(name);
});
