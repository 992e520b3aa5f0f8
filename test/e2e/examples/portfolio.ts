import type { INode } from 'n8n-workflow';

import {
	exampleWorkflow,
	withCredential,
	withMail,
	withParameters,
} from '../../n8n-host/exampleWorkflows';
import type { N8nSession } from '../../n8n-host/n8nSession';
import type { Credential, WorkflowFile, WorkflowRecord } from '../../n8n-host/n8nTypes';
import type { Surroundings } from '../surroundings';
import { publishExample } from './importedExample';

export const ALL_SCOPES = ['read', 'list', 'update', 'activate'];

export type Portfolio = Awaited<ReturnType<typeof publishPortfolio>>;

/** The example watch-portfolio, published with these numbers. */
export async function publishPortfolio(surroundings: Surroundings, numbers: string[]) {
	// No mail is sent: nothing listens there.
	const smtp = await surroundings.client.createCredential({
		name: 'No mail server',
		type: 'smtp',
		data: { host: '127.0.0.1', port: 9, secure: false },
	});
	const events = ['filing.new'];
	const filledIn = { 'Company Registry Trigger': { companyNumbers: numbers.join('\n'), events } };
	const example = await publishExample(surroundings, 'watch-portfolio', { smtp, filledIn });
	return {
		...example,
		/** Numbers of the companies that the service delivers, sorted. */
		watched: () =>
			example
				.webhooks()
				.filter(({ is_active }) => is_active)
				.map(({ company_number }) => company_number)
				.sort(),
		/** What its trigger is published with, line by line. */
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

/** A data table with columns of numbers and names. */
export type Table = Awaited<ReturnType<typeof createTable>>;

/** Makes one as a user does. */
export async function createTable(
	{ client: { session } }: Pick<Surroundings, 'client'>,
	name: string,
	rows: Row[],
) {
	const project = await session.request<{ id: string }>('GET', '/projects/personal');
	const tables = `/projects/${project.id}/data-tables`;
	const columns = ['company_number', 'name'].map((title) => ({ name: title, type: 'string' }));
	const { id } = await session.request<{ id: string }>('POST', tables, { name, columns });
	const table = dataTable(session, `${tables}/${id}`);
	const append = async (more: Row[]) =>
		await table.insert(
			more.map((row) => {
				const [number, title] = Array.isArray(row) ? row : [row, null];
				return { company_number: number, name: title };
			}),
		);
	await append(rows);
	return { id, append, rows: table.rows };
}

/** The data table at that path of n8n's REST interface. */
export function dataTable(session: N8nSession, path: string) {
	return {
		async insert(data: object[]): Promise<void> {
			await session.request('POST', `${path}/insert`, { data, returnType: 'count' });
		},
		/** The newest last, of which there are 250 at most. */
		async rows() {
			const all = `${path}/rows?take=250&sortBy=id:desc`;
			const { data } = await session.request<{ data: Array<Record<string, unknown>> }>('GET', all);
			return data.reverse();
		},
	};
}

/**
 * Imports keep-portfolio-in-step and fills in what its note says. With `smtp` nothing else is changed but the
 * settings, if told; without it it sends no mail, and n8n keeps its executions, to be looked at.
 */
export async function importKeeper(
	{ client }: Pick<Surroundings, 'client'>,
	{ workflow: { id }, credential }: Portfolio,
	table: Pick<Table, 'id'>,
	n8nApi: Credential,
	smtp?: Credential,
	settings?: WorkflowFile['settings'],
): Promise<WorkflowRecord> {
	let example = withCredential(exampleWorkflow('keep-portfolio-in-step'), credential);
	for (const [node, parameters] of Object.entries({
		'Read Workflow': { workflowId: { __rl: true, mode: 'list', value: id } },
		'Read Table': { dataTableId: { __rl: true, mode: 'list', value: table.id } },
	})) {
		example = withParameters(example, node, parameters);
	}
	example.nodes = withN8nApi(example.nodes, n8nApi);
	if (smtp) {
		const filledIn = withMail(example, smtp);
		return await client.createWorkflow({ ...filledIn, settings: settings ?? filledIn.settings });
	}
	example = withParameters(example, 'Compare with Account', { failIfSaved: false });
	return await client.createWorkflow({
		...example,
		nodes: example.nodes.map((node) =>
			node.name === 'Send Email' ? { ...node, disabled: true } : node,
		),
		settings: {
			...example.settings,
			saveDataSuccessExecution: 'all',
			saveDataErrorExecution: 'all',
			saveManualExecutions: true,
		},
	});
}

/** The nodes with that credential in each that asks n8n's own API. */
export function withN8nApi(nodes: INode[], { id, name }: Credential): INode[] {
	const credentials = { n8nApi: { id, name } };
	return nodes.map((node) =>
		node.type === 'n8n-nodes-base.n8n' ? { ...node, credentials } : node,
	);
}
