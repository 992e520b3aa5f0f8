// The action node in a real n8n: each kind of step run once behind a manual trigger.
import type { INode } from 'n8n-workflow';

import { errorOf, outputOf } from '../n8n-host/execution';
import type { Execution, WorkflowFile } from '../n8n-host/n8nTypes';
import { withCredential } from '../n8n-host/exampleWorkflows';
import type { StoredWebhook } from '../simulator';
import { SCHEMA_FOLDER, outputSchemaFiles } from '../support/outputSchemas';
import { E2E_TIMEOUT_MS, startSurroundings, type Surroundings } from './surroundings';

jest.setTimeout(E2E_TIMEOUT_MS);

const DESTINATION = 'https://receiver.example.com/hook';

let surroundings: Surroundings;

beforeAll(async () => {
	surroundings = await startSurroundings({ isWhole: true });
});

afterAll(async () => await surroundings?.stop());

function node(name: string, type: string, parameters: INode['parameters']): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters };
}

/** Runs the action node once, behind a manual trigger. */
async function run(parameters: INode['parameters']): Promise<Execution> {
	const { client, credential } = surroundings;
	const workflow: WorkflowFile = {
		name: 'Action',
		nodes: [
			node('Start', 'n8n-nodes-base.manualTrigger', {}),
			node('Action', 'n8n-nodes-company-registry.companyRegistry', parameters),
		],
		connections: { Start: { main: [[{ node: 'Action', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	};
	const { id } = await client.createWorkflow(withCredential(workflow, credential));
	return await client.waitForExecution(await client.runWorkflow(id, 'Start'));
}

/** The items that it puts out. */
async function resultsOf(parameters: INode['parameters']) {
	const execution = await run(parameters);
	expect(errorOf(execution)).toBeUndefined();
	return outputOf(execution, 'Action').map(({ json }) => json);
}

async function createWebhook(companyNumber: string): Promise<StoredWebhook> {
	const [{ id }] = await resultsOf({
		resource: 'webhook',
		operation: 'create',
		companyNumber: { __rl: true, mode: 'number', value: companyNumber },
		url: DESTINATION,
		events: ['filing.new'],
	});
	return stored(String(id));
}

function stored(id: string): StoredWebhook {
	const webhook = surroundings.simulator.webhooks().find((one) => one.id === id);
	if (!webhook) throw new Error(`The stand-in has no webhook ${id}`);
	return webhook;
}

function byId(value: string) {
	return { __rl: true, mode: 'id', value };
}

it('searches companies, and puts out no more than the limit', async () => {
	const found = await resultsOf({
		resource: 'company',
		operation: 'search',
		query: 'tessellate',
		limit: 1,
	});
	expect(found).toEqual([
		{
			company_number: '99000001',
			company_name: 'TESSELLATE STORES PLC',
			company_status: 'active',
		},
	]);
});

it('creates a webhook and puts out its secret', async () => {
	const [created] = await resultsOf({
		resource: 'webhook',
		operation: 'create',
		companyNumber: { __rl: true, mode: 'number', value: '6' },
		url: DESTINATION,
		events: ['filing.new', 'psc.added'],
	});
	const { secret, url } = stored(String(created.id));
	expect(url).toBe(DESTINATION);
	expect(created).toEqual({
		id: expect.any(String),
		company_number: '00000006',
		events: ['filing.new', 'psc.added'],
		is_active: true,
		secret,
	});
});

it('lists the webhooks of one company, without a secret', async () => {
	const { id } = await createWebhook('SC123456');
	const found = await resultsOf({
		resource: 'webhook',
		operation: 'getAll',
		returnAll: true,
		filters: { companyNumber: { __rl: true, mode: 'number', value: 'SC123456' } },
	});
	expect(found).toEqual([
		{ id, company_number: 'SC123456', events: ['filing.new'], is_active: true },
	]);
});

it('adds an event to those that a webhook has', async () => {
	const { id } = await createWebhook('R0000521');
	await resultsOf({
		resource: 'webhook',
		operation: 'update',
		webhookId: byId(id),
		updateFields: { events: ['officer.appointed'], eventsMode: 'add' },
	});
	expect(stored(id).events).toEqual(['filing.new', 'officer.appointed']);
});

it('pauses and resumes a webhook', async () => {
	const { id } = await createWebhook('SL00911A');

	const [paused] = await resultsOf({
		resource: 'webhook',
		operation: 'pause',
		webhookId: byId(id),
	});
	expect(paused.is_active).toBe(false);
	expect(stored(id).is_active).toBe(false);

	await resultsOf({ resource: 'webhook', operation: 'resume', webhookId: byId(id) });
	expect(stored(id).is_active).toBe(true);
});

it('refuses a destination that is not https before any request, and says so', async () => {
	const { simulator } = surroundings;
	simulator.clearRequests();
	const execution = await run({
		resource: 'webhook',
		operation: 'create',
		companyNumber: { __rl: true, mode: 'number', value: '00445790' },
		url: 'http://receiver.example.com/hook',
		events: ['filing.new'],
	});
	expect(execution.status).toBe('error');
	expect(errorOf(execution)).toContain('https');
	expect(simulator.requests).toEqual([]);
});

it('takes a list of clients from their names to the workflow that watches them', async () => {
	const { client, credential } = surroundings;
	const list = (name: string, operation: string, parameters: INode['parameters'] = {}) =>
		node(name, 'n8n-nodes-company-registry.companyRegistry', {
			...{ resource: 'companyList', operation },
			...parameters,
		});
	const choice = { [credential.type]: { id: credential.id, name: credential.name } };
	const clients = ['Euler Instruments Ltd', 'Nobody & Sons', 'Tessellate Stores'];
	const trigger = node('T', 'n8n-nodes-company-registry.companyRegistryTrigger', {
		companiesFrom: 'numbers',
		companyNumbers: '99718281',
	});
	const version = { nodes: [trigger], connections: {} };
	const portfolio = { name: 'Portfolio', ...version, activeVersion: version };
	const rows = clients.map((name, index) => ({ id: index + 100_001, name, portfolio }));
	const nodes = [
		node('Start', 'n8n-nodes-base.manualTrigger', {}),
		{
			...node('Clients', 'n8n-nodes-base.code', {
				jsCode: `return ${JSON.stringify(rows)}.map((json) => ({ json }));`,
			}),
			typeVersion: 2,
		},
		{ ...list('Find', 'findNumbers', { companyName: '={{ $json.name }}' }), credentials: choice },
		{ ...list('Compare', 'compare'), credentials: choice },
		list('Read', 'read', { unreadableRows: 'passOn' }),
		list('Write', 'writeIntoWorkflow', {
			...{ source: 'text', text: '99718281\n99000001' },
			workflow: "={{ $('Clients').first().json.portfolio }}",
		}),
	];
	const connections = Object.fromEntries(
		nodes
			.slice(1)
			.map(({ name }, index) => [
				nodes[index].name,
				{ main: [[{ node: name, type: 'main' as const, index: 0 }]] },
			]),
	);
	const settings = { executionOrder: 'v1' as const };
	const { id } = await client.createWorkflow({ name: 'Lists', nodes, connections, settings });
	const execution = await client.waitForExecution(await client.runWorkflow(id, 'Start'));
	expect(errorOf(execution)).toBeUndefined();
	const json = (name: string) => outputOf(execution, name).map((item) => item.json);
	expect(
		json('Find').map(({ name, match, company_number }) => [name, match, company_number]),
	).toEqual([
		[clients[0], 'exact', '99718281'],
		[clients[1], 'none', null],
		[clients[2], 'exact', '99000001'],
	]);
	// Other tests of this file have webhooks of their own.
	const ofList = json('Compare').filter(({ state }) => state !== 'watched but not in the list');
	expect(ofList.map(({ company_name, state }) => [company_name, state])).toEqual([
		[clients[1], 'no company number'],
		[clients[0], 'not watched'],
		[clients[2], 'not watched'],
	]);
	expect(
		json('Read')
			.slice(0, 3)
			.map(({ row, problem = null }) => [row, problem]),
	).toEqual([
		[2, 'no company number'],
		[3, null],
		[4, null],
	]);
	expect(json('Write')).toMatchObject([{ added: [{ company_number: '99000001' }], unchanged: 1 }]);
});

// From these the editor offers a node's fields to drag before its first run.
it('n8n hands out the fields of every output that is documented, and of no other', async () => {
	const fieldsOf = async (node: string, path: string) => {
		const type = `n8n-nodes-company-registry.${node}`;
		const answer = await fetch(`${surroundings.host.url}/schemas/${type}/${path}.json`);
		return answer.ok ? await answer.json() : answer.status;
	};
	for (const [file, content] of outputSchemaFiles()) {
		const path = file.slice(`${SCHEMA_FOLDER}/v`.length, -'.json'.length);
		const node = path.includes('/') ? 'companyRegistry' : 'companyRegistryTrigger';
		expect(await fieldsOf(node, path)).toEqual(JSON.parse(content));
	}
	expect(await fieldsOf('companyRegistry', '1.0.0/company/getRecord')).toBe(404);
});
