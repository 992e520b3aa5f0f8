import { z } from 'zod';

const httpsUrl = z
	.string()
	.url()
	.refine((url) => new URL(url).protocol === 'https:', 'url must be an https URL');

// The service's complete list of events is not shown, so any name is taken.
const events = z.array(z.string().min(1)).min(1);

// Whether the service refuses an unknown company number is not shown; the simulator only
// looks at the form.
const companyNumber = z
	.string()
	.regex(/^[A-Z0-9]{8}$/, 'company_number must be 8 letters or digits');

/** Body of POST /v1/webhooks. */
export const newWebhook = z.object({ url: httpsUrl, company_number: companyNumber, events });
export type NewWebhook = z.infer<typeof newWebhook>;

/** Body of PATCH /v1/webhooks/{id}; the company number cannot be changed. */
export const webhookChanges = z.object({ url: httpsUrl, events, is_active: z.boolean() }).partial();
export type WebhookChanges = z.infer<typeof webhookChanges>;

/** Query of GET /v1/search. Default and bounds of items_per_page are the simulator's choice. */
export const searchQuery = z.object({
	q: z.string().trim().min(1),
	items_per_page: z.coerce.number().int().min(1).max(100).default(20),
});
