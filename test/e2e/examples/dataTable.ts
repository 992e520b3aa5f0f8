import type { N8nSession } from '../../n8n-host/n8nSession';

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
