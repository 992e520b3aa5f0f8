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

/** Sizes at which services often cut an answer short. */
const USUAL_CAPS = [10, 20, 50, 100];

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
			const { items, unread } = await searchByName(registry, query, maximum, signal);
			if (unread > 0) hints.add('The output omits companies with an unreadable number.');
			const more = moreThanFound(items.length + unread, maximum);
			if (more !== undefined) hints.add(more);
			return items.slice(0, maximum);
		};
	},
} satisfies Operation;

/** A hint where the service may have found more companies than it returned. */
function moreThanFound(count: number, maximum: number): string | undefined {
	if (count >= maximum) {
		return "A search reached its 'Limit', so there may be more companies. Raise 'Limit', or enter more of the name.";
	}
	if (!USUAL_CAPS.includes(count)) return undefined;
	return `A search returned exactly ${count} companies, fewer than its 'Limit'. The service may cap its answers, so there may be more companies. Enter more of the name.`;
}
