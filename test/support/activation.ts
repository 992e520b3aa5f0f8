// A published trigger as n8n's activation holds it: what it emits, and the clock that wakes it. As read in n8n
// 2.41.1's trigger-execution-context.factory.js and webhook-trigger-registrar.js.
import { mapValues, pick } from 'lodash';
import type { HookContext, TriggerContext } from 'n8n-core';
import type {
	ExecutionError,
	INodeExecutionData,
	WebhookSetupMethodNames,
	WorkflowActivateMode,
} from 'n8n-workflow';

import { hookContext, runWithHints, triggerContext, type TestWorkflow } from './contexts';

/** An execution of the workflow, as n8n lists it. */
export interface ShownExecution {
	/** Those that the trigger has put out; none where no node has run. */
	items: INodeExecutionData[];
	/** Message and description of one that has failed; empty otherwise. */
	error: string;
}

/** What n8n does when a trigger acts. */
export interface N8n {
	/** Where it was changed. */
	save: (workflow: TestWorkflow) => void | Promise<void>;
	execution: (execution: ShownExecution) => void;
	/** Prepares a context before it is used. */
	prepare?: <Context extends HookContext | TriggerContext>(context: Context) => Context;
}

/** Calls one of the trigger's hooks as n8n does. */
export async function callHook(
	name: WebhookSetupMethodNames,
	workflow: TestWorkflow,
	isTest = false,
	{ prepare = (context) => context }: Partial<N8n> = {},
	activation?: WorkflowActivateMode,
): Promise<boolean> {
	const hook = workflow.nodeType.webhookMethods?.default?.[name];
	if (hook === undefined) throw new Error(`The node has no ${name}`);
	// n8n deletes a test's webhook and a published one with the same mode and activation.
	const ending =
		name === 'delete' ? ({ mode: 'internal', activation: 'update' } as const) : { activation };
	return await hook.call(prepare(hookContext(workflow, { isTest, ...ending })));
}

/** checkExists and, when that is false, create. */
export async function register(
	workflow: TestWorkflow,
	isTest = false,
	n8n: Partial<N8n> = {},
	activation?: WorkflowActivateMode,
): Promise<void> {
	const exists = await callHook('checkExists', workflow, isTest, n8n, activation);
	if (!exists) await callHook('create', workflow, isTest, n8n, activation);
}

/** One activation of a trigger. */
export class Activation {
	/** Ends once all that it has emitted is saved and has run. */
	emitted: Promise<unknown> = Promise.resolve();
	private close: (() => Promise<void>) | undefined;
	private onTick: ((at: Date) => void) | undefined;
	/** When n8n's clock wakes the trigger. */
	cron = '';

	constructor(
		private readonly n8n: N8n,
		readonly workflow: TestWorkflow,
		/** n8n begins both at once. Usually, the trigger is first. */
		private readonly isWebhookFirst = false,
	) {}

	/** `trigger()` and the webhook's hooks side by side, over one workflow object. */
	async begin(activation: WorkflowActivateMode): Promise<void> {
		const { n8n, workflow } = this;
		const { prepare = (context) => context } = n8n;
		const context = triggerContext(workflow, activation, {
			emit: (data) => {
				this.emitted = Promise.all([this.emitted, this.emit(data)]);
			},
			saveFailedExecution: (error) => n8n.execution({ items: [], error: describe(error) }),
			registerCron: ({ expression }, onTick) => {
				this.cron = expression;
				this.onTick = onTick;
			},
		});
		const early = this.isWebhookFirst && register(workflow, false, n8n, activation);
		if (early) await Promise.allSettled([early]);
		const triggered = workflow.nodeType.trigger?.call(prepare(context));
		const registered = early || register(workflow, false, n8n, activation);
		const [{ status }] = await Promise.allSettled([registered, triggered]);
		this.close = (await triggered)?.closeFunction;
		if (status === 'rejected') await registered;
	}

	/** n8n's clock wakes the trigger. */
	tick(at: Date): void {
		this.onTick?.(at);
	}

	async end(): Promise<void> {
		await this.close?.();
		await this.emitted;
	}

	/** n8n saves static data if it was changed, and runs the workflow. */
	private async emit([items]: INodeExecutionData[][]): Promise<void> {
		await this.n8n.save(this.workflow);
		if (items.length === 0) return this.n8n.execution({ items, error: '' });
		await runWithHints(this.workflow, items).then(
			({ output }) => this.n8n.execution({ items: output, error: '' }),
			(error: unknown) => this.n8n.execution({ items: [], error: describe(error) }),
		);
	}
}

/** Has a context's requests end with its process: none leaves it any more, and it learns of no answer. */
export function endingWith<Context extends HookContext | TriggerContext>(
	signal: AbortSignal,
	context: Context,
): Context {
	const requests = pick(context.helpers, ['httpRequest', 'httpRequestWithAuthentication']);
	const owned = mapValues(requests, (request: (...args: never[]) => Promise<unknown>) => {
		return async function (this: unknown, ...args: never[]): Promise<unknown> {
			if (signal.aborted) return await NEVER;
			try {
				return await request.apply(this, args);
			} finally {
				if (signal.aborted) await NEVER;
			}
		};
	});
	Object.assign(context.helpers, owned);
	return context;
}

/** What a process that was killed waits for. */
const NEVER = new Promise<never>(() => undefined);

function describe(error: unknown): string {
	const { message, description } = error as ExecutionError;
	// In one line, as a list of executions shows it.
	return [message, description].filter(Boolean).join(' ').replace(/\s+/g, ' ');
}
