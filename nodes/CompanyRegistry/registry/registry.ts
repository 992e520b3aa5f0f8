import { createHash } from 'crypto';

import {
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type IHttpRequestMethods,
	type ILoadOptionsFunctions,
} from 'n8n-workflow';
import type { ZodTypeAny, z } from 'zod';

import { waitUnlessAborted } from '../shared/waitUnlessAborted';
import { BackOff } from './backOff';
import { INVALID_BASE_URL, normaliseBaseUrl } from './credential';
import { reasonOf, RegistryFailure } from './failure';
import { isHtml, tokenOf, type CredentialTypeName, type FailedRequest } from './failureWords';
import { errorBodySchema } from './schemas';

/** Any n8n context from which the service is called. */
export type RegistryContext = IHookFunctions | ILoadOptionsFunctions | IExecuteFunctions;

/** Requests under way at once for one trigger, or one run of an action. */
export const CONCURRENT_REQUESTS = 10;

/** In milliseconds; tests wait less. */
export const REQUEST_LIMIT = {
	/** How long the service may send nothing. */
	silence: 15_000,
	/** The same for an item of an action, as n8n's own nodes have it: nothing else waits for that. */
	silenceForItem: 300_000,
	/** How long one request may take, though its answer keeps trickling in. An action ends with its execution. */
	inAll: 60_000,
};

/** Characters of the token's digest, six bits each. Enough to tell accounts apart, and no more is stored. */
const DIGEST_LENGTH = 8;

export interface RegistryRequest {
	method: IHttpRequestMethods;
	/** Path from `/v1` on, each segment already encoded. */
	path: string;
	qs?: IDataObject;
	body?: object;
}

/** An answer of the service as n8n hands it over. */
interface FullAnswer {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/** The service, as one credential sees it. Made by {@link openRegistry}. */
export class Registry {
	/**
	 * Names the account by base URL and token: another credential entry with the same token is the same
	 * account, and another token may be another account. The token cannot be computed from it.
	 */
	readonly account: string;
	private readonly backOff = new BackOff();

	constructor(
		private readonly context: RegistryContext,
		private readonly credentialType: CredentialTypeName,
		private readonly credential: ICredentialDataDecryptedObject,
		readonly baseUrl: string,
		/** How long the service may send nothing, in milliseconds. */
		private readonly silence: number,
	) {
		const named = `${baseUrl}\n${tokenOf(credential)}`;
		const digest = createHash('sha256').update(named).digest('base64url');
		this.account = `${baseUrl}#${digest.slice(0, DIGEST_LENGTH)}`;
	}

	/**
	 * Sends one request and returns its answer in the schema's shape. 429 and passing faults are tried again,
	 * a POST only where the service surely did not process it. A request that the service asks to come back
	 * later holds back all requests of this object; after a minute without one let through, none waits.
	 *
	 * @param signal once aborted, nothing more is sent and nothing more is waited for: a request that has not
	 * been sent throws the signal's reason, one that waits for its next attempt throws the failure of its last.
	 * An answer that is under way is still awaited
	 * @throws RegistryFailure
	 */
	async request<Schema extends ZodTypeAny>(
		request: RegistryRequest,
		schema: Schema,
		signal?: AbortSignal,
	): Promise<z.output<Schema>> {
		let failure: RegistryFailure | undefined;
		for (let attempt = 1; ; attempt++) {
			await this.backOff.untilOpen(signal);
			if (signal?.aborted) throw failure ?? signal.reason;
			const answer = await this.send(request, schema);
			if (!(answer instanceof RegistryFailure)) {
				this.backOff.letThrough();
				return answer;
			}
			failure = answer;
			const wait = this.backOff.waitAfter(failure, attempt);
			if (wait === undefined) throw failure;
			await waitUnlessAborted(wait, signal);
		}
	}

	private async send<Schema extends ZodTypeAny>(
		{ path, ...request }: RegistryRequest,
		schema: Schema,
	): Promise<z.output<Schema> | RegistryFailure> {
		const { context, credentialType: type, credential: data } = this;
		const sent = { method: request.method, credentialType: type, token: tokenOf(data) };
		return await context.helpers.httpRequestWithAuthentication
			.call(
				context,
				type,
				{
					...request,
					url: `${this.baseUrl}${path}`,
					json: true,
					timeout: this.silence,
					abortSignal: AbortSignal.timeout(REQUEST_LIMIT.inAll),
					returnFullResponse: true,
					// Statuses are judged here: n8n's helper would send a refused POST a second time.
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
				},
				// Read once by openRegistry: reading the credential costs far more than the request.
				{ credentialsDecrypted: { id: '', name: type, type, data } },
			)
			.then(
				(answer: FullAnswer) => readAnswer(schema, sent, answer),
				(error: unknown) => new RegistryFailure({ ...sent, reason: reasonOf(error) }),
			);
	}
}

/**
 * Reads the node's credential once and returns the service as it sees it. Requests may be sent for as
 * long as the process lives, also once the life-cycle hook has returned.
 * @param itemIndex the item of an action, on which the credential may depend
 * @throws NodeOperationError without a credential, or with a base URL that is refused
 */
export async function openRegistry(
	context: RegistryContext,
	itemIndex?: number,
): Promise<Registry> {
	const node = context.getNode();
	const credentialType = readCredentialType(context, itemIndex);
	const data = await (context as IExecuteFunctions).getCredentials(credentialType, itemIndex);
	const baseUrl = normaliseBaseUrl(data.baseUrl);
	if (baseUrl === undefined) throw new NodeOperationError(node, INVALID_BASE_URL, { itemIndex });
	const { silence, silenceForItem } = REQUEST_LIMIT;
	const limit = itemIndex === undefined ? silence : silenceForItem;
	return new Registry(context, credentialType, data, baseUrl, limit);
}

function readCredentialType(context: RegistryContext, itemIndex?: number): CredentialTypeName {
	const authentication =
		itemIndex === undefined
			? (context as IHookFunctions).getNodeParameter('authentication', 'apiKey')
			: (context as IExecuteFunctions).getNodeParameter('authentication', itemIndex, 'apiKey');
	return authentication === 'session' ? 'companyRegistrySessionApi' : 'companyRegistryApi';
}

/** The answer's body in the schema's shape, or why it is none. */
function readAnswer<Schema extends ZodTypeAny>(
	schema: Schema,
	sent: Pick<FailedRequest, 'method' | 'credentialType' | 'token'>,
	{ statusCode, headers, body }: FullAnswer,
): z.output<Schema> | RegistryFailure {
	const isSuccess = statusCode >= 200 && statusCode < 300;
	// Some services send their error object with a success status.
	const refusedAs = isSuccess ? errorBodySchema.safeParse(body).data?.status : statusCode;
	if (refusedAs !== undefined) {
		const status = refusedAs < 300 ? 400 : refusedAs;
		const retryAfter = readRetryAfter(status, headers['retry-after']);
		return new RegistryFailure({ ...sent, status, body, retryAfter });
	}
	const parsed = schema.safeParse(body);
	// A web page is no answer of the service, though a change may be answered with anything.
	if (parsed.success && !isHtml(body)) return parsed.data as z.output<Schema>;
	return new RegistryFailure({ ...sent, status: statusCode, body, isStrange: true });
}

/** Milliseconds from a Retry-After header in seconds or as a date, with a status to which it belongs. */
function readRetryAfter(status: number, header: unknown): number | undefined {
	if (![429, 503].includes(status) || typeof header !== 'string') return undefined;
	if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1000;
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
