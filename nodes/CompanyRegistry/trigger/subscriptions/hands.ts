import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type ITriggerFunctions,
} from 'n8n-workflow';

import { warn } from '../../shared/words';
import type { TriggerIdentity } from '../identity/identity';
import { storeOf, writeAll } from '../memory/store';

/** The field of an item that is no event but something to tell a person. */
const TOLD = 'company_registry_problem';

/**
 * What n8n lets a published trigger do by itself. n8n saves static data whenever something is emitted, as it is in
 * the object of this activation; so each emission follows a write.
 */
export class Hands {
	constructor(
		readonly context: ITriggerFunctions,
		private readonly identity: TriggerIdentity,
	) {}

	/** Whether an emission without items starts nothing: with *Always Output Data* it starts the next node. */
	get canStore(): boolean {
		return this.context.getNode().alwaysOutputData !== true;
	}

	log(words: string): void {
		warn(this.context, words);
	}

	/** Stores what is known: an execution in which no node runs. */
	store(): void {
		if (!this.canStore) return;
		this.write();
		this.context.emit([[]]);
	}

	/** Starts the workflow with an item of *Watch Status*. */
	show(item: IDataObject): void {
		this.write();
		this.context.emit([[{ json: item }]]);
	}

	/** Becomes a failed execution with these words, which starts the error workflow of today's settings. */
	tell(words: string): void {
		this.write();
		const { onError, continueOnFail } = this.context.getNode();
		// There n8n would hand the item to the next node in place of failing.
		if (continueOnFail || (onError !== undefined && onError !== 'stopWorkflow')) {
			this.context.saveFailedExecution(problemOf(this.context, words));
			this.store();
			return;
		}
		this.context.emit([[{ json: { [TOLD]: words } }]]);
	}

	private write(): void {
		writeAll(this.context.getWorkflowStaticData('global'), this.identity);
		// n8n saves it without saying so.
		storeOf(this.identity).isDoubtful = true;
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

function problemOf(context: IExecuteFunctions | ITriggerFunctions, words: string) {
	const error = new NodeOperationError(context.getNode(), words);
	// n8n puts words of its own in place of a message in which it finds a code such as ECONNRESET.
	error.message = words;
	return error;
}
