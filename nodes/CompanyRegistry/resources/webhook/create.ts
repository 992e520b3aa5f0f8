import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { createdWebhookSchema } from '../../registry/schemas';
import { readCompanyNumber } from '../../shared/companyNumberLocator';
import { operationRouting } from '../shared/operationRouting';
import { refuse } from '../shared/refuse';
import {
	additionalEventsField,
	eventsField,
	readEvents,
	readHttpsUrl,
	urlField,
} from './shared/eventAndUrlFields';

const showOnlyForWebhookCreate = { resource: ['webhook'], operation: ['create'] };

export const createOperation: INodePropertyOptions = {
	name: 'Create',
	value: 'create',
	description: "Send a company's events to a URL",
	action: 'Create webhook',
	routing: operationRouting(async (context, send) => {
		const company_number = readCompanyNumber(context);
		const url = readHttpsUrl(context, context.getNodeParameter('url', ''));
		const events = readEvents(context, {
			events: context.getNodeParameter('events', []),
			additionalEvents: context.getNodeParameter('additionalEvents', ''),
		});
		if (events.length === 0) {
			throw refuse(context, {
				message: "'Events' is empty",
				description: "Choose at least one event, or enter its name under 'Additional Events'.",
			});
		}
		const body = { url, company_number, events };
		const request = { method: 'POST', url: '/v1/webhooks', body } as const;
		return [await send(request, createdWebhookSchema)];
	}),
};

export const createFields: INodeProperties[] = [
	{
		displayName:
			"The output holds the webhook's signing secret, which the service shows only once: store it in a later step. With several items, set 'On Error' to 'Continue' in this node's settings; otherwise one item that fails loses the other items' secrets. To start workflows on events, use the Company Registry Trigger instead.",
		name: 'secretNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: showOnlyForWebhookCreate },
	},
	{ ...urlField, required: true, displayOptions: { show: showOnlyForWebhookCreate } },
	{ ...eventsField, displayOptions: { show: showOnlyForWebhookCreate } },
	{ ...additionalEventsField, displayOptions: { show: showOnlyForWebhookCreate } },
];
