import type { INodeProperties } from 'n8n-workflow';

import { searchAnswerSchema } from '../../registry/schemas';
import { limitField } from '../fields';
import { readFilter, readLimit, readText } from '../readParameters';
import type { Operation } from '../run';

const queryField: INodeProperties = {
	displayName: 'Search Text',
	name: 'query',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. Tessellate',
	description:
		'A company name or a part of one. A number is sent as well, but whether the service finds by it is not documented.',
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

export const search = {
	option: {
		name: 'Search',
		value: 'search',
		description: 'Find companies by name',
		action: 'Search companies',
	},
	fields: [
		queryField,
		limitField,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [companyStatusField],
		},
	],
	prepare: (item) => {
		const query = readText(item, queryField, item.parameter('query', ''));
		if (query === '') {
			throw item.refuse({
				message: "'Search Text' is empty",
				description: 'Enter a company name or a part of one.',
			});
		}
		const status = readFilter(item, 'options', companyStatusField).toLowerCase();
		const maximum = readLimit(item);
		const qs = { q: query, items_per_page: maximum };
		return async () => {
			const { registry, signal, hints } = item.account;
			const request = { method: 'GET', path: '/v1/search', qs } as const;
			const { data } = await registry.request(request, searchAnswerSchema, signal);
			if (data.unread > 0) hints.add('Companies whose number cannot be read are left out.');
			if (data.items.length + data.unread >= maximum) {
				hints.add(
					"A search found as many companies as 'Limit' lets through, so there may be more. Raise 'Limit', or enter more of the name: the service documents no further pages.",
				);
			}
			// The service may send more than it was asked for.
			return data.items
				.filter((company) => status === '' || company.company_status?.toLowerCase() === status)
				.slice(0, maximum);
		};
	},
} satisfies Operation;
