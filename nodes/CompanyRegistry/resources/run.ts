import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type IGetNodeParameterOptions,
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import type { CredentialTypeName } from '../registry/describeFailure';
import { RegistryFailure, toNodeError } from '../registry/failure';
import { CONCURRENT_REQUESTS, openRegistry } from '../registry/registry';
import { concurrently, rejectionOf } from '../shared/async';
import { SharedAccount } from './sharedAccount';

/** One operation of the node: its entry and fields in the editor, and its code. */
export interface Operation {
	option: INodePropertyOptions;
	/** The only credential that the operation accepts; any if undefined. */
	credentialType?: CredentialTypeName;
	/** All items are rows of one table: the operation runs once and pairs its output with {@link FromRow}. */
	takesTable?: true;
	/** `fieldsOf` shows them for this operation only. */
	fields?: INodeProperties[];
	/**
	 * Reads and checks the parameters of one item. The run checks all items before its first request.
	 * @returns a function that sends the item's requests and returns one object for each output item
	 * @throws NodeOperationError for a parameter that the user has to correct
	 */
	prepare: (item: Item) => Send;
	/** Undoes the changes of a failed run, and returns a text for the error's description. */
	undo?: (account: SharedAccount) => Promise<string>;
}

export type Send = () => Promise<Array<object | FromRow>>;

/** An output item of a table operation, with its row (from 0); undefined if it belongs to no row. */
export class FromRow<Json extends object = object> {
	constructor(
		readonly item: number | undefined,
		readonly json: Json,
	) {}
}

/** One input item, and the account of its credential. */
export class Item {
	constructor(
		readonly context: IExecuteFunctions,
		private readonly index: number,
		readonly account: SharedAccount,
	) {}

	/** The JSON of all input items. */
	get rows(): IDataObject[] {
		return this.context.getInputData().map(({ json }) => json);
	}

	/** All input items. */
	get all(): Item[] {
		return this.rows.map((_, index) => new Item(this.context, index, this.account));
	}

	parameter(name: string, fallback: unknown, options?: IGetNodeParameterOptions): unknown {
		return this.context.getNodeParameter(name, this.index, fallback, options);
	}

	/** An error for this item: cause as `message`, next step as `description`. */
	refuse({ message, description }: { message: string; description: string }): NodeOperationError {
		const itemIndex = this.index;
		return new NodeOperationError(this.context.getNode(), message, { description, itemIndex });
	}
}

/**
 * Runs an operation and returns its output in the order of the input items.
 * @throws NodeApiError or NodeOperationError of the first failed item, unless 'On Error' is 'Continue'
 */
export async function runOperation(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	return await new Run(context, operation).outputOfAll();
}

/**
 * What the items of one run share. n8n cannot keep it: an AI agent passes the same `executeData` to all its tools,
 * and a retried run gets the same input.
 */
class Run {
	private readonly accounts = new Map<string, SharedAccount>();
	private readonly hints = new Set<string>();
	private readonly failed = new AbortController();
	private readonly signal: AbortSignal;
	/** Output items of each input item. */
	private readonly output: INodeExecutionData[][];

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
	) {
		const cancelled = context.getExecutionCancelSignal();
		this.signal = AbortSignal.any([this.failed.signal, ...(cancelled ? [cancelled] : [])]);
		this.output = operation.takesTable ? [[]] : context.getInputData().map(() => []);
	}

	async outputOfAll(): Promise<INodeExecutionData[]> {
		const sends: Send[] = [];
		await this.forEach([...this.output.keys()], async (index) => {
			sends[index] = this.operation.prepare(await this.open(index));
		});

		// An item with invalid parameters has no entry.
		const prepared = Object.keys(sends).map(Number);
		await this.forEach(prepared, async (index) => {
			const entries = await sends[index]();
			this.output[index] = entries.map((entry) => outputItem(entry, index));
		}).catch(async (error: NodeApiError | NodeOperationError) => {
			error.description = `${error.description ?? ''}${await this.undo()}`;
			return await Promise.reject(error);
		});

		for (const message of this.hints) {
			this.context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
		}
		return this.output.flat();
	}

	/** Each item may use another credential, because a credential may contain expressions. */
	private async open(index: number): Promise<Item> {
		const { context, accounts, signal, hints } = this;
		const registry = await openRegistry(context, index, this.operation.credentialType);
		const account = accounts.get(registry.account) ?? new SharedAccount(registry, signal, hints);
		accounts.set(registry.account, account);
		return new Item(context, index, account);
	}

	/** A failed item ends the run, or becomes an error item if 'On Error' is 'Continue'. */
	private async forEach(indexes: number[], work: (index: number) => Promise<void>): Promise<void> {
		const { context } = this;
		await concurrently(indexes, CONCURRENT_REQUESTS, async (index) => {
			const reason = await rejectionOf(work(index));
			if (reason === undefined) return;
			const error = toNodeError(context.getNode(), reason, index);
			if (!context.continueOnFail()) {
				this.failed.abort(error);
				throw error;
			}
			this.output[index] = [errorItem(context, error, reason, index)];
		});
	}

	private async undo(): Promise<string> {
		const said: string[] = [];
		for (const account of this.accounts.values()) {
			said.push((await this.operation.undo?.(account)) ?? '');
		}
		return said.join('');
	}
}

/** @param index of the input item that was run */
function outputItem(entry: object | FromRow, index: number): INodeExecutionData {
	const { item, json } = entry instanceof FromRow ? entry : new FromRow(index, entry);
	// An empty list keeps n8n from pairing by position.
	const pairedItem = item === undefined ? [] : { item };
	// Items may share an answer, but never an output object.
	return { json: { ...json } as IDataObject, pairedItem };
}

/** The output item of a failed item, with what the service sent. */
function errorItem(
	context: IExecuteFunctions,
	error: NodeApiError | NodeOperationError,
	reason: unknown,
	index: number,
): INodeExecutionData {
	const httpCode = error instanceof NodeApiError ? error.httpCode : 'none';
	const details = { description: error.description, httpCode, item: index };
	const json: IDataObject = { error: error.message, details };
	const item: INodeExecutionData = { json, pairedItem: { item: index } };

	const serviceError = reason instanceof RegistryFailure ? reason.serviceError : undefined;
	if (serviceError === undefined) return item;
	json.service_error = { ...serviceError };
	if (context.getNode().onError !== 'continueErrorOutput') return item;
	// n8n takes an item with a further field for a failure only by its `error`, which must not stay: n8n would
	// reduce the item to its message. Its copy leaves out what cannot be enumerated.
	return Object.defineProperty(item, 'error', { value: error, enumerable: false });
}
