import type { INodeProperties } from 'n8n-workflow';

import { searchAnswerSchema } from '../../registry/schemas';
import { limitField } from '../fields';
import { readLimit, readText } from '../readParameters';
import type { Operation } from '../run';

const showOnlyForCompanySearch = { resource: ['company'], operation: ['search'] };

const queryField: INodeProperties = {
	displayName: 'Search Text',
	name: 'query',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. Tessellate',
	description: 'A company name, a part of one, or a company number',
	displayOptions: { show: showOnlyForCompanySearch },
};

const companyStatusField: INodeProperties = {
	displayName: 'Company Status',
	name: 'companyStatus',
	type: 'string',
	default: '',
	placeholder: 'e.g. active',
	description:
		'Keep only the companies with this status, spelled as in the results. Applied to what the search returned, so fewer than the limit may remain.',
};

export const search: Operation = {
	option: {
		name: 'Search',
		value: 'search',
		description: 'Find companies by name or number',
		action: 'Search companies',
	},
	fields: [
		queryField,
		limitField(showOnlyForCompanySearch),
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			displayOptions: { show: showOnlyForCompanySearch },
			options: [companyStatusField],
		},
	],
	prepare: (item) => {
		const query = readText(item, queryField, item.parameter('query', ''));
		if (query === '') {
			throw item.refuse({
				message: "'Search Text' is empty",
				description: 'Enter a company name, a part of one, or a company number.',
			});
		}
		const option = item.parameter('options.companyStatus', '');
		const status = readText(item, companyStatusField, option).toLowerCase();
		const maximum = readLimit(item);
		const qs = { q: query, items_per_page: maximum };
		return async () => {
			const { registry, signal } = item.account;
			const request = { method: 'GET', path: '/v1/search', qs } as const;
			const { data } = await registry.request(request, searchAnswerSchema, signal);
			// The service may send more than it was asked for.
			return data.items
				.filter((company) => status === '' || company.company_status?.toLowerCase() === status)
				.slice(0, maximum);
		};
	},
};
