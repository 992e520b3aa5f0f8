import type { INodeProperties } from 'n8n-workflow';

import { eventNames, eventOptions } from '../../shared/events';
import { readText, refuseValue } from '../readParameters';
import type { Item } from '../run';

export const urlField: INodeProperties = {
	displayName: 'Delivery URL',
	name: 'url',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://example.com/company-events',
	description: 'Where the service sends the events. Must start with https.',
};

export const eventsField: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	options: eventOptions,
	default: ['filing.new'],
	description: 'Which changes the service reports',
};

export const additionalEventsField: INodeProperties = {
	displayName: 'Additional Events',
	name: 'additionalEvents',
	type: 'string',
	default: '',
	placeholder: "e.g. event names from the service's reference",
	description:
		'Names of further events that the service supports, separated by commas, spaces or new lines',
};

export const eventsModeField: INodeProperties = {
	displayName: 'Events Mode',
	name: 'eventsMode',
	type: 'options',
	options: [
		{ name: 'Add', value: 'add', description: 'Add these to the present events' },
		{ name: 'Remove', value: 'remove', description: 'Remove these from the present events' },
		{ name: 'Replace', value: 'replace', description: 'Replace all events' },
	],
	default: 'replace',
	description: 'What to do with the events chosen here',
};

/**
 * The names in 'Events' and 'Additional Events' as one list.
 * @throws NodeOperationError for values that are neither text nor a list of texts
 */
export function readEvents(
	item: Item,
	{ events, additionalEvents }: { events?: unknown; additionalEvents?: unknown },
): string[] {
	checkNames(item, eventsField, events);
	checkNames(item, additionalEventsField, additionalEvents);
	return eventNames(events, additionalEvents);
}

function checkNames(item: Item, field: INodeProperties, value: unknown): void {
	const entries: unknown[] = Array.isArray(value) ? value : [value ?? ''];
	if (entries.every((entry) => typeof entry === 'string')) return;
	throw refuseValue(item, field, value, 'Use event names such as filing.new.');
}

/**
 * An https address as the user entered it.
 * @throws NodeOperationError for anything else
 */
export function readHttpsUrl(item: Item, value: unknown): string {
	const url = readText(item, urlField, value);
	if (/^https:\/\/[^\s/?#\\]+[^\s\\]*$/i.test(url) && URL.canParse(url)) return url;
	throw item.refuse({
		message: "'Delivery URL' is not an https address",
		description:
			'Enter a full address that starts with https://, for example https://example.com/company-events. The service delivers to https addresses only.',
	});
}

/** What could lead to another path of the service. */
const NO_ID = /^\.{1,2}$|[/\\\p{Cc}]/u;

/** The field in which a user chooses one of the account's webhooks. */
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

/**
 * The chosen webhook's ID.
 * @throws NodeOperationError when nothing was chosen, or what cannot be an ID
 */
export function readWebhookId(item: Item): string {
	const value = item.parameter('webhookId', '', { extractValue: true });
	const id = readText(item, webhookIdField, value);
	if (id !== '' && !NO_ID.test(id)) return id;
	const next = "Choose a webhook from the list, or enter the ID that 'Create' or 'Get Many' shows.";
	throw refuseValue(item, webhookIdField, id, next);
}
