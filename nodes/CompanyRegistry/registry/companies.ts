import type { Registry } from './registry';
import { searchAnswerSchema, type FoundCompany } from './schemas';

interface SearchResult {
	/** The service may return more than the limit. */
	items: FoundCompany[];
	/** Number of unreadable rows. */
	unread: number;
}

/** @throws RegistryFailure */
export async function searchByName(
	registry: Registry,
	name: string,
	limit: number,
	signal?: AbortSignal,
): Promise<SearchResult> {
	const qs = { q: name, items_per_page: limit };
	const request = { method: 'GET', path: '/v1/search', qs } as const;
	return (await registry.request(request, searchAnswerSchema, signal)).data;
}
