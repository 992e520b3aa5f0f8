import { createHash } from 'crypto';

import {
	NodeOperationError,
	sleep,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteSingleFunctions,
	type IHookFunctions,
	type IHttpRequestMethods,
	type ILoadOptionsFunctions,
} from 'n8n-workflow';
import type { ZodTypeAny, z } from 'zod';

import { invalidBaseUrl, normaliseBaseUrl } from './baseUrl';
import { reasonOf, type CredentialTypeName } from './failures';
import { RegistryFailure } from './registryFailure';
import { readRetryAfter } from './retryAfter';

/** Any n8n context from which the service is called outside declarative routing. */
export type RegistryContext = IHookFunctions | ILoadOptionsFunctions | IExecuteSingleFunctions;

/** How long one request may take, in milliseconds. */
const REQUEST_TIMEOUT = 15_000;
/** How often a request that met a passing fault is sent at most, the first time included. */
const MAXIMUM_ATTEMPTS = 3;
/** How often one that the service asked to come back later is sent at most. */
const MAXIMUM_RETURNS = 12;
/** How long one request may wait in all, for its own refusals and for those of others, in milliseconds. */
const MAXIMUM_WAIT = 60_000;
/** How soon a waiting request notices that it need not wait any longer, in milliseconds. */
const WAITING_STEP = 1000;

/** Characters of a digest, of six bits each: enough to tell accounts apart, and no more. */
const DIGEST_LENGTH = 8;

/** Answers of a service that is there but busy or restarting. */
const PASSING_STATUSES = new Set([500, 502, 503, 504]);
/** n8n's codes for a request that ran into its timeout: trying again only adds to the wait. */
const TIMED_OUT = new Set(['ECONNABORTED', 'ETIMEDOUT']);

export interface RegistryRequest {
	method: IHttpRequestMethods;
	/** Path from `/v1` on, each segment already encoded. */
	path: string;
	qs?: IDataObject;
	body?: IDataObject;
}

interface FullResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/** The service, as one credential sees it. Made by {@link openRegistry}. */
export class Registry {
	/** Requests wait until then (epoch milliseconds): one 429 slows all requests that share this. */
	private openAgainAt = 0;
	private maximumWait = MAXIMUM_WAIT;
	private deadline = Infinity;

	constructor(
		private readonly context: RegistryContext,
		private readonly credentialType: CredentialTypeName,
		private readonly credential: { id: string; name: string; data: ICredentialDataDecryptedObject },
		readonly baseUrl: string,
	) {}

	/**
	 * Names the account by base URL and token: another credential entry with the same token is the same
	 * account, and another token may be another account. The token cannot be computed from it.
	 */
	get account(): string {
		const token = String(this.credential.data.apiKey ?? this.credential.data.sessionToken).trim();
		const digest = createHash('sha256').update(`${this.baseUrl}\n${token}`).digest('base64url');
		return `${this.baseUrl}#${digest.slice(0, DIGEST_LENGTH)}`;
	}

	/**
	 * Sends one request and returns its answer in the schema's shape.
	 * 429 and passing faults are tried again, a POST only where the service surely did not process it.
	 * @throws RegistryFailure
	 */
	async request<Schema extends ZodTypeAny>(
		request: RegistryRequest,
		schema: Schema,
	): Promise<z.output<Schema>> {
		let waited = 0;
		for (let attempt = 1; ; attempt++) {
			waited += await this.untilOpen();
			const outcome = await this.send(request, schema);
			if (!('failure' in outcome)) return outcome.data;

			const { failure, retryAfter } = outcome;
			const asked = failure.status === 429 || (failure.status === 503 && retryAfter !== undefined);
			const wait = Math.max(retryAfter ?? 0, backoff(attempt));
			if (
				waited + wait > this.maximumWait ||
				attempt >= (asked ? MAXIMUM_RETURNS : MAXIMUM_ATTEMPTS)
			) {
				throw failure;
			}
			// The service has refused, not lost, what it asks to send again: even a POST may be.
			if (!asked && !isSafeToRepeat(request.method, failure)) throw failure;
			failure.isOutOfTime = Date.now() + wait > this.deadline;
			if (failure.isOutOfTime) throw failure;

			if (asked) this.openAgainAt = Math.max(this.openAgainAt, Date.now() + wait);
			else {
				await sleep(wait);
				waited += wait;
			}
		}
	}

