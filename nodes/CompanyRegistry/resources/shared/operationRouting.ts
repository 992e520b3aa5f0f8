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

import { readAnswer, withoutAnswer, type FullAnswer } from '../../registry/answer';
import { invalidBaseUrl } from '../../registry/baseUrl';
import type { CredentialTypeName } from '../../registry/failures';
import { RegistryFailure } from '../../registry/registryFailure';
import { sendPatiently, spreadWaiting } from '../../registry/waiting';
import { oneAtATime } from './oneAtATime';
import { readRunCredential } from './runCredential';
import { refuse } from './refuse';

interface ItemRequest {
	method: IHttpRequestMethods;
	/** Path from `/v1` on. */
	url: string;
	qs?: IDataObject;
	body?: IDataObject;
}

/**
 * Sends a request for one item and returns its answer in the schema's shape.
 * @throws RegistryFailure
 */
export type Send = <Schema extends ZodTypeAny>(
	request: ItemRequest,
	schema: Schema,
) => Promise<z.output<Schema>>;

/** One operation for one item: checks what the user entered, sends, and returns an object for each output item. */
type RunItem = (context: IExecuteSingleFunctions, send: Send) => Promise<object[]>;

/**
 * The routing of one operation: all input items at the same time, each output item paired with its input.
 *
 * n8n's pagination hook is the one place where declarative routing lets a node see a request
 * that failed, so it is used to put every failure into our words and, with continue-on-fail, to
 * return an error item that is paired with its input.
 *
 * @param oneAtATimeFor items for which this is equal run one after the other, in the order of the input
 */
export function operationRouting(
	runItem: RunItem,
	oneAtATimeFor?: (context: IExecuteSingleFunctions) => string,
): INodePropertyRouting {
	return {
		send: { paginate: true },
		operations: {
			async pagination(this: IExecutePaginationFunctions, requestData) {
				const item = this.getItemIndex();
				const run = async () => await runItem(this, senderFor(this, requestData));
				try {
					const key = oneAtATimeFor?.(this);
					const entries = await (key === undefined ? run() : oneAtATime(key, run));
					return entries.map((entry) => ({
						// Items of a run may share an answer; each output item is one of its own.
						json: { ...entry } as IDataObject,
						pairedItem: { item },
					}));
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

function senderFor(
	context: IExecutePaginationFunctions,
	requestData: DeclarativeRestApiSettings.ResultOptions,
): Send {
	return async (request, schema) => {
		const credentialType = credentialTypeOf(context);
		const { baseUrl, secrets } = await readRunCredential(context, credentialType);
		if (baseUrl === undefined) throw refuse(context, invalidBaseUrl);
		const options = { ...requestData.options, ...request, baseURL: baseUrl };
		// n8n adds the credential's own host to allowedDomains only where it resolves the base URL itself.
		if (options.allowedDomains !== undefined) {
			options.allowedDomains = `${new URL(baseUrl).hostname}, ${options.allowedDomains}`;
		}
		const sent = { method: request.method, credentialType, secrets };
		return await sendPatiently(async () => {
			const [{ json }] = await context
				.makeRoutingRequest({ ...requestData, options })
				.catch((error: unknown) =>
					// Any status is an answer, so n8n's own request error means that none came.
					Promise.reject(error instanceof NodeApiError ? withoutAnswer(sent, error) : error),
				);
			return readAnswer(schema, sent, json as unknown as FullAnswer);
		}, spreadWaiting);
	};
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
