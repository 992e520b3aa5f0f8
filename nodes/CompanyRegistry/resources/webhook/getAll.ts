import type { INodeProperties } from 'n8n-workflow';

import type { Webhook } from '../../registry/webhooks';
import { comparableNumber } from '../../shared/companyNumber';
import { companyNumberField } from '../../shared/companyNumberLocator';
import { pagingFields } from '../fields';
import { readCompanyNumber, readFilter, readMaximum, readOption } from '../readParameters';
import type { Item, Operation } from '../run';

const eventFilter: INodeProperties = {
	displayName: 'Event',
	name: 'event',
	type: 'string',
	default: '',
	placeholder: 'e.g. filing.new',
	description: 'Only webhooks with this event',
};

const statusFilter: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	options: [
		{ name: 'Active', value: 'active' },
		{ name: 'Paused', value: 'paused' },
	],
	default: 'active',
	description: 'Only active or only paused webhooks',
};

export const getAll = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		description: "List the account's webhooks, optionally filtered",
		action: 'Get many webhooks',
	},
	fields: [
		...pagingFields,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{
					...companyNumberField,
					required: undefined,
					description: 'Only webhooks of this company',
				},
				eventFilter,
				statusFilter,
			],
		},
	],
	prepare: (item) => {
		const isWanted = readFilters(item);
		const maximum = readMaximum(item);

		return async () => {
			const { webhooks, isWhole } = await item.account.webhooks();
			if (maximum === Infinity && !isWhole) {
				throw item.refuse({
					message: "This node cannot read the whole list of the account's webhooks",
					description:
						"'Return All' would be incomplete. To get the readable webhooks, switch it off and enter a high 'Limit'.",
				});
			}
			return [...webhooks.values()].filter(isWanted).slice(0, maximum);
		};
	},
} satisfies Operation;

/** The service documents no filters, so they apply to its answer. */
function readFilters(item: Item): (webhook: Webhook) => boolean {
	const filters = { ...(item.parameter('filters', {}) as object) };
	const company =
		'companyNumber' in filters ? readCompanyNumber(item, 'filters.companyNumber') : undefined;
	const event = readFilter(item, eventFilter);
	const text = readFilter(item, statusFilter);
	const status = text && readOption(item, statusFilter, text);
	return ({ company_number, events, is_active }) =>
		(company === undefined || comparableNumber(company_number) === company) &&
		(event === '' || events.includes(event)) &&
		(status === '' || is_active === (status === 'active'));
}
