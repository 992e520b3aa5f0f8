import {
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type IHttpRequestMethods,
	type IN8nHttpFullResponse,
	type ILoadOptionsFunctions,
	type ITriggerFunctions,
} from 'n8n-workflow';
import type { ZodTypeAny, z } from 'zod';

import { waitUnlessAborted } from '../shared/async';
import { digestOf } from '../shared/digest';
import { INVALID_BASE_URL, normaliseBaseUrl, tokenOf } from './credential';
import { reasonOf, RegistryFailure } from './failure';
import { isHtml, type CredentialTypeName, type FailedRequest } from './describeFailure';
import { paceOf, type Pace, type SentRequest } from './pace';
import { errorBodySchema } from './schemas';
import type { RecordName } from './servicePaths';

export type RegistryContext =
	| IHookFunctions
	| ITriggerFunctions
	| ILoadOptionsFunctions
	| IExecuteFunctions;

/** Requests of one trigger, or of one run of an action, that are open at the same time. */
export const CONCURRENT_REQUESTS = 10;

/** In milliseconds. Tests use shorter times. */
export const REQUEST_LIMIT = {
	/** Longest silence of the service. */
	silence: 15_000,
	/** Longest duration of one request, even if its answer keeps arriving. */
	inAll: 60_000,
	/** Longest silence for an action, as in n8n's own nodes. n8n's cancel signal replaces a limit in all. */
	silenceForItem: 300_000,
	/** Longest wait for a service that refuses every request. */
	patience: 60_000,
	/** Pause before the second attempt after a fault; twice as long before the third. */
	beforeRetry: 500,
};

/** Characters of the digest of a token: 48 bits tell accounts apart. */
const ACCOUNT_DIGEST_LENGTH = 8;
/** Time between two looks at the pace, in milliseconds. */
const POLL_INTERVAL = 100;
/** Attempts at one request, the first included, if the fault is transient. */
const MAXIMUM_ATTEMPTS = 3;
/** n8n's timeout codes. Another attempt would only prolong the wait. */
const TIMEOUT_CODES = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED']);

interface RegistryRequest {
	method: IHttpRequestMethods;
	/** Path from `/v1` on, each segment already encoded. */
	path: string;
	qs?: IDataObject;
	body?: object;
}

/** The service, called with one credential. {@link openRegistry} creates it. */
export class Registry {
	/** Identifies the account by base URL and a digest of the token, which does not reveal the token. */
	readonly account: string;
	private readonly pace: Pace;
	private readonly openedAt = performance.now();

	constructor(
		private readonly context: RegistryContext,
		readonly credentialType: CredentialTypeName,
		private readonly credential: ICredentialDataDecryptedObject,
		readonly baseUrl: string,
		private readonly isAction: boolean,
	) {
		const identity = `${baseUrl}\n${tokenOf(credential)}`;
		this.account = `${baseUrl}#${digestOf(identity, ACCOUNT_DIGEST_LENGTH)}`;
		this.pace = paceOf(this.account);
	}

	/** The path of a record as the user entered it in the credential; empty if there is none. */
	enteredPath(record: RecordName): string {
		return String(this.credential[`${record}Path`] ?? '').trim();
	}

	/**
	 * Sends one request and parses its answer. Retries after 429 and transient faults; a POST only if the
	 * service cannot have processed it. All requests to one account share its pace.
	 *
	 * @param signal stops waits and further attempts, but not an open request. An aborted request throws its
	 * last failure, or the signal's reason if nothing was sent
	 * @throws RegistryFailure
	 */
	async request<Schema extends ZodTypeAny>(
		request: RegistryRequest,
		schema: Schema,
		signal?: AbortSignal,
	): Promise<z.output<Schema>> {
		let failure: RegistryFailure | undefined;
		let faults = 0;

		for (;;) {
			const sent = await this.waitForSlot(signal);
			if (sent === undefined) throw failure ?? signal?.reason;
			const answer = await this.send(request, schema);
			const now = performance.now();
			if (!(answer instanceof RegistryFailure)) {
				this.pace.noteAccepted(sent, now);
				return answer;
			}
			failure = answer;
			if (isThrottled(failure)) {
				this.pace.noteThrottled(sent, now, failure.retryAfter);
				if (this.pace.isPastDeadline(now, this.deadline)) throw failure;
			} else {
				if (failure.status !== undefined) this.pace.noteAccepted(sent, now);
				if (++faults === MAXIMUM_ATTEMPTS || !isTransient(failure)) throw failure;
				await waitUnlessAborted(retryDelay(faults), signal);
			}
		}
	}

