import type { IDataObject } from 'n8n-workflow';
import type { z } from 'zod';

import type { payloadSchema } from '../registry/schemas';

/** The payload as it was received: an item for each entry of a list, otherwise one. */
export function payloadItems({ data }: z.output<typeof payloadSchema>): IDataObject[] {
	return Array.isArray(data) ? data.map(asItem) : [asItem(data)];
}

/** n8n's items are objects; a bare value is put under the name that the service gives it. */
function asItem(entry: unknown): IDataObject {
	const isObject = typeof entry === 'object' && entry !== null && !Array.isArray(entry);
	return (isObject ? entry : { data: entry }) as IDataObject;
}
