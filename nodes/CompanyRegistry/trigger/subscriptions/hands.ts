import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	INodeExecutionData,
	ITriggerFunctions,
} from 'n8n-workflow';

import { problemOf, warn } from '../../shared/words';
import type { TriggerIdentity } from '../identity/identity';
import { writeAll, type Store } from '../memory/store';

/** The field of an item that is no event but something to tell a person. */
const TOLD = 'company_registry_problem';

/**
 * What n8n lets a published trigger do by itself. n8n saves static data whenever something is emitted, as it is in
 * the object of this activation; so each emission follows a write.
 */
export class Hands {
	/** Undefined while n8n lets the trigger do nothing. */
	context: ITriggerFunctions | undefined;

	constructor(
		private readonly identity: TriggerIdentity,
		private readonly known: Store,
	) {}

	log(words: string): void {
		if (this.context) warn(this.context, words);
	}

	/** Stores what is known: an execution in which no node runs. */
	store(): void {
		const { context } = this;
		if (context && !mustNotStore(context)) this.emit(context, []);
	}

	/** Starts the workflow with an item of *Watch Status*. */
	show(item: IDataObject): void {
		if (this.context) this.emit(this.context, [{ json: item }]);
	}

	/** Becomes a failed execution with these words, which starts the error workflow of today's settings. The log has them, too. */
	tell(words: string): void {
		const { context } = this;
		if (!context) return;
		this.log(words);
		const { onError, continueOnFail } = context.getNode();
		// There n8n would hand the item to the next node in place of failing.
		if (continueOnFail || (onError !== undefined && onError !== 'stopWorkflow')) {
			context.saveFailedExecution(problemOf(context, words));
			return this.store();
		}
		this.emit(context, [{ json: { [TOLD]: words } }]);
	}

	private emit(context: ITriggerFunctions, items: INodeExecutionData[]): void {
		writeAll(context.getWorkflowStaticData('global'), this.identity);
		// n8n saves it without saying so.
		this.known.isDoubtful = true;
		context.emit([items]);
	}
}

/**
 * What n8n runs of the trigger when an execution has begun with these items: it passes them on.
 * @throws NodeOperationError with what is to be told
 */
export function passOn(context: IExecuteFunctions): INodeExecutionData[][] {
	const items = context.getInputData();
	const words = items[0]?.json[TOLD];
	if (typeof words === 'string') throw problemOf(context, words);
	return [items];
}

/** Why the trigger cannot store anything: with *Always Output Data* n8n would start the next node each time. */
export function mustNotStore(context: IHookFunctions | ITriggerFunctions): Error | undefined {
	if (!context.getNode().alwaysOutputData) return undefined;
	return new Error(
		"Switch off 'Always Output Data' in the settings of this node: n8n would start your next step with an empty item whenever the trigger stores something. Then unpublish the workflow and publish it again",
	);
}
