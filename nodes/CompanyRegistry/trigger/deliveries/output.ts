import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

/** What the trigger puts out of each event. `npm run schemas` makes of it what n8n's editor offers before a run. */
export const outputSchema = z
	.object({
		event: z.string().nullable(),
		/** As *Trigger On* shows it. */
		event_name: z.string().nullable(),
		/** Null in an item of *Watch Status*, as the other two. */
		company_number: z.string().nullable(),
		company_name: z.string().nullable(),
		/** The row of the pasted table by its headings. */
		list_columns: z.object({}).passthrough().nullable(),
		webhook_id: z.string().nullable(),
		/** Stable when the service sends the delivery again; null where nothing names it. */
		delivery_id: z.string().nullable(),
		/** ISO 8601 in UTC. */
		received_at: z.string(),
		/** As received. */
		payload: z.object({}).passthrough(),
	})
	.strict();

export type Output = z.output<typeof outputSchema> & { request?: IDataObject };
