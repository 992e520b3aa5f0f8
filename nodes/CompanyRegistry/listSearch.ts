import { compact } from 'lodash';
import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { searchByName } from './registry/companies';
import { toNodeError } from './registry/failure';
import { openRegistry, type Registry } from './registry/registry';
import { listWebhooks, type Webhook } from './registry/webhooks';
import { comparableNumber, normaliseCompanyNumber } from './shared/companyNumber';
import { companyLabel, LABEL_SEPARATOR } from './shared/companyNumberLocator';

const MAXIMUM_COMPANIES = 20;
/** The editor renders all at once. Its search finds the others. */
const MAXIMUM_WEBHOOKS = 500;

export async function searchCompanies(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const text = filter.trim();
	if (text === '') return { results: [] };
	return await offer(this, async (registry) => {
		const companies = await searchByName(registry, text, MAXIMUM_COMPANIES);
		return companies.map(({ company_name, company_number, company_status }) => ({
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
	const state = is_active ? undefined : 'paused';
	const parts = [comparableNumber(company_number), events.join(', '), state, id];
	return compact(parts).join(LABEL_SEPARATOR);
}
