// The example in which an AI agent uses the action node as a tool, with a model that runs here.
import type { Execution, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { useSurroundings } from '../surroundings';
import { startChatModel } from './chatModel';
import { importExample, jsonOf } from './importedExample';

const surroundings = useSurroundings();
let model: Awaited<ReturnType<typeof startChatModel>>;

beforeAll(async () => {
	model = await startChatModel({ search_text: 'kestrel' });
});

afterAll(() => model?.close());

/** Asks in the chat beside the canvas. */
async function ask({ id }: WorkflowRecord, chatInput: string): Promise<Execution> {
	const { client, host } = surroundings;
	const chatSessionId = 'session-1';
	await client.session.request('POST', `/workflows/${id}/run`, {
		triggerToStartFrom: { name: 'When Chat Message Received' },
		chatSessionId,
	});
	const answer = await fetch(`${host.url}/webhook-test/${id}/${chatSessionId}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ action: 'sendMessage', sessionId: chatSessionId, chatInput }),
	});
	expect(answer.status).toBe(200);
	return await client.waitForNextExecution(id);
}

it('lets the model search, and answers with what the registry found', async () => {
	const { client, simulator } = surroundings;
	const example = await importExample(surroundings, 'ask-an-agent');
	const { id, name } = await client.createCredential({
		name: 'Chat model',
		type: 'openAiApi',
		data: { apiKey: 'of-the-stand-in', url: model.url },
	});
	const nodes = example.workflow.nodes.map((node) =>
		node.name === 'OpenAI Chat Model'
			? { ...node, credentials: { openAiApi: { id, name } } }
			: node,
	);
	const workflow = await client.updateWorkflow(example.workflow.id, { nodes });
	simulator.clearRequests();

	const execution = await ask(workflow, 'Is the publisher with the falcon still active?');

	expect(simulator.requests).toMatchObject([
		{ method: 'GET', path: '/v1/search', query: { q: 'kestrel', items_per_page: '10' } },
	]);
	const [{ output }] = jsonOf(execution, 'Company Researcher');
	expect(output).toMatch(/^Found: .*KESTREL & FOX PUBLISHING LIMITED.*active/s);
	const [{ tools, messages }] = model.requests;
	expect(tools?.map((tool) => Object.keys(tool.function.parameters.properties))).toEqual([
		['search_text'],
	]);
	expect(messages.at(-1)).toMatchObject({
		content: 'Is the publisher with the falcon still active?',
	});
});
