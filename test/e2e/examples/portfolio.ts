import type { INode } from 'n8n-workflow';

import { exampleWorkflow, withCredential } from '../../n8n-host/exampleWorkflows';
import { errorOf } from '../../n8n-host/execution';
import type { Credential, Execution, WorkflowRecord } from '../../n8n-host/n8nTypes';
import type { StoredWebhook } from '../../simulator';
import type { Surroundings } from '../surroundings';
import { importExample, publishChange, type ImportedExample } from './importedExample';

export const ALL_SCOPES = ['read', 'list', 'update', 'activate', 'deactivate'];

/** The example watch-portfolio, published with the numbers of the test. */
export interface Portfolio extends ImportedExample {
	/** Numbers of the companies that the service delivers, sorted. */
	watched(): string[];
	/** What its trigger is published with. */
	publishedNumbers(): Promise<string[]>;
}

export async function publishPortfolio(
	surroundings: Surroundings,
	numbers: string[],
	options: object = {},
): Promise<Portfolio> {
	const example = await importExample(surroundings, 'watch-portfolio');
	const changes = { companyNumbers: numbers.join('\n'), options } as INode['parameters'];
	await publishChange(surroundings, example, 'Company Registry Trigger', changes);
	return {
		...example,
		watched: () => numbersOf(example.webhooks().filter((webhook) => webhook.is_active)),
		async publishedNumbers() {
			const { activeVersion } = await surroundings.client.session.request<{
				activeVersion: { nodes: INode[] };
			}>('GET', `/workflows/${example.workflow.id}`);
			const trigger = activeVersion.nodes.find(({ name }) => name === 'Company Registry Trigger');
			return String(trigger?.parameters.companyNumbers).split('\n');
		},
	};
}

function numbersOf(webhooks: StoredWebhook[]): string[] {
	return webhooks.map(({ company_number }) => company_number).sort();
}

/** A credential with a new key to n8n's own API; of all the scopes that a workflow needs unless told. */
export async function n8nApiCredential(
	{ client, host }: Surroundings,
	{ scopes = ALL_SCOPES, apiKey }: { scopes?: string[]; apiKey?: string } = {},
): Promise<Credential> {
	const body = {
		label: `Portfolio ${scopes.length} ${Math.random()}`,
		scopes: scopes.map((scope) => `workflow:${scope}`),
		expiresAt: null,
	};
	const made = await client.session.request<{ rawApiKey: string }>('POST', '/api-keys', body);
	return await client.createCredential({
		name: 'n8n API',
		type: 'n8nApi',
		data: { apiKey: apiKey ?? made.rawApiKey, baseUrl: `${host.url}/api/v1` },
	});
}

export interface Table {
	id: string;
	name: string;
	append(rows: Array<string | null>): Promise<void>;
	clear(): Promise<void>;
	remove(): Promise<void>;
}

/** Makes a data table as a user does; each row is what its `company_number` holds. */
export async function createTable(
	{ client: { session } }: Surroundings,
	name: string,
	rows: Array<string | null>,
): Promise<Table> {
	const project = await session.request<{ id: string }>('GET', '/projects/personal');
	const tables = `/projects/${project.id}/data-tables`;
	const columns = [{ name: 'company_number', type: 'string' }];
	const { id } = await session.request<{ id: string }>('POST', tables, { name, columns });
	const table: Table = {
		id,
		name,
		async append(more) {
			const data = more.map((company_number) => ({ company_number }));
			await session.request('POST', `${tables}/${id}/insert`, { data, returnType: 'count' });
		},
		async clear() {
			const all = { type: 'and', filters: [{ columnName: 'id', condition: 'gt', value: 0 }] };
			const query = new URLSearchParams({ filter: JSON.stringify(all) });
			await session.request('DELETE', `${tables}/${id}/rows?${query}`);
		},
		remove: async () => await session.request('DELETE', `${tables}/${id}`),
	};
	if (rows.length > 0) await table.append(rows);
	return table;
}

/** Imports an example that works on the portfolio's workflow, and fills in what its note says. */
export async function importKeeper(
	{ client }: Surroundings,
	name: 'keep-portfolio-in-step' | 'repair-subscriptions',
	{ portfolio, n8nApi, table }: { portfolio: Portfolio; n8nApi: Credential; table?: Table },
): Promise<WorkflowRecord> {
	const trigger = portfolio.workflow.nodes.find((node) => node.name === 'Company Registry Trigger');
	const [registry] = Object.entries(trigger?.credentials ?? {});
	const credential = { type: registry[0], name: registry[1].name, id: String(registry[1].id) };
	const example = withCredential(exampleWorkflow(name), credential);
	const nodes = example.nodes.map((node) => filledIn(node, { portfolio, n8nApi, table }));
	return await client.createWorkflow({ ...example, nodes });
}

function filledIn(
	node: INode,
	{ portfolio, n8nApi, table }: { portfolio: Portfolio; n8nApi: Credential; table?: Table },
): INode {
	const { type, parameters } = node;
	if (type === 'n8n-nodes-base.n8n') {
		const credentials = { n8nApi: { id: n8nApi.id, name: n8nApi.name } };
		const chosen = { __rl: true, mode: 'list', value: portfolio.workflow.id };
		const workflowId = parameters.operation === 'get' ? chosen : parameters.workflowId;
		return { ...node, credentials, parameters: { ...parameters, workflowId } };
	}
	if (type === 'n8n-nodes-base.dataTable' && table) {
		const dataTableId = { __rl: true, mode: 'name', value: table.name };
		return { ...node, parameters: { ...parameters, dataTableId } };
	}
	// What a person would wait for, and a test need not.
	if (type === 'n8n-nodes-base.wait') {
		return {
			...node,
			parameters: { ...parameters, amount: Math.min(2, Number(parameters.amount)) },
		};
	}
	return node;
}

/** Runs it once from its trigger, as "Execute workflow" does. */
export async function run(
	{ client }: Surroundings,
	{ id, nodes }: WorkflowRecord,
): Promise<Execution> {
	const [trigger] = nodes.filter(({ type }) => type === 'n8n-nodes-base.scheduleTrigger');
	return await client.waitForExecution(await client.runWorkflow(id, trigger.name));
}

/** What a failed run says; throws where it has not failed. */
export function failureOf(execution: Execution): string {
	const error = errorOf(execution);
	if (error === undefined) throw new Error(`The execution ended with ${execution.status}`);
	return error;
}
