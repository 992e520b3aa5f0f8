import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
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

	log(words: string): void {
		warn(this.context, words);
	}

	/** Stores what is known: an execution in which no node runs. */
	store(): void {
		if (mustNotStore(this.context)) return;
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

/** Why the trigger cannot store anything: with *Always Output Data* n8n would start the next node each time. */
export function mustNotStore(context: IHookFunctions | ITriggerFunctions): Error | undefined {
	if (!context.getNode().alwaysOutputData) return undefined;
	return new Error(
		"Switch off 'Always Output Data' in the settings of this node: n8n would start your next step with an empty item whenever the trigger stores something. Then unpublish the workflow and publish it again",
	);
}

function problemOf(context: IExecuteFunctions | ITriggerFunctions, words: string) {
	const error = new NodeOperationError(context.getNode(), words);
	// n8n puts words of its own in place of a message in which it finds a code such as ECONNRESET.
	error.message = words;
	return error;
}
