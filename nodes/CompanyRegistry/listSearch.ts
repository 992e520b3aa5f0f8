import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { toNodeError } from './registry/failure';
import { openRegistry } from './registry/registry';
import { searchAnswerSchema } from './registry/schemas';
import { listWebhooks, type Webhook } from './registry/webhooks';
import { comparableNumber, normaliseCompanyNumber } from './shared/companyNumber';
import { companyLabel } from './shared/companyNumberLocator';

const COMPANIES = 20;
const WEBHOOKS = 100;

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
			{ method: 'GET', path: '/v1/search', qs: { q: text, items_per_page: COMPANIES } },
			searchAnswerSchema,
		);
		return {
			results: data.items.map((company) => ({
				name: companyLabel(company),
				value: company.company_number,
			})),
		};
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

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
		const webhooks = [...(await listWebhooks(registry)).webhooks.values()];
		const results = webhooks.filter(matches(filter)).map((webhook) => ({
			name: nameOf(webhook),
			value: webhook.id,
		}));
		const start = Number(paginationToken);
		const end = start + WEBHOOKS;
		return {
			results: results.slice(start, end),
			...(end < results.length ? { paginationToken: String(end) } : {}),
		};
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

/** Any part of what the list shows, or the company's number in any form. */
function matches(filter: string): (webhook: Webhook) => boolean {
	const text = filter.trim().toLowerCase();
	const number = normaliseCompanyNumber(filter);
	return (webhook) =>
		nameOf(webhook).toLowerCase().includes(text) ||
		comparableNumber(webhook.company_number) === number;
}

function nameOf({ id, company_number, events, is_active }: Webhook): string {
	const state = is_active ? [] : ['paused'];
	return [comparableNumber(company_number), events.join(', '), ...state, id].join(' · ');
}
