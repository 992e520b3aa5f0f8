import { attempt, isError, keys } from 'lodash';
import type { IHookFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { customSchemeProblem, customSchemeSchema } from '../signatures/customScheme';

type Context = IHookFunctions | ITriggerFunctions | IWebhookFunctions;

export const companiesFromSchema = z.enum(['numbers', 'list', 'link']).catch('numbers');

export type CompaniesFrom = z.output<typeof companiesFromSchema>;

/** The choices of *Check Every*. */
export const CHECK_PERIODS = {
	tenMinutes: { name: 'Ten Minutes', minutes: 10 },
	hour: { name: 'Hour', minutes: 60 },
	day: { name: 'Day', minutes: 24 * 60 },
};

export type CheckPeriod = keyof typeof CHECK_PERIODS;

const DEFAULT_TOLERANCE = { seconds: 300 };

/** A value that is missing or unknown counts as the documented default. */
export const optionsSchema = z.object({
	additionalEvents: z.unknown(),
	addressChanged: z.enum(['stop', 'move', 'new']).catch('stop'),
	allowLargeRemovals: z.boolean().catch(false),
	checkEvery: z.enum(keys(CHECK_PERIODS) as [CheckPeriod]).catch('hour'),
	/** Without a scheme, common formats are recognised. */
	signature: z
		.object({
			scheme: customSchemeSchema.optional(),
			tolerance: z
				.object({ seconds: z.coerce.number().positive().finite() })
				.catch(DEFAULT_TOLERANCE),
		})
		.catch({ tolerance: DEFAULT_TOLERANCE }),
});

export type TriggerOptions = z.output<typeof optionsSchema>;

export function readCompaniesFrom(context: Context): CompaniesFrom {
	return companiesFromSchema.parse(context.getNodeParameter('companiesFrom', 'numbers'));
}

/** @throws Error where the custom scheme protects nothing: a publish with it would accept forgeries */
export function readOptions(context: Context): TriggerOptions {
	const options = optionsSchema.parse(context.getNodeParameter('options', {}));
	const { scheme } = options.signature;
	const problem = scheme && customSchemeProblem(scheme);
	if (!problem) return options;
	throw new Error(
		`The custom signature scheme cannot be used: ${problem}. Correct it under Options → Signature, or remove it so that common formats are recognised.`,
	);
}

/** Where an expression fails, every option but *Signature* has its default; `failed` says what could not be read. */
export function readOptionsSafely(context: Context): {
	options: TriggerOptions;
	failed?: 'Options' | 'Options → Signature';
} {
	const whole = attempt(() => optionsSchema.parse(context.getNodeParameter('options', {})));
	if (!isError(whole)) return { options: whole };
	const signature: unknown = attempt(() => context.getNodeParameter('options.signature', {}));
	if (isError(signature))
		return { options: optionsSchema.parse({}), failed: 'Options → Signature' };
	return { options: optionsSchema.parse({ signature }), failed: 'Options' };
}
