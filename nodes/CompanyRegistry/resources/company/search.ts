import type { INodeProperties } from 'n8n-workflow';

import { searchByName } from '../../registry/companies';
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

const MAY_BE_MORE =
	"A search reached its 'Limit', so there may be more companies. Raise 'Limit', or enter more of the name.";

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
		return async () => {
			const { registry, signal, hints } = item.account;
			const found = await searchByName(registry, query, maximum, signal);
			if (found.length >= maximum) hints.add(MAY_BE_MORE);
			return found.slice(0, maximum);
		};
	},
} satisfies Operation;
