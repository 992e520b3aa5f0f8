import type { ZodTypeAny, z } from 'zod';

import { reasonOf, type CredentialTypeName } from './failures';
import { RegistryFailure } from './registryFailure';
import { errorBodySchema } from './schemas';
import { readRetryAfter } from './waiting';

/** The request that was sent, as far as judging its answer needs it. */
export interface SentRequest {
	method: string;
	credentialType: CredentialTypeName;
	/** The credential's own values, which no error may repeat. */
	secrets: string[];
}

/** An answer of the service as n8n hands it over. */
export interface FullAnswer {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/** Statuses to which a Retry-After header belongs. */
const TRY_LATER = new Set([429, 503]);

/**
 * The answer's body in the schema's shape.
 * @throws RegistryFailure for a refusal, and for a success of another shape
 */
export function readAnswer<Schema extends ZodTypeAny>(
	schema: Schema,
	{ method, credentialType, secrets }: SentRequest,
	{ statusCode, headers, body }: FullAnswer,
): z.output<Schema> {
	const isSuccess = statusCode >= 200 && statusCode < 300;
	const refusedAs = isSuccess ? refusalInBody(body) : statusCode;
	if (refusedAs !== undefined) {
		const retryAfter = TRY_LATER.has(refusedAs)
			? readRetryAfter(headers['retry-after'])
			: undefined;
		const failure = { status: refusedAs, body, secrets, retryAfter };
		throw new RegistryFailure(credentialType, method, failure);
	}
	const parsed = schema.safeParse(body);
	if (parsed.success) return parsed.data as z.output<Schema>;
	const failure = { status: statusCode, body, secrets, understood: false };
	throw new RegistryFailure(credentialType, method, failure);
}

/** Why no answer came, from what n8n's helper threw. */
export function withoutAnswer(
	{ method, credentialType, secrets }: SentRequest,
	error: unknown,
): RegistryFailure {
	return new RegistryFailure(credentialType, method, { reason: reasonOf(error), secrets });
}

/** The status that an error object names, where it comes with a success status; else undefined. */
function refusalInBody(body: unknown): number | undefined {
	const parsed = errorBodySchema.passthrough().safeParse(body);
	if (!parsed.success || (parsed.data.data ?? null) !== null) return undefined;
	const { status } = parsed.data;
	return status >= 400 && status < 600 ? status : 400;
}
