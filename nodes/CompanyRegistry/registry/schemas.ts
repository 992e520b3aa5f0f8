import { z } from 'zod';

import { comparableNumber } from '../shared/companyNumber';

/**
 * What the service is known to answer. Fields that it adds are passed through, so that a newer service does
 * not break saved workflows. n8n brings zod along, version 3 today and 4 one day: use what both have.
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

/** Rows are read one by one: other tools may have left some of another form in the same account. */
export const webhookListSchema = z.object({ data: z.array(z.unknown()) }).passthrough();

/** What an answer may say of a webhook beside its id. What is of another form is not said. */
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

/** The answer to creating a webhook, which alone carries its secret. */
export const createdWebhookSchema = z.union([
	z.object({ data: answerSchema }).transform(({ data }) => data),
	answerSchema,
]);

/** The answer to changing a webhook. How a success looks is not shown, so it may say nothing of it. */
export const updatedWebhookSchema = z.union([
	z.object({ data: partSchema }).transform(({ data }) => data),
	partSchema,
	z.unknown().transform((): z.output<typeof partSchema> => ({})),
]);

/** A company that a search finds, its number in the register's form. A name or status of another form is null. */
const searchItemSchema = z
	.object({
		company_number: idSchema.transform(comparableNumber),
		company_name: textSchema,
		company_status: textSchema,
	})
	.passthrough();

export type FoundCompany = z.output<typeof searchItemSchema>;

/** What a search finds, read row by row, and how many rows could not be. If it is all of them, it is no answer. */
export const searchAnswerSchema = z
	.object({ data: z.object({ items: z.array(z.unknown()) }) })
	.transform(({ data: { items: rows } }) => {
		const items = rows.flatMap((row) => searchItemSchema.safeParse(row).data ?? []);
		return { data: { items, unread: rows.length - items.length } };
	})
	.refine(({ data: { items, unread } }) => items.length > 0 || unread === 0);

/** An answer whose payload the service does not describe: only its envelope is known. */
export const payloadSchema = z
	.record(z.string(), z.unknown())
	.refine((body) => 'data' in body, { message: 'data is missing' });

/** The service's own error object. */
export const errorBodySchema = z
	.object({ error: z.string(), message: z.string(), status: z.number().int() })
	.passthrough();
