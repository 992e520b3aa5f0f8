import type { IDataObject, IExecuteSingleFunctions } from 'n8n-workflow';

import { eventNames } from '../../../shared/events';
import { openRegistry } from '../../../shared/registry/registryApi';
import { webhookListSchema } from '../../../shared/registry/schemas';
import { refuse } from '../../shared/refuse';
import { findWebhook } from './findWebhook';
import { readWebhookId } from './webhookIdField';

/**
 * The whole new list of events, as the service wants it, or undefined when the user changes none.
 * To add or remove, the webhook's present events are read first.
 * @throws NodeOperationError when no event would be left
 */
export async function readChangedEvents(
	context: IExecuteSingleFunctions,
	fields: IDataObject,
): Promise<string[] | undefined> {
	if (fields.events === undefined && fields.additionalEvents === undefined) return undefined;
	const named = eventNames(fields.events, fields.additionalEvents);
	const mode = fields.eventsMode ?? 'replace';
	if (mode !== 'replace' && named.length === 0) return undefined;
	const changed = mode === 'replace' ? named : change(mode, await presentEvents(context), named);
	if (changed.length > 0) return changed;
	throw refuse(context, {
		message: 'A webhook needs at least one event, and this would leave none',
		description: "Keep one event. To stop the deliveries, use 'Pause' instead.",
	});
}

function change(mode: unknown, present: string[], named: string[]): string[] {
	return mode === 'add'
		? eventNames(present, named)
		: present.filter((event) => !named.includes(event));
}

async function presentEvents(context: IExecuteSingleFunctions): Promise<string[]> {
	const registry = await openRegistry(context, context.getItemIndex());
	const { data } = await registry.request(
		{ method: 'GET', path: '/v1/webhooks' },
		webhookListSchema,
	);
	return findWebhook(context, data, readWebhookId(context)).events;
}
