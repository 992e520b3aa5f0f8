import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';

import { eventNames, eventOptions } from '../../../shared/events';
import { readText, refuseValue } from '../../shared/readParameters';
import { refuse } from '../../shared/refuse';

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
	context: IExecuteSingleFunctions,
	{ events, additionalEvents }: { events?: unknown; additionalEvents?: unknown },
): string[] {
	checkNames(context, eventsField, events);
	checkNames(context, additionalEventsField, additionalEvents);
	return eventNames(events, additionalEvents);
}

function checkNames(
	context: IExecuteSingleFunctions,
	field: INodeProperties,
	value: unknown,
): void {
	const entries: unknown[] = Array.isArray(value) ? value : [value ?? ''];
	if (entries.every((entry) => typeof entry === 'string')) return;
	throw refuseValue(context, field, value, 'Use event names such as filing.new.');
}

/**
 * An https address as the user entered it.
 * @throws NodeOperationError for anything else
 */
export function readHttpsUrl(context: IExecuteSingleFunctions, value: unknown): string {
	const url = readText(context, urlField, value);
	if (/^https:\/\/[^\s/?#\\]+[^\s\\]*$/i.test(url) && URL.canParse(url)) return url;
	throw refuse(context, {
		message: "'Delivery URL' is not an https address",
		description:
			'Enter a full address that starts with https://, for example https://example.com/company-events. The service delivers to https addresses only.',
	});
}
