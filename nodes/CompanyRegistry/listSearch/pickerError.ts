import { NodeOperationError, type ILoadOptionsFunctions, type NodeApiError } from 'n8n-workflow';

import { RegistryFailure } from '../registry/failure';

/** What the editor shows in place of a list that could not be loaded. */
export function toPickerError(
	context: ILoadOptionsFunctions,
	error: unknown,
): NodeApiError | NodeOperationError {
	if (error instanceof RegistryFailure) return error.toNodeError(context.getNode());
	if (error instanceof NodeOperationError) return error;
	return new NodeOperationError(context.getNode(), error instanceof Error ? error : String(error));
}
