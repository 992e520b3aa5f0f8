import { difference, isEmpty, union } from 'lodash';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { WebhookChanges } from '../../registry/webhooks';
import { readBoolean, readOption } from '../readParameters';
import type { Item, Operation } from '../run';
import {
	additionalEventsField,
	eventsField,
	eventsModeField,
	readEvents,
	readHttpsUrl,
	readWebhookId,
	urlField,
} from './fields';
import { findWebhook } from './get';

const activeField: INodeProperties = {
	displayName: 'Active',
	name: 'isActive',
	type: 'boolean',
	default: true,
	description: 'Whether the service delivers events; off means paused',
};

export const update = {
	option: {
		name: 'Update',
		value: 'update',
		description: 'Change the events, the URL or the state of a webhook',
		action: 'Update webhook',
	},
	takesWebhook: true,
	fields: [
		{
			displayName: 'Update Fields',
			name: 'updateFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [activeField, additionalEventsField, urlField, eventsField, eventsModeField],
		},
	],
	prepare: (item) => {
		const id = readWebhookId(item);
		const fields = { ...(item.parameter('updateFields', {}) as IDataObject) };
		const changes: WebhookChanges = {};
		if ('url' in fields) changes.url = readHttpsUrl(item, fields.url);
		if ('isActive' in fields) changes.is_active = readBoolean(item, activeField, fields.isActive);
		const mode =
			'eventsMode' in fields ? readOption(item, eventsModeField, fields.eventsMode) : 'replace';
		const named = readEvents(item, fields);
		if (mode === 'replace' && ('events' in fields || 'additionalEvents' in fields)) {
			changes.events = notEmpty(item, named);
		}
		const needsPresent = mode !== 'replace' && named.length > 0;
		if (!needsPresent && isEmpty(changes)) {
			throw item.refuse({
				message: "'Update Fields' has nothing to change",
				description: "Add at least one field under 'Update Fields' and fill it in.",
			});
		}
		const readChanges = async () => {
			if (!needsPresent) return changes;
			const { events } = await findWebhook(item, id);
			// The service takes the whole list.
			const changed = mode === 'add' ? union(events, named) : difference(events, named);
			return { ...changes, events: notEmpty(item, changed) };
		};
		return async () => [await item.account.update(id, readChanges)];
	},
} satisfies Operation;

function notEmpty(item: Item, events: string[]): string[] {
	if (events.length > 0) return events;
	throw item.refuse({
		message: 'A webhook needs at least one event, and this would leave none',
		description: "Keep one event. To stop the deliveries, use 'Pause' instead.",
	});
}
