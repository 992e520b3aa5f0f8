import { difference, isEmpty, union } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { WebhookChanges } from '../../registry/webhooks';
import { readOption } from '../readParameters';
import type { Item, Operation } from '../run';
import {
	additionalEventsField,
	eventsField,
	eventsModeField,
	readEvents,
	readHttpsUrl,
	readWebhookId,
	urlField,
	webhookIdField,
} from './fields';
import { findWebhook } from './get';

export const update = {
	option: {
		name: 'Update',
		value: 'update',
		description: 'Change the events or the delivery URL of a webhook',
		action: 'Update webhook',
	},
	fields: [
		webhookIdField,
		{
			displayName: 'Update Fields',
			name: 'updateFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [additionalEventsField, urlField, eventsField, eventsModeField],
		},
	],
	prepare: (item) => {
		const id = readWebhookId(item);
		const fields = { ...(item.parameter('updateFields', {}) as IDataObject) };
		const changes: WebhookChanges = {};
		if ('url' in fields) changes.url = readHttpsUrl(item, fields.url);

		const mode =
			'eventsMode' in fields ? readOption(item, eventsModeField, fields.eventsMode) : 'replace';
		const named = readEvents(item, fields);
		if (mode === 'replace' && ('events' in fields || 'additionalEvents' in fields)) {
			changes.events = notEmpty(item, named);
		}

		const needsCurrent = mode !== 'replace' && named.length > 0;
		if (!needsCurrent && isEmpty(changes)) {
			throw item.refuse({
				message: "'Update Fields' has nothing to change",
				description: "Add at least one field under 'Update Fields' and fill it in.",
			});
		}

		const readChanges = async () => {
			if (!needsCurrent) return changes;
			const { events } = await findWebhook(item, id);
			// The service replaces the whole list of events.
			const changed = mode === 'add' ? union(events, named) : difference(events, named);
			return { ...changes, events: notEmpty(item, changed) };
		};

		return async () => [await item.account.update(id, readChanges)];
	},
} satisfies Operation;

function notEmpty(item: Item, events: string[]): string[] {
	if (events.length > 0) return events;
	throw item.refuse({
		message: 'A webhook needs at least one event',
		description: "Keep one event, or use 'Pause' to set the webhook inactive.",
	});
}
