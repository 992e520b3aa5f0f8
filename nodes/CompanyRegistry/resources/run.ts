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

import { toNodeError } from '../registry/failure';
import { CONCURRENT_REQUESTS, openRegistry } from '../registry/registry';
import { concurrently } from '../shared/async';
import { SharedAccount } from './sharedAccount';

/** One operation of the node: what the editor shows of it, and what it does. */
export interface Operation {
	option: INodePropertyOptions;
	/** Whether it has the field 'Company Number', which `readCompanyNumber` reads. */
	takesCompany?: true;
	/** Whether it has the field 'Webhook', which `readWebhookId` reads. */
	takesWebhook?: true;
	/** Whether all items are rows of one table: it runs once, and its entries say which row they are from. */
	takesTable?: true;
	/** Its own fields. They are shown for this operation; what else they depend on they say themselves. */
	fields?: INodeProperties[];
	/**
	 * Reads and checks what the user entered for one item. All items are checked before the first request.
	 * @returns what sends the item's requests, and returns an object for each output item
	 * @throws NodeOperationError for what the user has to put right
	 */
	prepare: (item: Item) => Send;
	/** Undoes what a run that fails has done in this account. Returns what to tell the user of it. */
	undo?: (account: SharedAccount) => Promise<string>;
	/** Called before n8n runs all items again and drops the output of this run. */
	beforeRepeat?: (account: SharedAccount) => void;
}

export type Send = () => Promise<Array<object | FromRow>>;

/** What an operation over a table puts out for one of its rows, counted from 0; undefined if for none of them. */
export class FromRow<Json extends object = object> {
	constructor(
		readonly item: number | undefined,
		readonly json: Json,
	) {}
}

/** One input item, and the account that its credential leads to. */
export class Item {
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly index: number,
		readonly account: SharedAccount,
	) {}

	/** What all items hold. */
	get rows(): IDataObject[] {
		return this.context.getInputData().map(({ json }) => json);
	}

	/** All input items. A run without any has this one all the same. */
	get all(): Item[] {
		const { context, account } = this;
		return (this.rows.length > 0 ? this.rows : [{}]).map(
			(_, index) => new Item(context, index, account),
		);
	}

	/** What the user entered in this field, be it an expression. */
	entered(name: string): unknown {
		return this.context.getNode().parameters[name];
	}

	/** What the node keeps from one of its runs to the next within an execution, as in a loop. */
	get kept(): IDataObject {
		return this.context.getContext('node');
	}

	parameter(name: string, fallback: unknown, options?: IGetNodeParameterOptions): unknown {
		return this.context.getNodeParameter(name, this.index, fallback, options);
	}

	/** A refusal of what the user entered. */
	refuse({ message, description }: { message: string; description: string }): NodeOperationError {
		const itemIndex = this.index;
		return new NodeOperationError(this.context.getNode(), message, { description, itemIndex });
	}
}

/**
 * One run of the node. It alone holds what its items share: an AI agent hands the same `executeData` to all
 * its tools, and n8n the same input to a run that it repeats.
 */
export class Run {
	private readonly accounts = new Map<string, SharedAccount>();
	/** Output items by input item. */
	private readonly output: INodeExecutionData[][];
	private readonly hints = new Set<string>();
	private readonly failed = new AbortController();
	private readonly signal: AbortSignal;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
	) {
		this.output = operation.takesTable ? [[]] : context.getInputData().map(() => []);
		const cancelled = context.getExecutionCancelSignal();
		this.signal = AbortSignal.any([this.failed.signal, ...(cancelled ? [cancelled] : [])]);
	}

	/**
	 * The output items, in the order of the input and paired with it.
	 * @throws NodeApiError or NodeOperationError of the first item that fails, unless the node goes on then
	 */
	async carryOut(): Promise<INodeExecutionData[]> {
		const sends: Send[] = [];
		await this.forEach([...this.output.keys()], async (index) => {
			sends[index] = this.operation.prepare(await this.open(index));
		});
		// Without those that are refused already.
		const checked = Object.keys(sends).map(Number);
		await this.forEach(checked, async (index) => {
			const entries = await sends[index]();
			this.output[index] = entries.map((entry) => {
				const { item, json } = entry instanceof FromRow ? entry : new FromRow(index, entry);
				// Without any pairing, n8n would pair an item by its place.
				const pairedItem = item === undefined ? [] : { item };
				// Items of a run may share an answer; each output item is one of its own.
				return { json: { ...json } as IDataObject, pairedItem };
			});
		}).catch(async (error: NodeApiError | NodeOperationError) => {
			for (const account of this.accounts.values()) {
				error.description = `${error.description ?? ''}${(await this.operation.undo?.(account)) ?? ''}`;
			}
			return await Promise.reject(error);
		});
		// With 'Retry On Fail', n8n takes a run whose first item is an error item for one that has failed.
		if (this.context.getNode().retryOnFail && this.output[0]?.[0]?.json.error !== undefined) {
			this.accounts.forEach((account) => this.operation.beforeRepeat?.(account));
		}
		for (const message of this.hints) {
			this.context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
		}
		return this.output.flat();
	}

	/** The credential may be another for each item, where it has an expression. */
	private async open(index: number): Promise<Item> {
		const registry = await openRegistry(this.context, index);
		const account =
			this.accounts.get(registry.account) ?? new SharedAccount(registry, this.signal, this.hints);
		this.accounts.set(registry.account, account);
		return new Item(this.context, index, account);
	}

	/** An item that fails ends the run, or becomes an error item. */
	private async forEach(indexes: number[], work: (index: number) => Promise<void>): Promise<void> {
		await concurrently(indexes, CONCURRENT_REQUESTS, async (index) => {
			await work(index).catch(async (reason: unknown) => {
				const error = toNodeError(this.context.getNode(), reason, index);
				if (this.context.continueOnFail()) {
					this.output[index] = [errorItem(error, index)];
					return;
				}
				this.failed.abort(error);
				await Promise.reject(error);
			});
		});
	}
}

/** Keys other than `error`, `message` and `details` would send the item to the success branch. */
function errorItem(error: NodeApiError | NodeOperationError, item: number): INodeExecutionData {
	const httpCode = error instanceof NodeApiError ? error.httpCode : 'none';
	const details = { description: error.description, httpCode, item };
	return { json: { error: error.message, details }, pairedItem: { item } };
}
