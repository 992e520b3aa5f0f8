import type { IExecuteSingleFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { searchAnswerSchema } from '../../registry/schemas';
import { operationRouting } from '../shared/operationRouting';
import { readLimit, readText } from '../shared/readParameters';
import { refuse } from '../shared/refuse';

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

const limitField: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
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

export const searchOperation: INodePropertyOptions = {
	name: 'Search',
	value: 'search',
	description: 'Find companies by name or number',
	action: 'Search companies',
	routing: operationRouting(async (context, send) => {
		const query = readText(context, queryField, context.getNodeParameter('query', ''));
		if (query === '') {
			throw refuse(context, {
				message: "'Search Text' is empty",
				description: 'Enter a company name, a part of one, or a company number.',
			});
		}
		const status = readStatus(context);
		const maximum = readLimit(context, limitField, context.getNodeParameter('limit', 50));
		const qs = { q: query, items_per_page: maximum };
		const { data } = await send({ method: 'GET', url: '/v1/search', qs }, searchAnswerSchema);
		// The service may send more than it was asked for.
		return data.items
			.filter((item) => status === '' || isSame(item.company_status, status))
			.slice(0, maximum);
	}),
};

export const searchFields: INodeProperties[] = [
	queryField,
	limitField,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		displayOptions: { show: showOnlyForCompanySearch },
		options: [companyStatusField],
	},
];

function isSame(one: string | null | undefined, other: string): boolean {
	return one?.toLowerCase() === other.toLowerCase();
}

function readStatus(context: IExecuteSingleFunctions): string {
	return readText(
		context,
		companyStatusField,
		context.getNodeParameter('options.companyStatus', ''),
	);
}
