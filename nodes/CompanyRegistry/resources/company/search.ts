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
	description: 'A company name or part of one. The service does not document a search by number.',
};

const companyStatusField: INodeProperties = {
	displayName: 'Company Status',
	name: 'companyStatus',
	type: 'string',
	default: '',
	placeholder: 'e.g. active',
	description:
		'Keep only companies with this status, as spelled in the results. This node filters after the search, so you may get fewer companies than the limit.',
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
				description: 'Enter a company name or part of one.',
			});
		}
		const status = readFilter(item, 'options', companyStatusField).toLowerCase();
		const maximum = readLimit(item);
		const qs = { q: query, items_per_page: maximum };
		return async () => {
			const { registry, signal, hints } = item.account;
			const request = { method: 'GET', path: '/v1/search', qs } as const;
			const { data } = await registry.request(request, searchAnswerSchema, signal);
			if (data.unread > 0) hints.add('The output omits companies with an unreadable number.');
			if (data.items.length + data.unread >= maximum) {
				hints.add(
					"A search reached its 'Limit', so there may be more companies. Raise 'Limit', or enter more of the name.",
				);
			}
			// The service may return more companies than requested.
			return data.items
				.filter((company) => status === '' || company.company_status?.toLowerCase() === status)
				.slice(0, maximum);
		};
	},
} satisfies Operation;
