import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type ITriggerFunctions,
} from 'n8n-workflow';

import { writeAll, type TriggerMemory } from './memory';

/** The field of an emitted item that becomes a failed execution. */
export const FAILURE = 'company_registry_failure';

/** The text of a failed execution. */
interface ReportedFailure {
	title: string;
	description: string;
}

/** Stores the state, by an execution in which no node runs. */
export function store(context: ITriggerFunctions, memory: TriggerMemory): void {
	emit(context, memory, []);
}

/**
 * Starts the workflow with these items, and stores the state. n8n saves static data with each emission, as it is in
 * the copy of this activation.
 */
export function emit(
	context: ITriggerFunctions,
	memory: TriggerMemory,
	items: IDataObject[],
): void {
	writeAll(context.getWorkflowStaticData('global'), memory);
	context.emit([items.map((json) => ({ json }))]);
}

/** Stores the state with a failed execution, which starts the error workflow of today's settings. */
export function emitFailure(
	context: ITriggerFunctions,
	memory: TriggerMemory,
	{ title, description }: ReportedFailure,
): void {
	const { onError = 'stopWorkflow' } = context.getNode();
	if (onError === 'stopWorkflow')
		return emit(context, memory, [{ [FAILURE]: { title, description } }]);

	// Here n8n would hand the item to the next node instead of failing.
	context.saveFailedExecution(new NodeOperationError(context.getNode(), title, { description }));
	store(context, memory);
}

/** Hands on the items that the trigger emitted or received. @throws NodeOperationError for an emitted failure */
export function execute(context: IExecuteFunctions) {
	const items = context.getInputData();
	const failure = items[0]?.json[FAILURE] as ReportedFailure | undefined;
	if (failure === undefined) return [items];

	const { title, description } = failure;
	throw new NodeOperationError(context.getNode(), title, { description });
}
