import { posix } from 'node:path';

import { z, type ZodTypeAny } from 'zod';

import { searchItemSchema, webhookSchema } from '../../nodes/CompanyRegistry/registry/schemas';
import { outputSchema } from '../../nodes/CompanyRegistry/trigger/deliveries/output';

/** The folder beside the built nodes in which n8n looks for the fields of their outputs. */
export const SCHEMA_FOLDER = 'nodes/CompanyRegistry/__schema__';

const listedSchema = z.object({
	company_number: z.string().nullable(),
	company_name: z.string().nullable(),
});
const listed = z.array(listedSchema);

/** What the operations over lists put out; tests hold their output against it. */
export const listOutputSchemas = {
	// What an entry holds is not shown.
	getNew: z.object({
		company_number: z.string(),
		entries: z.array(z.object({}).passthrough()),
		known: z.string(),
	}),
	compare: listedSchema
		.extend({
			state: z.string(),
			events: z.array(z.string()),
			webhook_id: z.string().nullable(),
			checked_at: z.string(),
			base_url: z.string(),
		})
		.strict(),
	findNumbers: z
		.object({
			company_number: z.string().nullable(),
			found_name: z.string().nullable(),
			company_status: z.string().nullable(),
			match: z.string(),
			candidates: z.array(searchItemSchema),
		})
		.passthrough(),
	read: listedSchema
		.extend({
			list_columns: z.object({}).passthrough().nullable(),
			row_number: z.number(),
			problem: z.string().optional(),
		})
		.strict(),
	writeIntoWorkflow: z
		.object({
			workflow: z.object({}).passthrough(),
			added: listed,
			removed: listed,
			renamed: listed,
			updated: listed,
			unchanged: z.number(),
			left_out: z.array(
				z.object({
					company_name: z.string().nullable(),
					row_number: z.number(),
					problem: z.string(),
				}),
			),
			is_changed: z.boolean(),
		})
		.strict(),
};

/** Every output whose fields are documented: none for records, usage and keys, which are not shown. */
const OUTPUTS: Record<string, ZodTypeAny> = {
	'v1.0.0': outputSchema,
	'v1.0.0/company/getNew': listOutputSchemas.getNew,
	'v1.0.0/company/search': searchItemSchema,
	'v1.0.0/companyList/compare': listOutputSchemas.compare,
	'v1.0.0/companyList/findNumbers': listOutputSchemas.findNumbers,
	'v1.0.0/companyList/read': listOutputSchemas.read,
	'v1.0.0/companyList/writeIntoWorkflow': listOutputSchemas.writeIntoWorkflow,
	// Only a new webhook is shown with its secret.
	'v1.0.0/webhook/create': webhookSchema.extend({ secret: z.string() }),
	'v1.0.0/webhook/get': webhookSchema,
	'v1.0.0/webhook/getAll': webhookSchema,
	'v1.0.0/webhook/pause': webhookSchema,
	'v1.0.0/webhook/resume': webhookSchema,
	'v1.0.0/webhook/update': webhookSchema,
};

/**
 * The files from which n8n's editor offers a node's fields before its first run, by path.
 * The trigger has no resource, so its file lies beside the action node's folder. The editor of n8n 2.40
 * shows no trigger's fields; n8n hands them out, and its AI workflow builder reads them.
 */
export function outputSchemaFiles(): Map<string, string> {
	return new Map(
		Object.entries(OUTPUTS).map(([path, schema]) => [
			posix.join(SCHEMA_FOLDER, `${path}.json`),
			`${JSON.stringify({ ...toJsonSchema(schema), version: 1 }, undefined, 2)}\n`,
		]),
	);
}

/** JSON schema of the kinds that the node's answers consist of. */
function toJsonSchema(schema: ZodTypeAny): object {
	if (schema instanceof z.ZodCatch) return toJsonSchema(schema.removeCatch() as ZodTypeAny);
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
		return toJsonSchema(schema.unwrap() as ZodTypeAny);
	}
	// Numbers become text.
	if (schema instanceof z.ZodUnion) return toJsonSchema((schema.options as ZodTypeAny[])[0]);
	if (schema instanceof z.ZodString) return { type: 'string' };
	if (schema instanceof z.ZodNumber) return { type: 'number' };
	if (schema instanceof z.ZodBoolean) return { type: 'boolean' };
	if (schema instanceof z.ZodArray) {
		return { type: 'array', items: toJsonSchema(schema.element as ZodTypeAny) };
	}
	if (schema instanceof z.ZodObject) {
		const fields = Object.entries(schema.shape as Record<string, ZodTypeAny>);
		const properties = Object.fromEntries(fields.map(([key, value]) => [key, toJsonSchema(value)]));
		return { type: 'object', ...(fields.length > 0 ? { properties } : {}) };
	}
	throw new Error(`No JSON schema for ${String(schema.constructor.name)}`);
}
