import type { INodeProperties } from 'n8n-workflow';

import { searchAnswerSchema } from '../../registry/schemas';
import { limitField } from '../fields';
import { readLimit, readText, refuseValue } from '../readParameters';
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

export const search = {
	option: {
		name: 'Search',
		value: 'search',
		description: 'Find companies by name',
		action: 'Search companies',
	},
	fields: [queryField, limitField],
	prepare: (item) => {
		const query = readText(item, queryField, item.parameter('query', ''));
		if (query === '') {
			throw refuseValue(item, queryField, query, 'Enter a company name or part of one.');
		}
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
			return data.items.slice(0, maximum);
		};
	},
} satisfies Operation;
