import type { N8nClient } from '../../n8n-host/n8nClient';

type Row = Record<string, unknown>;

interface DataTable {
	id: string;
	name: string;
	projectId: string;
}

/** Makes a data table with columns of text, as a user does. Answers its id. */
export async function createTable(client: N8nClient, name: string, rows: Row[]): Promise<string> {
	const project = await client.request<{ id: string }>('GET', '/projects/personal');
	const columns = Object.keys(rows[0]).map((title) => ({ name: title, type: 'string' }));
	const path = `/projects/${project.id}/data-tables`;
	const { id } = await client.request<{ id: string }>('POST', path, { name, columns });
	await (await findTable(client, name)).insert(rows);
	return id;
}

/** The data table of that name. */
export async function findTable(client: N8nClient, name: string) {
	const { data: tables } = await client.request<{ data: DataTable[] }>(
		'GET',
		'/data-tables-global',
	);
	const found = tables.find((table) => table.name === name);
	if (!found) throw new Error(`There is no data table ${name}`);
	const path = `/projects/${found.projectId}/data-tables/${found.id}`;
	return {
		async insert(data: Row[]): Promise<void> {
			await client.request('POST', `${path}/insert`, { data, returnType: 'count' });
		},
		/** The newest last, at most 250. */
		async rows(): Promise<Row[]> {
			const all = `${path}/rows?take=250&sortBy=id:desc`;
			const { data } = await client.request<{ data: Row[] }>('GET', all);
			return data.reverse();
		},
	};
}
