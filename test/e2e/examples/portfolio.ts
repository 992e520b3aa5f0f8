import type { INode, INodeParameters } from 'n8n-workflow';

import { exampleWorkflow, withCredential, withMail } from '../../n8n-host/exampleWorkflows';
import { errorOf } from '../../n8n-host/execution';
import type { Credential, Execution, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import type { StoredWebhook } from '../../simulator';
import type { Surroundings } from '../surroundings';
import { publishExample, type ImportedExample } from './importedExample';

/** Enough for a test, whose portfolios are small. */
export const WAIT_SECONDS = 2;

export const ALL_SCOPES = ['read', 'list', 'update', 'activate'];

/** The example watch-portfolio, published with the numbers of the test. */
export interface Portfolio extends ImportedExample {
	/** Numbers of the companies that the service delivers, sorted. */
	watched(): string[];
	/** What its trigger is published with, line by line. */
	publishedNumbers(): Promise<string[]>;
}

export async function publishPortfolio(
	surroundings: Surroundings,
	numbers: string[],
	options: INodeParameters = {},
): Promise<Portfolio> {
	// No mail is sent: nothing listens there.
	const smtp = await surroundings.client.createCredential({
		name: 'No mail server',
		type: 'smtp',
		data: { host: '127.0.0.1', port: 9, secure: false },
	});
	const companies = { companyNumbers: numbers.join('\n'), options };
	const filledIn = { 'Company Registry Trigger': companies };
	const example = await publishExample(surroundings, 'watch-portfolio', { smtp, filledIn });
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
	{ client, host }: Pick<Surroundings, 'client' | 'host'>,
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

/** What the column of numbers holds, or that and a name. */
export type Row = string | null | [number: string | null, name: string];

export interface Table {
	id: string;
	append(rows: Row[]): Promise<void>;
	rows(): Promise<Array<{ [column: string]: unknown }>>;
	clear(): Promise<void>;
	remove(): Promise<void>;
}

/** Makes a data table as a user does, with columns of numbers and names. */
export async function createTable(
	{ client: { session } }: Pick<Surroundings, 'client'>,
	name: string,
	rows: Row[],
	column = 'company_number',
): Promise<Table> {
	const project = await session.request<{ id: string }>('GET', '/projects/personal');
	const tables = `/projects/${project.id}/data-tables`;
	const columns = [column, 'name'].map((title) => ({ name: title, type: 'string' }));
	const { id } = await session.request<{ id: string }>('POST', tables, { name, columns });
	const table: Table = {
		id,
		async append(more) {
			const data = more.map((row) => {
				const [number, title] = Array.isArray(row) ? row : [row, null];
				return { [column]: number, name: title };
			});
			await session.request('POST', `${tables}/${id}/insert`, { data, returnType: 'count' });
		},
		async rows() {
			const { data } = await session.request<{ data: Array<{ [column: string]: unknown }> }>(
				'GET',
				`${tables}/${id}/rows?sortBy=id:asc`,
			);
			return data;
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

/** What the note of keep-portfolio-in-step has the user fill in. */
export interface Choices {
	workflowId: string;
	registry: Credential;
	n8nApi: Credential;
	table?: Pick<Table, 'id'>;
	/** How long n8n is given to publish before each look; as the example has it unless told. */
	waitSeconds?: number;
	/**
	 * Where its mails go, and then nothing else is changed. Without one it sends none, and n8n keeps
	 * its executions, to be looked at.
	 */
	smtp?: Credential;
}

const KEPT = { saveDataSuccessExecution: 'all', saveDataErrorExecution: 'all', saveManualExecutions: true } as const;

/** Imports keep-portfolio-in-step. */
export async function importKeeper(
	{ client }: Pick<Surroundings, 'client'>,
	choices: Choices,
): Promise<WorkflowRecord> {
	const example = withCredential(exampleWorkflow('keep-portfolio-in-step'), choices.registry);
	const nodes = example.nodes.map((node) => filledIn(node, choices));
	if (choices.smtp) return await client.createWorkflow(withMail({ ...example, nodes }, choices.smtp));
	return await client.createWorkflow({
		...example,
		nodes: nodes.map((node) => (isMail(node) ? { ...node, disabled: true } : node)),
		settings: { ...example.settings, ...KEPT },
	});
}

const isMail = ({ type }: INode) => type === 'n8n-nodes-base.emailSend';

function filledIn(node: INode, choices: Choices): INode {
	const { workflowId, n8nApi, table, waitSeconds } = choices;
	const change = (changes: INode['parameters'], more: Partial<INode> = {}) => ({
		...node,
		...more,
		parameters: { ...node.parameters, ...changes },
	});
	if (node.type === 'n8n-nodes-base.n8n') {
		const credentials = { n8nApi: { id: n8nApi.id, name: n8nApi.name } };
		const chosen = { workflowId: { __rl: true, mode: 'list', value: workflowId } };
		return change(node.parameters.operation === 'get' ? chosen : {}, { credentials });
	}
	if (node.type === 'n8n-nodes-base.dataTable' && table) {
		return change({ dataTableId: { __rl: true, mode: 'list', value: table.id } });
	}
	const isShorter = node.name === 'Give It Time' && waitSeconds !== undefined;
	return isShorter ? change({ amount: waitSeconds }) : node;
}

/** Runs it once from its trigger, as "Execute workflow" does. */
export async function run(
	{ client }: Surroundings,
	{ id, nodes }: WorkflowRecord,
): Promise<Execution> {
	const [trigger] = nodes.filter(({ type }) => type === 'n8n-nodes-base.scheduleTrigger');
	return await client.waitForExecution(await client.runWorkflow(id, trigger.name));
}

/** Waits until nothing is left of an execution. */
export async function untilForgotten({ client }: Surroundings, id: string): Promise<void> {
	await waitFor(`execution ${id} to be forgotten`, async () => {
		return await client.execution(id).then(
			() => false,
			() => true,
		);
	});
}

/** What a failed run says; throws where it has not failed. */
export function failureOf(execution: Execution): string {
	const error = errorOf(execution);
	if (error === undefined) throw new Error(`The execution ended with ${execution.status}`);
	return error;
}
