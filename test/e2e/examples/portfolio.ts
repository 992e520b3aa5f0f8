import type { INode } from 'n8n-workflow';

import { exampleWorkflow, withCredential, withMail } from '../../n8n-host/exampleWorkflows';
import type { Credential, Execution, WorkflowRecord } from '../../n8n-host/n8nTypes';
import type { Surroundings } from '../surroundings';
import { publishExample, type ImportedExample } from './importedExample';

/** For n8n to publish, before each look at it: enough for a test, whose portfolios are small. */
const WAIT_SECONDS = 2;

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
): Promise<Portfolio> {
	// No mail is sent: nothing listens there.
	const smtp = await surroundings.client.createCredential({
		name: 'No mail server',
		type: 'smtp',
		data: { host: '127.0.0.1', port: 9, secure: false },
	});
	const filledIn = { 'Company Registry Trigger': { companyNumbers: numbers.join('\n') } };
	const example = await publishExample(surroundings, 'watch-portfolio', { smtp, filledIn });
	const active = () => example.webhooks().filter(({ is_active }) => is_active);
	return {
		...example,
		watched: () =>
			active()
				.map(({ company_number }) => company_number)
				.sort(),
		async publishedNumbers() {
			const { activeVersion } = await surroundings.client.session.request<{
				activeVersion: { nodes: INode[] };
			}>('GET', `/workflows/${example.workflow.id}`);
			const trigger = activeVersion.nodes.find(({ name }) => name === 'Company Registry Trigger');
			return String(trigger?.parameters.companyNumbers).split('\n');
		},
	};
}

/** A credential with a new key to n8n's own API; of all the scopes that a workflow needs unless told. */
export async function n8nApiCredential(
	{ client, host }: Pick<Surroundings, 'client' | 'host'>,
	scopes = ALL_SCOPES,
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
		data: { apiKey: made.rawApiKey, baseUrl: `${host.url}/api/v1` },
	});
}

/** What the column of numbers holds, or that and a name. */
export type Row = string | null | [number: string | null, name: string];

export interface Table {
	id: string;
	append(rows: Row[]): Promise<void>;
	rows(): Promise<Array<{ [column: string]: unknown }>>;
}

/** Makes a data table as a user does, with columns of numbers and names. */
export async function createTable(
	{ client: { session } }: Pick<Surroundings, 'client'>,
	name: string,
	rows: Row[],
): Promise<Table> {
	const project = await session.request<{ id: string }>('GET', '/projects/personal');
	const tables = `/projects/${project.id}/data-tables`;
	const columns = ['company_number', 'name'].map((title) => ({ name: title, type: 'string' }));
	const { id } = await session.request<{ id: string }>('POST', tables, { name, columns });
	const table: Table = {
		id,
		async append(more) {
			const data = more.map((row) => {
				const [number, title] = Array.isArray(row) ? row : [row, null];
				return { company_number: number, name: title };
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
	};
	if (rows.length > 0) await table.append(rows);
	return table;
}

/** What the note of keep-portfolio-in-step has the user fill in. */
export interface Choices {
	workflowId: string;
	registry: Credential;
	n8nApi: Credential;
	table: Table;
	/**
	 * Where its mails go, and then nothing else is changed. Without one it sends none, and n8n keeps
	 * its executions, to be looked at.
	 */
	smtp?: Credential;
}

const KEPT = {
	saveDataSuccessExecution: 'all',
	saveDataErrorExecution: 'all',
	saveManualExecutions: true,
} as const;

/** Imports keep-portfolio-in-step. */
export async function importKeeper(
	{ client }: Pick<Surroundings, 'client'>,
	choices: Choices,
): Promise<WorkflowRecord> {
	const example = withCredential(exampleWorkflow('keep-portfolio-in-step'), choices.registry);
	const nodes = example.nodes.map((node) => filledIn(node, choices));
	if (choices.smtp)
		return await client.createWorkflow(withMail({ ...example, nodes }, choices.smtp));
	return await client.createWorkflow({
		...example,
		nodes: nodes.map((node) => (isMail(node) ? { ...node, disabled: true } : node)),
		settings: { ...example.settings, ...KEPT },
	});
}

const isMail = ({ type }: INode) => type === 'n8n-nodes-base.emailSend';

function filledIn(node: INode, choices: Choices): INode {
	const { workflowId, n8nApi, table } = choices;
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
	if (node.type === 'n8n-nodes-base.dataTable') {
		return change({ dataTableId: { __rl: true, mode: 'list', value: table.id } });
	}
	return node.name === 'Give It Time' ? change({ amount: WAIT_SECONDS }) : node;
}

/** Runs it once from its trigger, as "Execute workflow" does. */
export async function run(
	{ client }: Surroundings,
	{ id, nodes }: WorkflowRecord,
): Promise<Execution> {
	const [trigger] = nodes.filter(({ type }) => type === 'n8n-nodes-base.scheduleTrigger');
	return await client.waitForExecution(await client.runWorkflow(id, trigger.name));
}
