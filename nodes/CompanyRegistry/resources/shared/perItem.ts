import {
	NodeApiError,
	NodeOperationError,
	type DeclarativeRestApiSettings,
	type IDataObject,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type IHttpRequestMethods,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
	type INodePropertyRouting,
} from 'n8n-workflow';
import type { ZodTypeAny, z } from 'zod';

import { invalidBaseUrl } from '../../shared/registry/baseUrl';
import { reasonOf, type CredentialTypeName } from '../../shared/registry/failures';
import { inTurn } from './inTurn';
import { RegistryFailure } from '../../shared/registry/registryFailure';
import { readRetryAfter } from '../../shared/registry/retryAfter';
import { AskedToComeBack, comeBackWhenAsked } from './comeBack';
import { readCredentialBaseUrl } from './credentialBaseUrl';

type RequestOptions = DeclarativeRestApiSettings.HttpRequestOptions;

/** Answers to which a Retry-After header belongs. */
const TRY_LATER = new Set([429, 503]);

interface Operation<Schema extends ZodTypeAny> {
	method: IHttpRequestMethods;
	/** Path from `/v1` on, unless `prepare` sets the URL. */
	url?: string;
	/** Items whose keys are equal are sent one after the other, in the order of the input. */
	oneAtATime?: (context: IExecuteSingleFunctions) => string;
	/** Checks what the user entered and completes the request; nothing is sent if it throws. */
	prepare?: (context: IExecuteSingleFunctions, options: RequestOptions) => void | Promise<void>;
	/** The shape that a successful answer must have. */
	schema: Schema;
	/** Picks the output from a successful answer: one item per entry. */
	read: (answer: z.output<Schema>, context: IExecuteSingleFunctions) => object[];
}

/**
 * The routing of one operation: one request per input item, all items at the same time.
 *
 * n8n's pagination hook is the one place where declarative routing lets a node see a request
 * that failed, so it is used to put every failure into our words and, with continue-on-fail, to
 * return an error item that is paired with its input.
 */
export function perItem<Schema extends ZodTypeAny>(
	operation: Operation<Schema>,
): INodePropertyRouting {
	const { method, url, schema, read } = operation;
	return {
		request: { method, ...(url === undefined ? {} : { url }) },
		send: { paginate: true },
		operations: {
			async pagination(this: IExecutePaginationFunctions, requestData) {
				const send = async () => await sendOne(this, requestData, operation);
				try {
					const key = operation.oneAtATime?.(this);
					return key === undefined ? await send() : await inTurn(key, send);
				} catch (error) {
					const failure = toNodeError(this, method, error);
					if (!this.continueOnFail()) throw failure;
					return [errorItem(failure, this.getItemIndex())];
				}
			},
		},
		output: {
			postReceive: [
				async function receive(_items, response) {
					const answer = understand(schema, method, response, credentialTypeOf(this));
					const pairedItem = { item: this.getItemIndex() };
					return read(answer, this).map((entry) => ({ json: entry as IDataObject, pairedItem }));
				},
			],
		},
	};
}

/** A refusal of what the user entered, before any request. */
export function refuse(
	context: IExecuteSingleFunctions,
	{ message, description }: { message: string; description: string },
): NodeOperationError {
	const itemIndex = context.getItemIndex();
	return new NodeOperationError(context.getNode(), message, { description, itemIndex });
}

async function sendOne<Schema extends ZodTypeAny>(
	context: IExecutePaginationFunctions,
	requestData: DeclarativeRestApiSettings.ResultOptions,
	{ prepare }: Operation<Schema>,
): Promise<INodeExecutionData[]> {
	const { options } = requestData;
	const baseURL = await readCredentialBaseUrl(context, credentialTypeOf(context));
	if (baseURL === undefined) throw refuse(context, invalidBaseUrl);
	options.baseURL = baseURL;
	// Whatever domains a credential is kept to, n8n lets its own address through, but knows it only
	// where it resolves the base URL itself.
	if (options.allowedDomains !== undefined) {
		options.allowedDomains = `${new URL(baseURL).hostname}, ${options.allowedDomains}`;
	}
	await prepare?.(context, options);
	return await comeBackWhenAsked(async () => await context.makeRoutingRequest(requestData));
}

function understand<Schema extends ZodTypeAny>(
	schema: Schema,
	method: IHttpRequestMethods,
	{ statusCode: status, headers, body }: IN8nHttpFullResponse,
	credential: CredentialTypeName,
): z.output<Schema> {
	if (status < 200 || status > 299) {
		const failure = new RegistryFailure(credential, method, { status, body });
		const after = readRetryAfter(headers['retry-after']);
		throw after !== undefined && TRY_LATER.has(status)
			? new AskedToComeBack(failure, after)
			: failure;
	}
	const parsed = schema.safeParse(body);
	if (parsed.success) return parsed.data as z.output<Schema>;
	throw new RegistryFailure(credential, method, { status, body, understood: false });
}

function toNodeError(
	context: IExecuteSingleFunctions,
	method: IHttpRequestMethods,
	error: unknown,
): NodeApiError | NodeOperationError {
	const node = context.getNode();
	const itemIndex = context.getItemIndex();
	if (error instanceof RegistryFailure) return error.toNodeError(node, itemIndex);
	if (error instanceof NodeOperationError) return error;
	// Any status reaches `understand`, so n8n's own request error means that no answer came.
	if (error instanceof NodeApiError) {
		const failure = new RegistryFailure(credentialTypeOf(context), method, {
			reason: reasonOf(error),
		});
		return failure.toNodeError(node, itemIndex);
	}
	return new NodeOperationError(node, error instanceof Error ? error : String(error), {
		itemIndex,
	});
}

/** Keys other than `error`, `message` and `details` would send the item to the success branch. */
function errorItem(error: NodeApiError | NodeOperationError, item: number): INodeExecutionData {
	const httpCode = error instanceof NodeApiError ? error.httpCode : 'none';
	const details = { description: error.description, httpCode, item };
	return { json: { error: error.message, details }, pairedItem: { item } };
}

function credentialTypeOf(context: IExecuteSingleFunctions): CredentialTypeName {
	return context.getNodeParameter('authentication') === 'session'
		? 'companyRegistrySessionApi'
		: 'companyRegistryApi';
}
