import type { IDataObject, NodeOperationError } from 'n8n-workflow';

import { readOption } from '../readParameters';
import type { Item } from '../run';
import { eventsModeField, readEvents } from './fields';
import { findWebhook } from './get';

/**
 * What gives the whole new list of events, as the service wants it; undefined when the user changes none.
 * To add or remove, it reads the webhook's present events, and fails where none would be left.
 * @throws NodeOperationError for what the user has to put right
 */
export function readChangedEvents(
	item: Item,
	id: string,
	fields: IDataObject,
): (() => Promise<string[]>) | undefined {
	const mode =
		'eventsMode' in fields ? readOption(item, eventsModeField, fields.eventsMode) : 'replace';
	if (!('events' in fields) && !('additionalEvents' in fields)) return undefined;
	const named = readEvents(item, fields);
	if (mode === 'replace') {
		if (named.length === 0) throw noneLeft(item);
		return async () => named;
	}
	if (named.length === 0) return undefined;
	return async () => {
		const { events } = await findWebhook(item, id);
		const changed =
			mode === 'add'
				? [...new Set([...events, ...named])]
				: events.filter((event) => !named.includes(event));
		if (changed.length === 0) throw noneLeft(item);
		return changed;
	};
}

function noneLeft(item: Item): NodeOperationError {
	return item.refuse({
		message: 'A webhook needs at least one event, and this would leave none',
		description: "Keep one event. To stop the deliveries, use 'Pause' instead.",
	});
}
