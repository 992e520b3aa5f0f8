import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { companyLabel } from '../shared/companyLabel';
import { comparableNumber } from '../shared/companyNumber';
import { toNodeError } from '../registry/failure';
import { openRegistry } from '../registry/registry';
import { searchAnswerSchema } from '../registry/schemas';

const RESULTS = 20;

/** What the service finds for what the user is typing. */
export async function searchCompanies(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const text = filter.trim();
	if (text === '') return { results: [] };
	try {
		const registry = await openRegistry(this);
		const { data } = await registry.request(
			{ method: 'GET', path: '/v1/search', qs: { q: text, items_per_page: RESULTS } },
			searchAnswerSchema,
		);
		return {
			results: data.items.map((company) => ({
				name: companyLabel(company),
				value: comparableNumber(company.company_number),
			})),
		};
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}
