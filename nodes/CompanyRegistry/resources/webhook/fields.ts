import { castArray, isString } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';

import { chosenEvents, eventOptions } from '../../shared/events';
import { readText, refuseValue } from '../readParameters';
import type { Item } from '../run';

export const urlField: INodeProperties = {
	displayName: 'Delivery URL',
	name: 'url',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://example.com/company-events',
	description: 'Address that receives the events. It must start with https.',
};

export const eventsField: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	options: eventOptions,
	default: ['filing.new'],
	description: 'Events that the service sends to the URL',
};

export const additionalEventsField: INodeProperties = {
	displayName: 'Additional Events',
	name: 'additionalEvents',
	type: 'string',
	default: '',
	placeholder: "e.g. event names from the service's reference",
	description: 'Names of other events of the service, separated by commas, spaces or new lines',
};

export const eventsModeField: INodeProperties = {
	displayName: 'Events Mode',
	name: 'eventsMode',
	type: 'options',
	options: [
		{ name: 'Add', value: 'add', description: 'Add these to the current events' },
		{ name: 'Remove', value: 'remove', description: 'Remove these from the current events' },
		{ name: 'Replace', value: 'replace', description: 'Replace all events' },
	],
	default: 'replace',
	description: 'How to apply the events chosen here',
};

/** @throws NodeOperationError for a value that is neither text nor a list of texts */
export function readEvents(item: Item, values: Record<string, unknown>): string[] {
	for (const field of [eventsField, additionalEventsField]) {
		const value = values[field.name];
		if (castArray(value ?? '').every(isString)) continue;
		throw refuseValue(item, field, value, 'Use event names such as filing.new.');
	}
	return chosenEvents(values.events, values.additionalEvents);
}

/** @throws NodeOperationError for anything but an https address */
export function readHttpsUrl(item: Item, value: unknown): string {
	const url = readText(item, urlField, value);
	if (/^https:\/\/[^\s/?#\\]+[^\s\\]*$/i.test(url) && URL.canParse(url)) return url;
	throw item.refuse({
		message: "'Delivery URL' is not an https address",
		description:
			'Enter a full address that starts with https://, for example https://example.com/company-events.',
	});
}

/** Characters that could lead to another path of the service. */
const INVALID_ID = /^\.{1,2}$|[/\\\p{Cc}]/u;

export const webhookIdField: INodeProperties = {
	displayName: 'Webhook',
	name: 'webhookId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: "One of the account's webhooks",
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a webhook…',
			typeOptions: { searchListMethod: 'searchWebhooks', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. the ID in the output of Create',
		},
	],
};

/** @throws NodeOperationError for an empty or invalid ID */
export function readWebhookId(item: Item): string {
	const value = item.parameter('webhookId', '', { extractValue: true });
	const id = readText(item, webhookIdField, value);
	if (id !== '' && !INVALID_ID.test(id)) return id;
	throw refuseValue(
		item,
		webhookIdField,
		id,
		"Choose a webhook from the list, or enter an ID from 'Create' or 'Get Many'.",
	);
}
