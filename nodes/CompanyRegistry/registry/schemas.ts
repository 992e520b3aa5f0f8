import { z } from 'zod';

/**
 * What the service is known to answer. Fields that it adds are passed through, so that a
 * newer service does not break saved workflows.
 */
export const webhookSchema = z
	.object({
		id: z.string().min(1),
		company_number: z.string(),
		events: z.array(z.string()),
		is_active: z.boolean(),
	})
	.passthrough();

/** Only the answer to creating a webhook carries its secret. */
export const createdWebhookSchema = webhookSchema.extend({ secret: z.string().min(1) });

export const searchItemSchema = z
	.object({
		company_number: z.string().min(1),
		company_name: z.string().nullish(),
		company_status: z.string().nullish(),
	})
	.passthrough();

/** A success without a body, which some services answer to a change. */
const emptyAnswerSchema = z.union([z.undefined(), z.null(), z.string().trim().length(0)]);

export const webhookAnswerSchema = z.object({ data: webhookSchema }).passthrough();
/** Success statuses are not shown, so an update may be answered with the webhook or with nothing. */
export const updatedWebhookAnswerSchema = z.union([
	webhookAnswerSchema,
	emptyAnswerSchema.transform(() => ({ data: undefined })),
]);
export const createdWebhookAnswerSchema = z.object({ data: createdWebhookSchema }).passthrough();
export const webhookListSchema = z.object({ data: z.array(webhookSchema) }).passthrough();
export const searchAnswerSchema = z
	.object({ data: z.object({ items: z.array(searchItemSchema) }).passthrough() })
	.passthrough();

/** The service's own error object. */
export const errorBodySchema = z.object({
	error: z.string(),
	message: z.string(),
	status: z.number().int(),
});

export type Webhook = z.infer<typeof webhookSchema>;
export type CreatedWebhook = z.infer<typeof createdWebhookSchema>;
