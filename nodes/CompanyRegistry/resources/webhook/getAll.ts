import type {
	IDataObject,
	IExecuteSingleFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { Webhook } from '../../registry/schemas';
import { comparableNumber } from '../../shared/companyNumber';
import { companyNumberLocator, readCompanyNumber } from '../../shared/companyNumberLocator';
import { readBoolean, readLimit, readOption, readText } from '../shared/readParameters';
import { operationRouting } from '../shared/operationRouting';
import { readAccountWebhooks } from './shared/accountWebhooks';

const showOnlyForWebhookGetAll = { resource: ['webhook'], operation: ['getAll'] };

const returnAllField: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
	displayOptions: { show: showOnlyForWebhookGetAll },
};

const limitField: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { ...showOnlyForWebhookGetAll, returnAll: [false] } },
};

const eventFilter: INodeProperties = {
	displayName: 'Event',
	name: 'event',
	type: 'string',
	default: '',
	placeholder: 'e.g. filing.new',
	description: 'Only webhooks that include the event of this name',
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
	description: 'Active or paused webhooks only',
};

export const getAllOperation: INodePropertyOptions = {
	name: 'Get Many',
	value: 'getAll',
	description: "List the account's webhooks, optionally filtered",
	action: 'Get many webhooks',
	routing: operationRouting(async (context, send) => {
		const isWanted = readFilter(context);
		const maximum = readMaximum(context);
		const webhooks = [...(await readAccountWebhooks(context, send)).values()];
		return webhooks.filter(isWanted).slice(0, maximum);
	}),
};

/** The service's list takes no parameters, so the filters are applied to its answer. */
function readFilter(context: IExecuteSingleFunctions): (webhook: Webhook) => boolean {
	const filters = { ...(context.getNodeParameter('filters', {}) as IDataObject) };
	const companyNumber = isFilled(filters.companyNumber)
		? readCompanyNumber(context, 'filters.companyNumber')
		: undefined;
	const event = readText(context, eventFilter, filters.event);
	const status = readText(context, statusFilter, filters.status)
		? readOption(context, statusFilter, filters.status)
		: '';
	return (webhook) =>
		(companyNumber === undefined || comparableNumber(webhook.company_number) === companyNumber) &&
		(event === '' || webhook.events.includes(event)) &&
		(status === '' || webhook.is_active === (status === 'active'));
}

/** How many to return at most. */
function readMaximum(context: IExecuteSingleFunctions): number {
	const returnsAll = readBoolean(
		context,
		returnAllField,
		context.getNodeParameter('returnAll', false),
	);
	return returnsAll
		? Infinity
		: readLimit(context, limitField, context.getNodeParameter('limit', 50));
}

function isFilled(locator: unknown): boolean {
	const isLocator = typeof locator === 'object' && locator !== null && 'value' in locator;
	return (isLocator ? locator.value : (locator ?? '')) !== '';
}

export const getAllFields: INodeProperties[] = [
	returnAllField,
	limitField,
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		displayOptions: { show: showOnlyForWebhookGetAll },
		options: [
			companyNumberLocator({ required: undefined, description: 'Only webhooks of this company' }),
			eventFilter,
			statusFilter,
		],
	},
];
