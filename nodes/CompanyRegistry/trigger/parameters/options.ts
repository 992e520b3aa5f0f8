import { attempt, isError } from 'lodash';
import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { customSchemeProblem } from '../signatures/customScheme';
import {
	addressChanged,
	algorithm,
	alreadyWatched,
	checkEvery,
	companiesFrom,
	encoding,
	oneOf,
	secretEncoding,
	unwatchable,
} from './choices';

type Context = IHookFunctions | ITriggerFunctions | IWebhookFunctions;

export const companiesFromSchema = oneOf(companiesFrom).catch('list');

/** Which of the fields for companies counts. */
export type CompaniesFrom = z.output<typeof companiesFromSchema>;

/** Empty for anything but text, because no other value is what the user has entered. */
const text = z.string().trim().catch('');

const schemeSchema = z
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
	.optional();

const DEFAULT_TOLERANCE = { seconds: 300 };

/** A value that is missing or unknown counts as the documented default. */
export const optionsSchema = z.object({
	additionalEvents: z.unknown(),
	addressChanged: oneOf(addressChanged).catch('stop'),
	alreadyWatched: oneOf(alreadyWatched).catch('stop'),
	checkEvery: oneOf(checkEvery).catch('hour'),
	/** Without a scheme, common formats are recognised. */
	signature: z
		.object({
			scheme: schemeSchema,
			tolerance: z
				.object({ seconds: z.coerce.number().positive().finite() })
				.catch(DEFAULT_TOLERANCE),
		})
		.catch({ tolerance: DEFAULT_TOLERANCE }),
	unwatchable: oneOf(unwatchable).catch('stop'),
});

export type TriggerOptions = z.output<typeof optionsSchema>;

export function readCompaniesFrom(context: Context): CompaniesFrom {
	return companiesFromSchema.parse(context.getNodeParameter('companiesFrom', 'list'));
}

export function readOptions(context: Context): TriggerOptions {
	return optionsSchema.parse(context.getNodeParameter('options', {}));
}

/** Where an expression fails, every option but *Signature* has its default; `failed` says what could not be read. */
export function readOptionsSafely(context: IWebhookFunctions): {
	options: TriggerOptions;
	failed?: 'Options' | 'Options → Signature';
} {
	const whole = attempt(() => readOptions(context));
	if (!isError(whole)) return { options: whole };
	const signature: unknown = attempt(() => context.getNodeParameter('options.signature', {}));
	if (isError(signature))
		return { options: optionsSchema.parse({}), failed: 'Options → Signature' };
	return { options: optionsSchema.parse({ signature }), failed: 'Options' };
}

/** @throws Error where the custom scheme protects nothing: a publish with it would accept forgeries */
export function checkScheme({ signature: { scheme } }: TriggerOptions): void {
	const problem = scheme && customSchemeProblem(scheme);
	if (!problem) return;
	throw new Error(
		`The custom signature scheme cannot be used: ${problem}. Correct it under 'Options' > 'Signature', or remove it so that common formats are recognised.`,
	);
}
