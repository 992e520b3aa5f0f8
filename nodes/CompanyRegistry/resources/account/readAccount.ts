import type { INodePropertyRouting } from 'n8n-workflow';

import { payloadSchema } from '../../registry/schemas';
import { payloadItems } from '../shared/payload';
import { operationRouting } from '../shared/operationRouting';
import { refuse } from '../shared/refuse';

/** Reads an account route; these accept a session token only, so an API key is never sent there. */
export function readAccount(url: string): INodePropertyRouting {
	return operationRouting(async (context, send) => {
		if (context.getNodeParameter('authentication') !== 'session') {
			throw refuse(context, {
				message: 'Account operations need a session token, not an API key',
				description:
					"Choose a 'Company Registry Session API' credential in this node. Where n8n shows the field 'Authentication', set it to 'Session Token' first.",
			});
		}
		return payloadItems(await send({ method: 'GET', url }, payloadSchema));
	});
}
