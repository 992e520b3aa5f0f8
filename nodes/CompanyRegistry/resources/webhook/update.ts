import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { readBoolean } from '../readParameters';
import type { Operation } from '../run';
import { readChangedEvents } from './changedEvents';
import {
	additionalEventsField,
	eventsField,
	eventsModeField,
	readHttpsUrl,
	readWebhookId,
	urlField,
} from './fields';
import { patchWebhook, type WebhookChanges } from './patchWebhook';

const activeField: INodeProperties = {
	displayName: 'Active',
	name: 'isActive',
	type: 'boolean',
	default: true,
	description: 'Whether the service delivers events; off means paused',
};

export const update: Operation = {
	option: {
		name: 'Update',
		value: 'update',
		description: 'Change the events, the URL or the state of a webhook',
		action: 'Update webhook',
	},
	fields: [
		{
			displayName: 'Update Fields',
			name: 'updateFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			displayOptions: { show: { resource: ['webhook'], operation: ['update'] } },
			options: [activeField, additionalEventsField, urlField, eventsField, eventsModeField],
		},
	],
	prepare: (item) => {
		const id = readWebhookId(item);
		const fields = { ...(item.parameter('updateFields', {}) as IDataObject) };
		const changes: WebhookChanges = {};
		if ('url' in fields) changes.url = readHttpsUrl(item, fields.url);
		if ('isActive' in fields) changes.is_active = readBoolean(item, activeField, fields.isActive);
		const changedEvents = readChangedEvents(item, id, fields);
		if (changedEvents === undefined && Object.keys(changes).length === 0) {
			throw item.refuse({
				message: "'Update Fields' has nothing to change",
				description: "Add at least one field under 'Update Fields' and fill it in.",
			});
		}
		return patchWebhook(item, id, async () =>
			changedEvents === undefined ? changes : { ...changes, events: await changedEvents() },
		);
	},
};
