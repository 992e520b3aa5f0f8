import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { toNodeError } from './registry/failure';
import { openRegistry, type Registry } from './registry/registry';
import { searchAnswerSchema } from './registry/schemas';
import { listWebhooks, type Webhook } from './registry/webhooks';
import { comparableNumber, normaliseCompanyNumber } from './shared/companyNumber';
import { companyLabel } from './shared/companyNumberLocator';

const MAXIMUM_COMPANIES = 20;
/** The editor renders all at once. Its search finds the others. */
const MAXIMUM_WEBHOOKS = 500;

export async function searchCompanies(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const q = filter.trim();
	if (q === '') return { results: [] };
	return await offer(this, async (registry) => {
		const qs = { q, items_per_page: MAXIMUM_COMPANIES };
		const request = { method: 'GET', path: '/v1/search', qs } as const;
		const { data } = await registry.request(request, searchAnswerSchema);
		return data.items.map(({ company_name, company_number, company_status }) => ({
			name: companyLabel(company_name, company_number, company_status),
			value: company_number,
		}));
	});
}

export async function searchWebhooks(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	return await offer(this, async (registry) => {
		const { webhooks } = await listWebhooks(registry);
		const matching = [...webhooks.values()].filter(matches(filter));
		const offered = matching.slice(0, MAXIMUM_WEBHOOKS);
		return offered.map((webhook) => ({ name: labelOf(webhook), value: webhook.id }));
	});
}

async function offer(
	context: ILoadOptionsFunctions,
	find: (registry: Registry) => Promise<INodeListSearchResult['results']>,
): Promise<INodeListSearchResult> {
	try {
		return { results: await find(await openRegistry(context)) };
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}

/** Matches any part of the label, or the company number in any form. */
function matches(filter: string): (webhook: Webhook) => boolean {
	const text = filter.trim().toLowerCase();
	const number = normaliseCompanyNumber(filter);
	return (webhook) =>
		labelOf(webhook).toLowerCase().includes(text) ||
		comparableNumber(webhook.company_number) === number;
}

function labelOf({ id, company_number, events, is_active }: Webhook): string {
	const state = is_active ? [] : ['paused'];
	return [comparableNumber(company_number), events.join(', '), ...state, id].join(' · ');
}
