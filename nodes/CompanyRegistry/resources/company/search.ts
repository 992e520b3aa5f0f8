import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { searchAnswerSchema } from '../../shared/registry/schemas';
import { operationRouting } from '../shared/operationRouting';
import { refuse } from '../shared/refuse';

const showOnlyForCompanySearch = { resource: ['company'], operation: ['search'] };

export const searchOperation: INodePropertyOptions = {
	name: 'Search',
	value: 'search',
	description: 'Find companies by name or number',
	action: 'Search companies',
	routing: operationRouting({
		method: 'GET',
		url: '/v1/search',
		prepare(context, options) {
			const query = String(context.getNodeParameter('query', '')).trim();
			if (query === '') {
				throw refuse(context, {
					message: "'Search Text' is empty",
					description: 'Enter a company name, a part of one, or a company number.',
				});
			}
			options.qs = { q: query, items_per_page: context.getNodeParameter('limit', 50) };
		},
		schema: searchAnswerSchema,
		read({ data }, context) {
			const status = String(context.getNodeParameter('options.companyStatus', '')).trim();
			const limit = Number(context.getNodeParameter('limit', 50));
			// The service need not keep to the number that it was asked for.
			return data.items
				.filter((item) => status === '' || isSame(item.company_status, status))
				.slice(0, limit);
		},
	}),
};

export const searchFields: INodeProperties[] = [
	{
		displayName: 'Search Text',
		name: 'query',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. Tesco',
		description: 'A company name, a part of one, or a company number',
		displayOptions: { show: showOnlyForCompanySearch },
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: showOnlyForCompanySearch },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		displayOptions: { show: showOnlyForCompanySearch },
		options: [
			{
				displayName: 'Company Status',
				name: 'companyStatus',
				type: 'string',
				default: '',
				placeholder: 'e.g. active',
				description:
					'Keep only the companies with this status, spelled as in the results. Applied to what the search returned, so fewer than the limit may remain.',
			},
		],
	},
];

function isSame(one: string | null | undefined, other: string): boolean {
	return one?.toLowerCase() === other.toLowerCase();
}
