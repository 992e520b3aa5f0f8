import type { IDataObject, IExecuteSingleFunctions, INodePropertyRouting } from 'n8n-workflow';

import { updatedWebhookSchema } from '../../../registry/schemas';
import { operationRouting, type Send } from '../../shared/operationRouting';
import { forgetAccountWebhooks, noteUpdate } from './accountWebhooks';
import { readWebhookId, webhookPath } from './webhookIdField';

/**
 * Changes the chosen webhook.
 *
 * Items that change the same webhook take turns: adding an event means reading the events and
 * sending the new list, and two at once would each undo the other.
 *
 * @param readChanges the fields to send for one item; throws what the user has to put right
 */
export function patchWebhook(
	readChanges: (context: IExecuteSingleFunctions, send: Send) => IDataObject | Promise<IDataObject>,
): INodePropertyRouting {
	return operationRouting(async (context, send) => {
		const id = readWebhookId(context);
		const body = await readChanges(context, send);
		const request = { method: 'PATCH', url: webhookPath(id), body } as const;
		const data = await send(request, updatedWebhookSchema).catch((reason: unknown) => {
			// The change may have been made or not.
			forgetAccountWebhooks(context);
			return Promise.reject(reason);
		});
		await noteUpdate(context, id, data.id === undefined ? body : data);
		// If the answer is empty, only what was sent is known.
		return [data.id === undefined ? { id, ...body } : data];
	}, readWebhookId);
}