	/** No request waits beyond that moment, in milliseconds since the epoch, for another attempt. */
	finishBy(deadline: number): void {
		this.deadline = deadline;
	}

	/** From now on each request is sent once, also those that are waiting: for a run that has to end soon. */
	stopWaiting(): void {
		this.maximumWait = 0;
		this.openAgainAt = 0;
	}

	/** Waits until requests may be sent; returns how long, in milliseconds. */
	private async untilOpen(): Promise<number> {
		const began = Date.now();
		for (let left = this.openAgainAt - began; left > 0; left = this.openAgainAt - Date.now()) {
			// Those that waited together do not come back in the same instant.
			await sleep(Math.min(left + Math.random() * 250, WAITING_STEP));
		}
		return Date.now() - began;
	}

	private async send<Schema extends ZodTypeAny>(
		{ method, path, qs, body }: RegistryRequest,
		schema: Schema,
	): Promise<{ data: z.output<Schema> } | { failure: RegistryFailure; retryAfter?: number }> {
		let response: FullResponse;
		try {
			response = (await this.context.helpers.httpRequestWithAuthentication.call(
				this.context,
				this.credentialType,
				{
					method,
					url: `${this.baseUrl}${path}`,
					...(qs ? { qs } : {}),
					...(body ? { body } : {}),
					json: true,
					timeout: REQUEST_TIMEOUT,
					returnFullResponse: true,
					// Statuses are judged here: n8n's helper would send a refused POST a second time.
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
				},
				// Read once by openRegistry: reading it again for every request costs far more than the request.
				{ credentialsDecrypted: { ...this.credential, type: this.credentialType } },
			)) as FullResponse;
		} catch (error) {
			return {
				failure: new RegistryFailure(this.credentialType, method, { reason: reasonOf(error) }),
			};
		}

		const { statusCode: status, headers, body: answer } = response;
		if (status >= 200 && status < 300) {
			const parsed = schema.safeParse(answer);
			if (parsed.success) return { data: parsed.data as z.output<Schema> };
			const failure = { status, body: answer, understood: false };
			return { failure: new RegistryFailure(this.credentialType, method, failure) };
		}
		return {
			failure: new RegistryFailure(this.credentialType, method, { status, body: answer }),
			retryAfter: readRetryAfter(headers['retry-after']),
		};
	}
}

/**
 * Reads the node's credential once and returns the service as it sees it.
 * @throws NodeOperationError without a credential or with a base URL that is none
 */
export async function openRegistry(
	context: RegistryContext,
	itemIndex?: number,
): Promise<Registry> {
	const node = context.getNode();
	const credentialType: CredentialTypeName =
		context.getNodeParameter('authentication', 'apiKey') === 'session'
			? 'companyRegistrySessionApi'
			: 'companyRegistryApi';
	const data = await context.getCredentials(credentialType);
	const baseUrl = normaliseBaseUrl(data.baseUrl);
	if (baseUrl === undefined) {
		// When a publish fails, n8n shows the message and nothing else.
		const { message, description } = invalidBaseUrl;
		throw new NodeOperationError(
			node,
			`${message}. ${description}`,
			itemIndex === undefined ? {} : { itemIndex },
		);
	}
	const { id, name } = node.credentials?.[credentialType] ?? { id: null, name: credentialType };
	return new Registry(context, credentialType, { id: id ?? '', name, data }, baseUrl);
}

function isSafeToRepeat(method: string, { status, reason, mayBeDone }: RegistryFailure): boolean {
	if (status !== undefined) return method !== 'POST' && PASSING_STATUSES.has(status);
	return !mayBeDone && !TIMED_OUT.has(reason ?? '');
}

/** Milliseconds: doubling from half a second to eight, up to a half of it taken off at random. */
function backoff(attempt: number): number {
	return Math.min(500 * 2 ** (attempt - 1), 8000) * (0.5 + Math.random() / 2);
}
