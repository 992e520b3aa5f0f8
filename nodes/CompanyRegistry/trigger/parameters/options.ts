import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

/** What is no text counts as none; so it does not stand for more than the user has entered. */
const text = z.string().trim().catch('');

/** As the user has filled in the options: what is not set, or not one of the known values, has the documented default. */
export const optionsSchema = z.object({
	additionalEvents: z.unknown(),
	addressChanged: z.enum(['ask', 'move', 'copy']).catch('ask'),
	includeRequest: z.boolean().catch(false),
	refusedCompanies: z.enum(['leaveOut', 'fail']).catch('fail'),
	repeatedDeliveries: z.enum(['ignore', 'run']).catch('ignore'),
	/** Without a scheme, the usual ones are recognised. */
	signature: z
		.object({
			scheme: z
				.object({
					header: text,
					headerFormat: text,
					prefix: text,
					algorithm: z.enum(['sha256', 'sha512', 'sha1']).catch('sha256'),
					encoding: z.enum(['hex', 'base64']).catch('hex'),
					content: z.string().trim().default('{body}').catch(''),
					timestampHeader: text,
					idHeader: text,
					secretEncoding: z.enum(['utf8', 'base64', 'hex']).catch('utf8'),
				})
				.optional(),
		})
		.catch({}),
	testEvent: z.enum(['real', 'sample']).catch('sample'),
	/** Seconds. */
	tolerance: z.coerce.number().positive().finite().catch(300),
});

export type TriggerOptions = z.output<typeof optionsSchema>;

export function readOptions(context: IHookFunctions | IWebhookFunctions): TriggerOptions {
	return optionsSchema.parse(context.getNodeParameter('options', {}));
}

/** Whether this is a test run that is given a sample event, for which nothing is made at the service. */
export function showsSample(context: IHookFunctions): boolean {
	return context.getActivationMode() === 'manual' && readOptions(context).testEvent === 'sample';
}
