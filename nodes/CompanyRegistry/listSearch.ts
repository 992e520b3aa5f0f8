import { compact } from 'lodash';
import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { searchByName } from './registry/companies';
import { toNodeError } from './registry/failure';
import { openRegistry, type Registry } from './registry/registry';
import { listWebhooks, type Webhook } from './registry/webhooks';
import { comparableNumber, normaliseCompanyNumber } from './shared/companyNumber';
import { companyLabel, SEPARATOR } from './shared/companyNumberLocator';

const MAXIMUM_COMPANIES = 20;
/** The editor renders all at once. Its search finds the others. */
const MAXIMUM_WEBHOOKS = 500;

/** Names of companies by number, as far as they are known. */
type Names = ReadonlyMap<string, string | null | undefined>;

export async function searchCompanies(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const text = filter.trim();
	if (text === '') return { results: [] };
	return await offer(this, async (registry) => {
		const { items } = await searchByName(registry, text, MAXIMUM_COMPANIES);
		return items.map(({ company_name, company_number, company_status }) => ({
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
		const [{ webhooks }, names] = await Promise.all([
			listWebhooks(registry),
			searchNames(registry, filter.trim()),
		]);
		const matching = [...webhooks.values()].filter(matches(filter, names));
		const offered = matching.slice(0, MAXIMUM_WEBHOOKS);
		return offered.map((webhook) => ({ name: labelOf(webhook, names), value: webhook.id }));
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

/** Webhooks can be listed without names, so a search that fails gives none. */
async function searchNames(registry: Registry, text: string): Promise<Names> {
	if (text === '') return new Map();
	const nothing = { items: [], unread: 0 };
	const { items } = await searchByName(registry, text, MAXIMUM_COMPANIES).catch(() => nothing);
	return new Map(items.map(({ company_number, company_name }) => [company_number, company_name]));
}

/** Matches any part of the label, the company number in any form, or a company that the search found. */
function matches(filter: string, names: Names): (webhook: Webhook) => boolean {
	const text = filter.trim().toLowerCase();
	const number = normaliseCompanyNumber(filter);
	return (webhook) => {
		const company = comparableNumber(webhook.company_number);
		const label = labelOf(webhook, names).toLowerCase();
		return label.includes(text) || company === number || names.has(company);
	};
}

/** Begins with the company's name if the search found it. */
function labelOf(webhook: Webhook, names: Names): string {
	const { id, company_number, events, is_active } = webhook;
	const company = comparableNumber(company_number);
	const state = is_active ? undefined : 'paused';
	return compact([names.get(company), company, events.join(', '), state, id]).join(SEPARATOR);
}
