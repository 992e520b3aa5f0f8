import type {
	IDataObject,
	IExecuteSingleFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import {
	additionalEventsField,
	eventsField,
	eventsModeField,
	readHttpsUrl,
	urlField,
} from './shared/eventAndUrlFields';
import type { Send } from '../shared/operationRouting';
import { readBoolean } from '../shared/readParameters';
import { refuse } from '../shared/refuse';
import { patchWebhook } from './shared/patchWebhook';
import { readChangedEvents } from './shared/changedEvents';

const showOnlyForWebhookUpdate = { resource: ['webhook'], operation: ['update'] };

const activeField: INodeProperties = {
	displayName: 'Active',
	name: 'isActive',
	type: 'boolean',
	default: true,
	description: 'Whether the service delivers events; off means paused',
};

export const updateOperation: INodePropertyOptions = {
	name: 'Update',
	value: 'update',
	description: 'Change the events, the URL or the state of a webhook',
	action: 'Update webhook',
	routing: patchWebhook(readChanges),
};

async function readChanges(context: IExecuteSingleFunctions, send: Send): Promise<IDataObject> {
	const fields = { ...(context.getNodeParameter('updateFields', {}) as IDataObject) };
	const changes: IDataObject = {};
	if ('url' in fields) changes.url = readHttpsUrl(context, fields.url);
	if ('isActive' in fields) changes.is_active = readBoolean(context, activeField, fields.isActive);
	const events = await readChangedEvents(context, send, fields);
	if (events !== undefined) changes.events = events;
	if (Object.keys(changes).length > 0) return changes;
	throw refuse(context, {
		message: "'Update Fields' has nothing to change",
		description: "Add at least one field under 'Update Fields' and fill it in.",
	});
}

export const updateFields: INodeProperties[] = [
	{
		displayName: 'Update Fields',
		name: 'updateFields',
		type: 'collection',
		placeholder: 'Add Field',
		default: {},
		displayOptions: { show: showOnlyForWebhookUpdate },
		options: [activeField, additionalEventsField, urlField, eventsField, eventsModeField],
	},
];
