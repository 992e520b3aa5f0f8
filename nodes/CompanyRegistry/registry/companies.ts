import type { Registry } from './registry';
import { searchAnswerSchema, type FoundCompany } from './schemas';

/** The service may return more companies than the limit. @throws RegistryFailure */
export async function searchByName(
	registry: Registry,
	name: string,
	limit: number,
	signal?: AbortSignal,
): Promise<FoundCompany[]> {
	const qs = { q: name, items_per_page: limit };
	const request = { method: 'GET', path: '/v1/search', qs } as const;
	return await registry.request(request, searchAnswerSchema, signal);
}
