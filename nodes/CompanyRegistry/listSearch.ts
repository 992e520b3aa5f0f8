import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { toNodeError } from './registry/failure';
import { openRegistry } from './registry/registry';
import { searchAnswerSchema } from './registry/schemas';
import { listWebhooks, type Webhook } from './registry/webhooks';
import { comparableNumber, normaliseCompanyNumber } from './shared/companyNumber';
import { companyLabel } from './shared/companyNumberLocator';

const MAXIMUM_COMPANIES = 20;
const WEBHOOKS_PER_PAGE = 100;

export async function searchCompanies(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const text = filter.trim();
	if (text === '') return { results: [] };
	try {
		const registry = await openRegistry(this);
		const { data } = await registry.request(
			{ method: 'GET', path: '/v1/search', qs: { q: text, items_per_page: MAXIMUM_COMPANIES } },
			searchAnswerSchema,
		);
		return {
			results: data.items.map(({ company_name, company_number, company_status }) => ({
				name: companyLabel(company_name, company_number, company_status),
				value: company_number,
			})),
		};
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

/** The editor gets one page at a time. @param paginationToken index of the page's first webhook */
export async function searchWebhooks(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken = '0',
): Promise<INodeListSearchResult> {
	try {
		const registry = await openRegistry(this);
		const webhooks = [...(await listWebhooks(registry)).webhooks.values()];
		const results = webhooks.filter(matches(filter)).map((webhook) => ({
			name: labelOf(webhook),
			value: webhook.id,
		}));
		const start = Number(paginationToken);
		const end = start + WEBHOOKS_PER_PAGE;
		return {
			results: results.slice(start, end),
			...(end < results.length ? { paginationToken: String(end) } : {}),
		};
	} catch (error) {
		throw toNodeError(this.getNode(), error);
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
