import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { openRegistry } from '../shared/registry/registryApi';
import { webhookListSchema } from '../shared/registry/schemas';
import { toPickerError } from './pickerError';

const PAGE = 100;

/**
 * The account's webhooks that match what the user is typing. The service lists all of them at
 * once; the editor gets them a page at a time, the page's start being the token.
 */
export async function searchWebhooks(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken = '0',
): Promise<INodeListSearchResult> {
	try {
		const registry = await openRegistry(this);
		const { data } = await registry.request(
			{ method: 'GET', path: '/v1/webhooks' },
			webhookListSchema,
		);
		const text = filter.trim().toLowerCase();
		const results = data
			.map(({ id, company_number, events, is_active }) => ({
				name: [company_number, events.join(', '), ...(is_active ? [] : ['paused']), id].join(' · '),
				value: id,
			}))
			.filter(({ name }) => name.toLowerCase().includes(text));
		const start = Number(paginationToken);
		const end = start + PAGE;
		return {
			results: results.slice(start, end),
			...(end < results.length ? { paginationToken: String(end) } : {}),
		};
	} catch (error) {
		throw toPickerError(this, error);
	}
}
