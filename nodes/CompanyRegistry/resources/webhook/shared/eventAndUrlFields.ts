import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';

import { eventOptions } from '../../../shared/events';
import { refuse } from '../../shared/refuse';

export const urlField: INodeProperties = {
	displayName: 'Delivery URL',
	name: 'url',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://example.com/company-events',
	description:
		'Where the service sends the events. Only addresses that start with https are safe enough.',
};

export const eventsField: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	options: eventOptions,
	default: ['filing.new'],
	description: 'What to be told of',
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

/**
 * An https address as the user entered it.
 * @throws NodeOperationError for anything else
 */
export function readHttpsUrl(context: IExecuteSingleFunctions, parameter: string): string {
	const url = String(context.getNodeParameter(parameter, '') ?? '').trim();
	if (/^https:\/\/[^\s/?#\\]+[^\s\\]*$/i.test(url) && URL.canParse(url)) return url;
	throw refuse(context, {
		message: "'Delivery URL' is not an https address",
		description:
			'Enter a full address that starts with https://, for example https://example.com/company-events. The service does not deliver to other addresses.',
	});
}
