import { createHash } from 'crypto';

import {
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IHookFunctions,
	type IHttpRequestMethods,
	type ILoadOptionsFunctions,
} from 'n8n-workflow';
import type { ZodTypeAny, z } from 'zod';

import { readAnswer, withoutAnswer, type FullAnswer } from './answer';
import { invalidBaseUrl, normaliseBaseUrl } from './baseUrl';
import type { CredentialTypeName } from './failures';
import { secretsOf } from './quotation';
import { SharedWaiting, sendPatiently } from './waiting';

/** Any n8n context from which the service is called outside declarative routing. */
export type RegistryContext = IHookFunctions | ILoadOptionsFunctions;

/** In milliseconds; tests wait less. */
export const REQUEST_LIMIT = {
	/** How long the service may send nothing. */
	silence: 15_000,
	/** How long one request may take, though its answer keeps trickling in. */
	inAll: 60_000,
};
/** Characters of the digest, six bits each. Enough to tell accounts apart, and no more is stored. */
const DIGEST_LENGTH = 8;

export interface RegistryRequest {
	method: IHttpRequestMethods;
	/** Path from `/v1` on, each segment already encoded. */
	path: string;
	qs?: IDataObject;
	body?: IDataObject;
}

/** The service, as one credential sees it. Made by {@link openRegistry}. */
export class Registry {
	/** One 429 slows all requests that share this. */
	private readonly waiting = new SharedWaiting();

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
		return await sendPatiently(async () => await this.send(request, schema), this.waiting);
	}

	/** No request waits beyond that moment, in milliseconds since the epoch, for another attempt. */
	finishBy(deadline: number): void {
		this.waiting.finishBy(deadline);
	}

	/** From now on each request is sent once, also those that are waiting: for a run that has to end soon. */
	stopWaiting(): void {
		this.waiting.stop();
	}

	/** Undoes that, for a run that has all the time it needs. */
	waitAgain(): void {
		this.waiting.startAgain();
	}

	private async send<Schema extends ZodTypeAny>(
		{ method, path, qs, body }: RegistryRequest,
		schema: Schema,
	): Promise<z.output<Schema>> {
		const { context, credentialType, credential } = this;
		const sent = { method, credentialType, secrets: secretsOf(credential.data) };
		const answer = (await context.helpers.httpRequestWithAuthentication
			.call(
				context,
				credentialType,
				{
					method,
					url: `${this.baseUrl}${path}`,
					...(qs ? { qs } : {}),
					...(body ? { body } : {}),
					json: true,
					timeout: REQUEST_LIMIT.silence,
					abortSignal: AbortSignal.timeout(REQUEST_LIMIT.inAll),
					returnFullResponse: true,
					// Statuses are judged here: n8n's helper would send a refused POST a second time.
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
				},
				// Read once by openRegistry: reading the credential costs far more than the request.
				{ credentialsDecrypted: { ...credential, type: credentialType } },
			)
			.catch((error: unknown) => Promise.reject(withoutAnswer(sent, error)))) as FullAnswer;
		return readAnswer(schema, sent, answer);
	}
}

/**
 * Reads the node's credential once and returns the service as it sees it. Requests may be sent for as
 * long as the process lives, also once the life-cycle hook has returned.
 * @throws NodeOperationError without a credential or with a base URL that is none
 */
export async function openRegistry(context: RegistryContext): Promise<Registry> {
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
		throw new NodeOperationError(node, `${message}. ${description}`);
	}
	const { id, name } = node.credentials?.[credentialType] ?? { id: null, name: credentialType };
	return new Registry(context, credentialType, { id: id ?? '', name, data }, baseUrl);
}
