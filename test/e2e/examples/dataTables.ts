import type { N8nClient } from '../../n8n-host/n8nClient';
import type { N8nSession } from '../../n8n-host/n8nSession';

type Row = Record<string, unknown>;

/** Makes a data table with columns of text, as a user does. */
export async function createTable({ session }: N8nClient, name: string, rows: Row[]) {
	const project = await session.request<{ id: string }>('GET', '/projects/personal');
	const path = `/projects/${project.id}/data-tables`;
	const columns = Object.keys(rows[0]).map((title) => ({ name: title, type: 'string' }));
	const { id } = await session.request<{ id: string }>('POST', path, { name, columns });
	const table = dataTable(session, `${path}/${id}`);
	await table.insert(rows);
	return { id, ...table };
}

/** The data table of that name, which an example has made. */
export async function findTable({ session }: N8nClient, name: string) {
	const { data } = await session.request<{
		data: Array<{ id: string; name: string; projectId: string }>;
	}>('GET', '/data-tables-global');
	const found = data.find((table) => table.name === name);
	if (!found) throw new Error(`There is no data table ${name}`);
	return dataTable(session, `/projects/${found.projectId}/data-tables/${found.id}`);
}

function dataTable(session: N8nSession, path: string) {
	return {
		async insert(data: Row[]): Promise<void> {
			await session.request('POST', `${path}/insert`, { data, returnType: 'count' });
		},
		/** The newest last, at most 250. */
		async rows(): Promise<Row[]> {
			const all = `${path}/rows?take=250&sortBy=id:desc`;
			const { data } = await session.request<{ data: Row[] }>('GET', all);
			return data.reverse();
		},
	};
}
