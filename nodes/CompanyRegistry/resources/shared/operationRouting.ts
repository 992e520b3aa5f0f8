import {
	NodeApiError,
	NodeOperationError,
	type DeclarativeRestApiSettings,
	type IDataObject,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type IHttpRequestMethods,
	type INodeExecutionData,
	type INodePropertyRouting,
} from 'n8n-workflow';
import type { ZodTypeAny, z } from 'zod';

import { readAnswer, withoutAnswer, type FullAnswer } from '../../shared/registry/answer';
import { invalidBaseUrl } from '../../shared/registry/baseUrl';
import type { CredentialTypeName } from '../../shared/registry/failures';
import { RegistryFailure } from '../../shared/registry/registryFailure';
import { sendPatiently, spreadWaiting } from '../../shared/registry/waiting';
import { oneAtATime } from './oneAtATime';
import { refuse } from './refuse';
import { readRunCredential } from './runCredential';

type RequestOptions = DeclarativeRestApiSettings.HttpRequestOptions;

interface Operation<Schema extends ZodTypeAny> {
	method: IHttpRequestMethods;
	/** Path from `/v1` on, unless `prepare` sets the URL. */
	url?: string;
	/** Items whose keys are equal are sent one after the other, in the order of the input. */
	oneAtATimeFor?: (context: IExecuteSingleFunctions) => string;
	/** Checks what the user entered and completes the request; nothing is sent if it throws. */
	prepare?: (context: IExecuteSingleFunctions, options: RequestOptions) => void | Promise<void>;
	/** The shape that a successful answer must have. */
	schema: Schema;
	/** Picks the output from a successful answer: one item per entry. */
	read: (
		answer: z.output<Schema>,
		context: IExecuteSingleFunctions,
		sent: RequestOptions,
	) => object[];
}

/**
 * The routing of one operation: one request per input item, all items at the same time.
 *
 * n8n's pagination hook is the one place where declarative routing lets a node see a request
 * that failed, so it is used to put every failure into our words and, with continue-on-fail, to
 * return an error item that is paired with its input.
 */
export function operationRouting<Schema extends ZodTypeAny>(
	operation: Operation<Schema>,
): INodePropertyRouting {
	const { method, url } = operation;
	return {
		request: { method, ...(url === undefined ? {} : { url }) },
		send: { paginate: true },
		operations: {
			async pagination(this: IExecutePaginationFunctions, requestData) {
				const item = this.getItemIndex();
				const run = async () => await runOne(this, requestData, operation);
				try {
					const key = operation.oneAtATimeFor?.(this);
					const entries = await (key === undefined ? run() : oneAtATime(key, run));
					return entries.map((json) => ({ json: json as IDataObject, pairedItem: { item } }));
				} catch (error) {
					const failure = toNodeError(this, error);
					if (!this.continueOnFail()) throw failure;
					return [errorItem(failure, item)];
				}
			},
		},
		output: {
			postReceive: [
				// Hands the answer to the pagination hook as it came, to be judged there.
				async function handOver(_items, { statusCode, headers, body }) {
					return [{ json: { statusCode, headers, body } as IDataObject }];
				},
			],
		},
	};
}

async function runOne<Schema extends ZodTypeAny>(
	context: IExecutePaginationFunctions,
	requestData: DeclarativeRestApiSettings.ResultOptions,
	{ method, prepare, schema, read }: Operation<Schema>,
): Promise<object[]> {
	const { options } = requestData;
	const credentialType = credentialTypeOf(context);
	const { baseUrl, secrets } = await readRunCredential(context, credentialType);
	if (baseUrl === undefined) throw refuse(context, invalidBaseUrl);
	options.baseURL = baseUrl;
	// Whatever domains a credential is kept to, n8n lets its own address through, but knows it only
	// where it resolves the base URL itself.
	if (options.allowedDomains !== undefined) {
		options.allowedDomains = `${new URL(baseUrl).hostname}, ${options.allowedDomains}`;
	}
	await prepare?.(context, options);

	const sent = { method, credentialType, secrets };
	const answer = await sendPatiently(async () => {
		const [{ json }] = await context.makeRoutingRequest(requestData).catch((error: unknown) =>
			// Any status is an answer, so n8n's own request error means that none came.
			Promise.reject(error instanceof NodeApiError ? withoutAnswer(sent, error) : error),
		);
		return readAnswer(schema, sent, json as unknown as FullAnswer);
	}, spreadWaiting);
	return read(answer, context, options);
}

function toNodeError(
	context: IExecuteSingleFunctions,
	error: unknown,
): NodeApiError | NodeOperationError {
	const node = context.getNode();
	const itemIndex = context.getItemIndex();
	if (error instanceof RegistryFailure) return error.toNodeError(node, itemIndex);
	if (error instanceof NodeOperationError) return error;
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
