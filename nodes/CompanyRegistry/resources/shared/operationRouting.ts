import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IExecutePaginationFunctions,
	type IExecuteSingleFunctions,
	type IHttpRequestMethods,
	type INodeExecutionData,
	type INodePropertyRouting,
	type ILoadOptionsFunctions,
} from 'n8n-workflow';
import type { ZodTypeAny, z } from 'zod';

import { RegistryFailure } from '../../registry/failure';
import { openRegistry } from '../../registry/registry';
import { oneAtATime } from './oneAtATime';

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
			async pagination(this: IExecutePaginationFunctions) {
				const item = this.getItemIndex();
				const run = async () => await runItem(this, senderFor(this));
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
	};
}

function senderFor(context: IExecutePaginationFunctions): Send {
	return async ({ url, ...request }, schema) => {
		const registry = await openRegistry(context as unknown as ILoadOptionsFunctions);
		return await registry.request({ ...request, path: url }, schema);
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
