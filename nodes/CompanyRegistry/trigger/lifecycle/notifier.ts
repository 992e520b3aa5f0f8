import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	ITriggerFunctions,
} from 'n8n-workflow';

import { nodeError, warn } from '../../shared/format';
import { writeAll, type TriggerMemory } from './state';

/** The field of an emitted item that becomes a failed execution. */
const REPORT = 'company_registry_report';

/** Stores the state: an execution in which no node runs. */
export function persist(context: ITriggerFunctions, memory: TriggerMemory): void {
	emit(context, memory, []);
}

/** Starts the workflow with an item of Watch Status, and stores the state with it. */
export function showStatus(
	context: ITriggerFunctions,
	memory: TriggerMemory,
	item: IDataObject,
): void {
	emit(context, memory, [{ json: item }]);
}

/**
 * Becomes a failed execution with these words, which starts the error workflow of today's settings. Stores the state
 * with it. The log has the same words.
 */
export function report(context: ITriggerFunctions, memory: TriggerMemory, words: string): void {
	warn(context, words);
	const { onError, continueOnFail } = context.getNode();
	if (continueOnFail || (onError ?? 'stopWorkflow') !== 'stopWorkflow') {
		// There n8n would hand the item to the next step instead of failing.
		context.saveFailedExecution(nodeError(context, words));
		return persist(context, memory);
	}
	emit(context, memory, [{ json: { [REPORT]: words } }]);
}

/** n8n saves static data with each emission, as it is in the copy of this activation. */
function emit(
	context: ITriggerFunctions,
	memory: TriggerMemory,
	items: INodeExecutionData[],
): void {
	writeAll(context.getWorkflowStaticData('global'), memory);
	context.emit([items]);
}

/**
 * Runs the node: hands on the items that the trigger emitted or received.
 * @throws NodeOperationError with the words of a report
 */
export function execute(context: IExecuteFunctions): INodeExecutionData[][] {
	const items = context.getInputData();
	const words = items[0]?.json[REPORT];
	if (typeof words === 'string') throw nodeError(context, words);
	return [items];
}
