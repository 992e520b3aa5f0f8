import { NodeOperationError, type IExecuteSingleFunctions } from 'n8n-workflow';

/** A refusal of what the user entered, before any request. */
export function refuse(
	context: IExecuteSingleFunctions,
	{ message, description }: { message: string; description: string },
): NodeOperationError {
	const itemIndex = context.getItemIndex();
	return new NodeOperationError(context.getNode(), message, { description, itemIndex });
}
