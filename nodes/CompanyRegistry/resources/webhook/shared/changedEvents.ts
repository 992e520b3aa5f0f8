import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';

import type { Send } from '../../shared/operationRouting';
import { readOption } from '../../shared/readParameters';
import { refuse } from '../../shared/refuse';
import { eventsModeField, readEvents } from './eventAndUrlFields';
import { findWebhook } from './accountWebhooks';
import { readWebhookId } from './webhookIdField';

/**
 * The whole new list of events, as the service wants it, or undefined when the user changes none.
 * To add or remove, the webhook's present events are read first.
 * @throws NodeOperationError when no event would be left
 */
export async function readChangedEvents(
	context: IExecuteSingleFunctions,
	send: Send,
	fields: IDataObject,
): Promise<string[] | undefined> {
	const mode =
		'eventsMode' in fields ? readOption(context, eventsModeField, fields.eventsMode) : 'replace';
	if (!('events' in fields) && !('additionalEvents' in fields)) return undefined;
	const named = readEvents(context, fields);
	if (mode !== 'replace' && named.length === 0) return undefined;
	const changed =
		mode === 'replace'
			? named
			: change(mode, (await findWebhook(context, send, readWebhookId(context))).events, named);
	if (changed.length > 0) return changed;
	throw refuse(context, {
		message: 'A webhook needs at least one event, and this would leave none',
		description: "Keep one event. To stop the deliveries, use 'Pause' instead.",
	});
}

function change(mode: string, present: string[], named: string[]): string[] {
	return mode === 'add'
		? [...new Set([...present, ...named])]
		: present.filter((event) => !named.includes(event));
}