	/** Waits until the pace allows one request; undefined if the signal is aborted first. */
	private async waitForSlot(signal?: AbortSignal): Promise<SentRequest | undefined> {
		while (!signal?.aborted) {
			const now = performance.now();
			const wait = this.pace.wait(now, this.deadline);
			// Checked and taken in one step, so that two requests never share a slot.
			if (wait <= 0) return this.pace.takeSlot(now);
			// The slot may come earlier, once the service accepts other requests.
			await waitUnlessAborted(Math.min(wait, POLL_INTERVAL), signal);
		}
		return undefined;
	}

	private get deadline(): number {
		return this.pace.deadline(REQUEST_LIMIT.patience, this.openedAt);
	}

	private async send<Schema extends ZodTypeAny>(
		{ path, ...request }: RegistryRequest,
		schema: Schema,
	): Promise<z.output<Schema> | RegistryFailure> {
		const { context, credentialType: type, credential: data, isAction } = this;
		const sent = { method: request.method, credentialType: type, token: tokenOf(data) };
		const { silence, inAll, silenceForItem } = REQUEST_LIMIT;
		const limits = isAction
			? { timeout: silenceForItem }
			: { timeout: silence, abortSignal: AbortSignal.timeout(inAll) };

		return await context.helpers.httpRequestWithAuthentication
			.call(
				context,
				type,
				{
					...request,
					...limits,
					url: `${this.baseUrl}${path}`,
					json: true,
					returnFullResponse: true,
					// n8n's helper would otherwise send a POST again after a 401.
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
				},
				// Reading the credential again would cost far more than the request.
				{ credentialsDecrypted: { id: '', name: type, type, data } },
			)
			.then(
				(response: IN8nHttpFullResponse) => readAnswer(schema, sent, response),
				(error: unknown) => new RegistryFailure({ ...sent, reason: reasonOf(error) }),
			);
	}
}

/**
 * Reads the node's credential once. The result works even after a life-cycle hook has returned.
 * @param itemIndex the item of an action, because the credential may contain expressions
 * @param credentialType that of 'Authentication' unless given
 * @throws NodeOperationError without a credential, or for an invalid base URL
 */
export async function openRegistry(
	context: RegistryContext,
	itemIndex?: number,
	credentialType = readCredentialType(context, itemIndex),
): Promise<Registry> {
	const data = await (context as IExecuteFunctions).getCredentials(credentialType, itemIndex);
	const baseUrl = normaliseBaseUrl(data.baseUrl);
	if (baseUrl === undefined) {
		throw new NodeOperationError(context.getNode(), INVALID_BASE_URL, { itemIndex });
	}
	return new Registry(context, credentialType, data, baseUrl, itemIndex !== undefined);
}

function readCredentialType(context: RegistryContext, itemIndex?: number): CredentialTypeName {
	const authentication =
		itemIndex === undefined
			? (context as IHookFunctions).getNodeParameter('authentication', 'apiKey')
			: (context as IExecuteFunctions).getNodeParameter('authentication', itemIndex, 'apiKey');
	return authentication === 'session' ? 'companyRegistrySessionApi' : 'companyRegistryApi';
}

/** Parses the answer's body with the schema, or returns the reason for a failure. */
function readAnswer<Schema extends ZodTypeAny>(
	schema: Schema,
	sent: Pick<FailedRequest, 'method' | 'credentialType' | 'token'>,
	{ statusCode, headers, body }: IN8nHttpFullResponse,
): z.output<Schema> | RegistryFailure {
	const failed = { ...sent, status: statusCode, body };
	if (statusCode < 200 || statusCode >= 300) {
		const retryAfter = readRetryAfter(headers['retry-after']);
		return new RegistryFailure({ ...failed, retryAfter });
	}

	const parsed = schema.safeParse(body);
	// The schema of an update accepts any body, even a web page or an error object.
	const isError = isHtml(body) || errorBodySchema.safeParse(body).success;
	if (parsed.success && !isError) return parsed.data as z.output<Schema>;

	return new RegistryFailure({ ...failed, isUnexpected: true });
}

/** Milliseconds from a Retry-After header, in seconds or as a date. */
function readRetryAfter(header: unknown): number | undefined {
	if (typeof header !== 'string') return undefined;
	if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** The service refused the request before processing it, so even a POST is sent again. */
function isThrottled({ status, retryAfter }: RegistryFailure): boolean {
	return status === 429 || (status === 503 && retryAfter !== undefined);
}

function isTransient({ kind, isTemporary, method, status, reason }: RegistryFailure): boolean {
	if (kind === 'notSent') return true;
	if (method === 'POST') return false;
	if (status === undefined) return !TIMEOUT_CODES.has(reason);
	// An unexpected answer has a status of success.
	return isTemporary && status >= 400;
}

/** A random part keeps concurrent requests from retrying together. */
function retryDelay(faults: number): number {
	return REQUEST_LIMIT.beforeRetry * faults * (0.5 + Math.random() / 2);
}
