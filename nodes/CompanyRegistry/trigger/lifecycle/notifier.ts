import type { IDataObject, IExecuteFunctions, ITriggerFunctions } from 'n8n-workflow';

import { digestOf } from '../../shared/digest';
import { nodeError, warn } from '../../shared/format';
import type { Notice } from './messages';
import { writeAll, type TriggerMemory } from './state';

const DAY = 86_400_000;
/** The field of an emitted item that becomes a failed execution. */
const REPORT = 'company_registry_report';

/**
 * Stores the state, and starts the workflow with the item. Without one, it is an execution in which no node runs. n8n
 * saves static data with each emission, as it is in the copy of this activation.
 */
export function emit(context: ITriggerFunctions, memory: TriggerMemory, item?: IDataObject): void {
	writeAll(context.getWorkflowStaticData('global'), memory);
	context.emit([item ? [{ json: item }] : []]);
}

/**
 * A report becomes a failed execution, which starts the error workflow of today's settings: once, again when it
 * changes, otherwise once a day. The log has the same words each time.
 * @param at milliseconds since the epoch
 */
export function reportOnce(
	context: ITriggerFunctions,
	memory: TriggerMemory,
	{ words, key }: Notice,
	at: number,
): void {
	const { reported } = memory.facts;
	if (words === '') return memory.updateFacts({ reported: undefined });
	warn(context, words);
	const what = digestOf(key, 16);
	if (reported?.what === what && Math.abs(at - reported.at) < DAY) return;
	memory.updateFacts({ reported: { what, at } });
	const { onError = 'stopWorkflow', continueOnFail } = context.getNode();
	if (onError === 'stopWorkflow' && !continueOnFail)
		return emit(context, memory, { [REPORT]: words });
	// Here n8n would hand the item to the next step instead of failing.
	context.saveFailedExecution(nodeError(context, words));
	emit(context, memory);
}

/** Hands on the items that the trigger emitted or received. @throws NodeOperationError with the words of a report */
export function execute(context: IExecuteFunctions) {
	const items = context.getInputData();
	const words = items[0]?.json[REPORT];
	if (typeof words === 'string') throw nodeError(context, words);
	return [items];
}
