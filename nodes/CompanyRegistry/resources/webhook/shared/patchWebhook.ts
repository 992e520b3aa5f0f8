import type { IDataObject, IExecuteSingleFunctions, INodePropertyRouting } from 'n8n-workflow';

import { updatedWebhookAnswerSchema } from '../../../shared/registry/schemas';
import { operationRouting } from '../../shared/operationRouting';
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
	readChanges: (context: IExecuteSingleFunctions) => IDataObject | Promise<IDataObject>,
): INodePropertyRouting {
	return operationRouting({
		method: 'PATCH',
		oneAtATimeFor: readWebhookId,
		async prepare(context, options) {
			options.url = webhookPath(readWebhookId(context));
			options.body = await readChanges(context);
		},
		schema: updatedWebhookAnswerSchema,
		// Where the answer is empty, what was sent is what is known.
		read: ({ data }, context, { body }) => [
			data ?? { id: readWebhookId(context), ...(body as IDataObject) },
		],
	});
}
