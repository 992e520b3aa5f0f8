import type {
	IDataObject,
	IExecuteSingleFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import {
	additionalEventsField,
	eventsField,
	readHttpsUrl,
	urlField,
} from './shared/eventAndUrlFields';
import { refuse } from '../shared/refuse';
import { patchWebhook } from './shared/patchWebhook';
import { readChangedEvents } from './shared/changedEvents';

const showOnlyForWebhookUpdate = { resource: ['webhook'], operation: ['update'] };

export const updateOperation: INodePropertyOptions = {
	name: 'Update',
	value: 'update',
	description: 'Change the events, the address or the state of a webhook',
	action: 'Update webhook',
	routing: patchWebhook(readChanges),
};

async function readChanges(context: IExecuteSingleFunctions): Promise<IDataObject> {
	const fields = context.getNodeParameter('updateFields', {}) as IDataObject;
	const changes: IDataObject = {};
	if (fields.url !== undefined) changes.url = readHttpsUrl(context, 'updateFields.url');
	if (fields.isActive !== undefined) changes.is_active = fields.isActive;
	const events = await readChangedEvents(context, fields);
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
		options: [
			{
				displayName: 'Active',
				name: 'isActive',
				type: 'boolean',
				default: true,
				description: 'Whether the service delivers events; off means paused',
			},
			additionalEventsField,
			urlField,
			eventsField,
			{
				displayName: 'Events Mode',
				name: 'eventsMode',
				type: 'options',
				options: [
					{ name: 'Add', value: 'add', description: 'Keep what is there and add these' },
					{ name: 'Remove', value: 'remove', description: 'Keep what is there except for these' },
					{ name: 'Replace', value: 'replace', description: 'Have these events and no others' },
				],
				default: 'replace',
				description: 'What to do with the events chosen here',
			},
		],
	},
];
