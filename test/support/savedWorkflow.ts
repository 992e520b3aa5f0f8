import type { HookContext } from 'n8n-core';
import type {
	IDataObject,
	IHookFunctions,
	INodeParameters,
	WebhookSetupMethodNames,
} from 'n8n-workflow';

import {
	parseLines,
	readState,
	type TriggerState,
} from '../../nodes/CompanyRegistry/trigger/memory/state';
import { CompanyRegistryTrigger } from '../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import type { Simulator } from '../simulator';
import { failureOf } from './atService';
import { hookContext, testWorkflow, type NodeSetup, type TestWorkflow } from './contexts';
import { afterStart, settled } from './loadedTriggers';

const trigger = new CompanyRegistryTrigger();
let workflows = 0;

/** Calls one of the trigger's hooks as n8n does. */
export async function callHook(
	name: WebhookSetupMethodNames,
	workflow: TestWorkflow,
	isTest = false,
	prepare: (context: HookContext) => IHookFunctions = (context) => context,
): Promise<boolean> {
	const hook = workflow.nodeType.webhookMethods?.default?.[name];
	if (hook === undefined) throw new Error(`The node has no ${name}`);
	// n8n deletes a test's webhook and a published one with the same mode and activation.
	const ending = name === 'delete' ? ({ mode: 'internal', activation: 'update' } as const) : {};
	return await hook.call(prepare(hookContext(workflow, { isTest, ...ending })));
}

/** checkExists and, when that is false, create. */
export async function register(workflow: TestWorkflow, isTest = false): Promise<void> {
	const exists = await callHook('checkExists', workflow, isTest);
	if (!exists) await callHook('create', workflow, isTest);
}

/**
 * A workflow with a Company Registry Trigger in n8n's database, and the life-cycle calls that n8n
 * makes for it: which hooks, on which workflow object, and what it saves afterwards.
 */
export class SavedWorkflow {
	staticData: IDataObject = {};
	private restarts = 0;

	constructor(public setup: NodeSetup) {}

	/** A workflow object as n8n builds it for each of these calls. */
	load(): TestWorkflow {
		return testWorkflow({ ...this.setup, staticData: structuredClone(this.staticData) });
	}

	save(workflow: TestWorkflow): void {
		this.staticData = saved(workflow);
	}

	/** What is stored of the published trigger. */
	state(): TriggerState | undefined {
		const { workflow, node } = this.load();
		const identity = { workflow: workflow.id, node: node.id, kind: 'production' as const };
		return readState(workflow.getStaticData('global'), identity);
	}

	/** Status of each webhook in use by its company, as stored. */
	statuses(): Record<string, string> {
		const all = parseLines(this.state()?.groups[0].lines ?? '');
		return Object.fromEntries(all.map(({ company, status }) => [company, status]));
	}

	/** What n8n is told when it asks whether the trigger is published as it should be. */
	async isPublished(): Promise<boolean> {
		return await callHook('checkExists', this.load());
	}

	/** What n8n waits for of one attempt to publish, before it cleans up after a failed one: what that says. */
	async attempt(workflow = this.load()): Promise<{ loaded: TestWorkflow; message: string }> {
		const message = await failureOf(register(workflow));
		this.save(workflow);
		return { loaded: workflow, message };
	}

	/** n8n 2.40, one attempt, until nothing is done any more. A failed one is followed by delete on the same object, which is saved. */
	async publish(workflow = this.load()): Promise<TestWorkflow> {
		try {
			await register(workflow);
		} catch (error) {
			await callHook('delete', workflow);
			throw error;
		} finally {
			this.save(workflow);
			await settled(workflow);
		}
		return workflow;
	}

	/** Until the webhooks are paused, which is after n8n has saved. */
	async unpublish(workflow = this.load()): Promise<void> {
		await this.takeDown(workflow);
		await settled(workflow);
	}

	/** As far as n8n waits for it. */
	async takeDown(workflow = this.load()): Promise<void> {
		await callHook('delete', workflow);
		this.save(workflow);
	}

	/** Publishing a changed version: the old one is unpublished first. */
	async change(setup: Partial<NodeSetup> = {}): Promise<void> {
		await this.takeDown();
		Object.assign(this.setup, setup);
		await this.publish();
	}

	/** n8n has been started anew: another copy of the code, which has never seen this workflow. */
	async restart(): Promise<void> {
		this.setup.nodeType = await afterStart(this.restarts++);
	}

	/**
	 * "Execute step" on a trigger that waits for the next real event: empty static data that is kept for
	 * this listening alone.
	 */
	async listen(): Promise<{ stop: () => Promise<void> }> {
		const setup = { ...withRealEvents(this.setup), staticData: {} };
		const listening = testWorkflow(setup);
		const stop = async () => {
			const again = testWorkflow({ ...setup, staticData: saved(listening) });
			await callHook('delete', again, true);
			await settled(again);
		};
		try {
			await register(listening, true);
		} catch (error) {
			await stop();
			throw error;
		}
		return { stop };
	}
}

/** As n8n saves and loads it. */
export function saved({ workflow }: TestWorkflow): IDataObject {
	return JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
}

/** A new workflow that watches these companies with the account of the stand-in. */
export function watch(
	simulator: Pick<Simulator, 'url' | 'apiKey'>,
	companies: string[],
	setup: Partial<NodeSetup> = {},
): SavedWorkflow {
	return new SavedWorkflow({
		nodeType: trigger,
		credentials: { companyRegistryApi: { baseUrl: simulator.url, apiKey: simulator.apiKey } },
		parameters: watching(companies),
		// The trigger's memory outlives a test: no two tests share a workflow.
		workflowId: `workflow-${++workflows}`,
		...setup,
	});
}

/** The trigger's test runs wait for the next real event instead of showing a sample. */
function withRealEvents({ parameters = {}, ...setup }: NodeSetup): NodeSetup {
	const options = { ...(parameters.options as INodeParameters | undefined), testEvent: 'real' };
	return { ...setup, parameters: { ...parameters, options } };
}

/** Parameters that watch these companies. */
export function watching(companies: string[], more: INodeParameters = {}): INodeParameters {
	return { companiesFrom: 'numbers', companyNumbers: companies.join(', '), ...more };
}

/** Company numbers that differ. */
export function companyNumbers(count: number): string[] {
	return Array.from({ length: count }, (_, index) => String(10_000_001 + index));
}
