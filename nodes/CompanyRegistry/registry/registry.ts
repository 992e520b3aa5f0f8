import { isPlainObject } from 'lodash';
import {
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type IHttpRequestMethods,
	type ILoadOptionsFunctions,
	type ITriggerFunctions,
} from 'n8n-workflow';
import type { ZodTypeAny, z } from 'zod';

import { waitUnlessAborted } from '../shared/async';
import { digestOf } from '../shared/digest';
import { INVALID_BASE_URL, normaliseBaseUrl } from './credential';
import { reasonOf, RegistryFailure } from './failure';
import { isHtml, tokenOf, type CredentialTypeName, type FailedRequest } from './failureWords';
import { paceOf, type Pace, type Sent } from './pace';
import { errorBodySchema } from './schemas';

/** Any n8n context from which the service is called. */
export type RegistryContext =
	| IHookFunctions
	| ITriggerFunctions
	| ILoadOptionsFunctions
	| IExecuteFunctions;

/** Requests under way at once for one trigger, or one run of an action. */
export const CONCURRENT_REQUESTS = 10;

/** In milliseconds; tests wait less. */
export const REQUEST_LIMIT = {
	/** How long the service may send nothing. */
	silence: 15_000,
	/** How long one request may take, though its answer keeps trickling in. */
	inAll: 60_000,
	/**
	 * How long the service may send nothing to an action, as n8n's own nodes have it: nothing else waits for
	 * that. There is no limit in all: n8n puts the execution's own signal in place of any other.
	 */
	silenceForItem: 300_000,
	/** How long requests wait for a service that lets none of them through. */
	patience: 60_000,
	/** The same for what a life-cycle hook of the trigger begins: its run says when it waits no longer. */
	patienceOfTrigger: 3_600_000,
	/** Before a second attempt after a fault; twice as long before a third. */
	beforeRetry: 500,
};

/** In milliseconds. */
const LOOK_EVERY = 100;
/** How often at most a request is sent, the first time included, if the fault may pass. */
const MAXIMUM_ATTEMPTS = 3;
/** Answers of a service that is busy or restarting. */
const PASSING_STATUSES = new Set([500, 502, 503, 504]);
/** n8n's codes for a request that took too long: trying again only adds to the wait. */
const TIMED_OUT = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED']);

/** Characters of the token's digest, six bits each. Enough to tell accounts apart, and no more is stored. */
const DIGEST_LENGTH = 8;

interface RegistryRequest {
	method: IHttpRequestMethods;
	/** Path from `/v1` on, each segment already encoded. */
	path: string;
	qs?: IDataObject;
	body?: object;
	/** Whether the answer's `Link` header is read as the field `link` of its body. */
	readsLink?: true;
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
	private readonly pace: Pace;
	private readonly opened = performance.now();

	constructor(
		private readonly context: RegistryContext,
		private readonly credentialType: CredentialTypeName,
		private readonly credential: ICredentialDataDecryptedObject,
		readonly baseUrl: string,
		/** Which of {@link REQUEST_LIMIT} hold. */
		private readonly caller: 'action' | 'trigger' | 'picker',
	) {
		const named = `${baseUrl}\n${tokenOf(credential)}`;
		this.account = `${baseUrl}#${digestOf(named, DIGEST_LENGTH)}`;
		this.pace = paceOf(this.account);
	}

	/**
	 * Sends one request and returns its answer in the schema's shape. 429 and passing faults are tried again,
	 * a POST only where the service surely did not process it. Requests to one account keep to the pace that
	 * the service allows, whichever of these objects sends them; after this object's patience without one let
	 * through, none waits.
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
		let faults = 0;
		for (;;) {
			const sent = await this.takeTurn(signal);
			if (sent === undefined) throw failure ?? signal?.reason;
			const answer = await this.send(request, schema);
			const now = performance.now();
			if (!(answer instanceof RegistryFailure)) {
				this.pace.letThrough(sent, now);
				return answer;
			}
			failure = answer;
			if (isAskedToWait(failure)) {
				this.pace.refused(sent, now, failure.retryAfter);
				if (this.pace.isHopeless(now, this.deadline)) throw failure;
			} else {
				if (failure.status !== undefined) this.pace.letThrough(sent, now);
				if (++faults === MAXIMUM_ATTEMPTS || !mayPass(failure)) throw failure;
				await waitUnlessAborted(beforeRetry(faults), signal);
			}
		}
	}

	/** Waits until one request may be sent. Undefined if the signal was aborted before. */
	private async takeTurn(signal?: AbortSignal): Promise<Sent | undefined> {
		while (!signal?.aborted) {
			const now = performance.now();
			const wait = this.pace.wait(now, this.deadline);
			// In the same step as the look at the time: no two requests take one turn.
			if (wait <= 0) return this.pace.send(now);
			// A turn may come earlier than it was to: the service may let others through.
			await waitUnlessAborted(Math.min(wait, LOOK_EVERY), signal);
		}
		return undefined;
	}

	private get deadline(): number {
		const { patience, patienceOfTrigger } = REQUEST_LIMIT;
		const mine = this.caller === 'trigger' ? patienceOfTrigger : patience;
		return this.pace.deadline(mine, this.opened);
	}

	private async send<Schema extends ZodTypeAny>(
		{ path, readsLink, ...request }: RegistryRequest,
		schema: Schema,
	): Promise<z.output<Schema> | RegistryFailure> {
		const { context, credentialType: type, credential: data, caller } = this;
		const sent = { method: request.method, credentialType: type, token: tokenOf(data) };
		const { silence, inAll, silenceForItem } = REQUEST_LIMIT;
		const limits =
			caller === 'action'
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
					// Statuses are judged here: n8n's helper would send a refused POST a second time.
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
				},
				// Read once by openRegistry: reading the credential costs far more than the request.
				{ credentialsDecrypted: { id: '', name: type, type, data } },
			)
			.then(
				(answer: FullAnswer) => readAnswer(schema, sent, readsLink ? withLink(answer) : answer),
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
	const isHook = 'getActivationMode' in context;
	const caller = itemIndex !== undefined ? 'action' : isHook ? 'trigger' : 'picker';
	return new Registry(context, credentialType, data, baseUrl, caller);
}

function readCredentialType(context: RegistryContext, itemIndex?: number): CredentialTypeName {
	const authentication =
		itemIndex === undefined
			? (context as IHookFunctions).getNodeParameter('authentication', 'apiKey')
			: (context as IExecuteFunctions).getNodeParameter('authentication', itemIndex, 'apiKey');
	return authentication === 'session' ? 'companyRegistrySessionApi' : 'companyRegistryApi';
}

function withLink({ body, ...answer }: FullAnswer): FullAnswer {
	const link = answer.headers.link;
	return { ...answer, body: isPlainObject(body) ? { ...(body as object), link } : body };
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
	if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** If the service asks for it, even a POST is sent again: it was refused, not lost. */
function isAskedToWait({ status, retryAfter }: RegistryFailure): boolean {
	return status === 429 || (status === 503 && retryAfter !== undefined);
}

function mayPass({ kind, method, status, reason }: RegistryFailure): boolean {
	if (kind === 'notSent') return true;
	if (method === 'POST') return false;
	return status === undefined ? !TIMED_OUT.has(reason) : PASSING_STATUSES.has(status);
}

/** Up to a half is taken off at random, so that not all requests go on together. */
function beforeRetry(faults: number): number {
	return REQUEST_LIMIT.beforeRetry * faults * (0.5 + Math.random() / 2);
}
