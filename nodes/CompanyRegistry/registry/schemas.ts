import { z } from 'zod';

import { comparableNumber } from '../shared/companyNumber';

/**
 * The documented answers of the service. Unknown fields pass through, so that a newer service breaks no
 * workflow. n8n ships zod 3 today and may ship zod 4: use only features of both.
 */
const idSchema = z.union([z.string().min(1), z.number().transform(String)]);
const textSchema = z
	.union([z.string(), z.number().transform(String)])
	.nullish()
	.catch(null);
const webhookFields = {
	id: idSchema,
	company_number: z.union([z.string(), z.number().transform(String)]),
	events: z.array(z.string()),
	is_active: z.boolean(),
};

/** A webhook in the account's list. */
export const webhookSchema = z.object(webhookFields).passthrough();

/** Rows are parsed one by one: one unreadable row must not hide the others. */
export const webhookListSchema = z.object({ data: z.array(z.unknown()) }).passthrough();

/** A webhook in an answer to a change. A field of an unexpected type is dropped. */
const answerSchema = z
	.object({
		id: idSchema,
		secret: z.string().min(1).optional().catch(undefined),
		company_number: webhookFields.company_number.optional().catch(undefined),
		events: webhookFields.events.optional().catch(undefined),
		is_active: webhookFields.is_active.optional().catch(undefined),
	})
	.passthrough();
const partSchema = answerSchema.extend({ id: idSchema.optional().catch(undefined) });

/** The answer to a create, the only one with the secret. */
export const createdWebhookSchema = z.object({ data: answerSchema }).transform(({ data }) => data);

/** The answer to an update. Any successful answer counts, with or without the webhook. */
export const updatedWebhookSchema = z.union([
	z.object({ data: partSchema }).transform(({ data }) => data),
	z.unknown().transform((): z.output<typeof partSchema> => ({})),
]);

/** A company in a search result. A name or status of an unexpected type becomes null. */
const searchItemSchema = z
	.object({
		company_number: idSchema.transform(comparableNumber),
		company_name: textSchema,
		company_status: textSchema,
	})
	.passthrough();

export type FoundCompany = z.output<typeof searchItemSchema>;

const isCompany = (row: unknown) => searchItemSchema.safeParse(row).success;

/** The companies of a search result, without rows that have no number. It fails if no row has one. */
export const searchAnswerSchema = z
	.object({ data: z.object({ items: z.array(z.unknown()) }) })
	.refine(({ data: { items } }) => items.length === 0 || items.some(isCompany))
	.transform(({ data: { items } }) =>
		items.flatMap((row) => searchItemSchema.safeParse(row).data ?? []),
	);

/** An answer of which only the envelope is documented. */
export const payloadSchema = z
	.record(z.string(), z.unknown())
	.refine((body) => 'data' in body, { message: 'data is missing' });

export const errorBodySchema = z
	.object({ error: z.string(), message: z.string(), status: z.number().int() })
	.passthrough();
