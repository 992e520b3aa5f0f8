import { attempt, isError, keyBy, map, mapValues, partition } from 'lodash';
import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

import {
	addressChanged,
	algorithm,
	alreadyWatched,
	checkWebhooks,
	companiesFrom,
	encoding,
	oneOf,
	refusedCompanies,
	repeatedDeliveries,
	secretEncoding,
	testEvent,
	unreadableRows,
} from './choices';
import { optionsProperty } from './properties';

/** Which of the fields for companies counts. */
export const companiesFromSchema = oneOf(companiesFrom).catch('list');

/** What is no text counts as none; so it does not stand for more than the user has entered. */
const text = z.string().trim().catch('');

/** As the user has filled in the options: what is not set, or not one of the known values, has the documented default. */
export const optionsSchema = z.object({
	additionalEvents: z.unknown(),
	addressChanged: oneOf(addressChanged).catch('ask'),
	alreadyWatched: oneOf(alreadyWatched).catch('ask'),
	checkWebhooks: oneOf(checkWebhooks).catch('hour'),
	includeRequest: z.boolean().catch(false),
	refusedCompanies: oneOf(refusedCompanies).catch('fail'),
	repeatedDeliveries: oneOf(repeatedDeliveries).catch('ignore'),
	/** Without a scheme, the usual ones are recognised. */
	signature: z
		.object({
			scheme: z
				.object({
					header: text,
					headerFormat: text,
					prefix: text,
					algorithm: oneOf(algorithm).catch('sha256'),
					encoding: oneOf(encoding).catch('hex'),
					content: z.string().trim().default('{body}').catch(''),
					timestampHeader: text,
					idHeader: text,
					secretEncoding: oneOf(secretEncoding).catch('utf8'),
				})
				.optional(),
		})
		.catch({}),
	testEvent: oneOf(testEvent).catch('sample'),
	/** Seconds. */
	tolerance: z.coerce.number().positive().finite().catch(300),
	unreadableRows: oneOf(unreadableRows).catch('fail'),
});

export type TriggerOptions = z.output<typeof optionsSchema>;

export function readOptions(context: IHookFunctions | IWebhookFunctions): TriggerOptions {
	return optionsSchema.parse(context.getNodeParameter('options', {}));
}

/** The same, where an expression may fail: the default then. `failed`: what the options are called. */
export function readOptionsSafely(context: IWebhookFunctions): {
	options: TriggerOptions;
	failed: string[];
} {
	const whole = attempt(() => readOptions(context));
	if (!isError(whole)) return { options: whole, failed: [] };
	const fields = (optionsProperty.options as INodeProperties[]).map(({ name, displayName }) => {
		const value: unknown = attempt(() => context.getNodeParameter(`options.${name}`, null));
		return { name, displayName, value };
	});
	const [failed, read] = partition(fields, ({ value }) => isError(value));
	const options = optionsSchema.parse(mapValues(keyBy(read, 'name'), 'value'));
	return { options, failed: map(failed, 'displayName') };
}

/** Whether this is a test run that is given a sample event, for which nothing is made at the service. */
export function showsSample(context: IHookFunctions): boolean {
	return context.getActivationMode() === 'manual' && readOptions(context).testEvent === 'sample';
}
