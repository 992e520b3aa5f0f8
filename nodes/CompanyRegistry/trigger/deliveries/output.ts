import { z } from 'zod';

/** The item of each event. `npm run schemas` writes the fields that n8n's editor offers before the first run. */
export const outputSchema = z
	.object({
		/** Only in the first sample: what a publish would do with the list, the most important line first. */
		preview: z.array(z.string()).optional(),
		subject: z.string(),
		text: z.string(),
		event: z.string().nullable(),
		event_name: z.string().nullable(),
		/** Null in an item of *Watch Report*, like the webhook and the delivery. */
		company_number: z.string().nullable(),
		company_name: z.string().nullable(),
		/** The first valid address of the row under a heading such as *Email*. */
		list_email: z.string().nullable(),
		list_columns: z.object({}).passthrough().nullable(),
		webhook_id: z.string().nullable(),
		/** Stays the same when the service sends the delivery again; null where nothing names it. */
		delivery_id: z.string().nullable(),
		received_at: z.string(),
		payload: z.object({}).passthrough(),
	})
	.strict();
