import { setTimeout as sleep } from 'node:timers/promises';

import { map } from 'lodash';
import type {
	IDataObject,
	INodeParameters,
	WebhookSetupMethodNames,
	WorkflowActivateMode,
} from 'n8n-workflow';

import { TriggerMemory } from '../../nodes/CompanyRegistry/trigger/lifecycle/memory';
import {
	readState,
	type TriggerState,
} from '../../nodes/CompanyRegistry/trigger/lifecycle/storedState';
import { CompanyRegistryTrigger } from '../../nodes/CompanyRegistry/CompanyRegistryTrigger.node';
import type { Simulator, StoredWebhook } from '../simulator';
import { Activation, callHook, endingWith, type N8n, type ShownExecution } from './activation';
import { testWorkflow, type NodeSetup, type TestWorkflow } from './contexts';
import { afterStart, settled } from './loadedTriggers';
import { passTime } from './times';

export { callHook, register } from './activation';

const HOUR = 3_600_000;
const trigger = new CompanyRegistryTrigger();
let workflows = 0;

/** The payload of an item of *Watch Report*. */
export interface ReportItem
	extends Record<'added' | 'removed' | 'repaired' | 'missing' | 'left', Listed> {
	state: string;
	summary: string;
	wanted: number;
	watched: number;
	checked_at: string;
	changed: Array<{ name: string; before: string; now: string }>;
}

interface Listed {
	count: number;
	companies: Array<{
		company_number: string;
		company_name: string | null;
		reason?: string;
		from?: string | null;
		to?: string | null;
	}>;
}

/**
 * A workflow with a Company Registry Trigger in n8n's database, and what n8n calls of it: which hooks, on which
 * workflow object, and what it saves afterwards. As read in n8n 2.41.1's workflow-trigger-activator.js.
 */
export class SavedWorkflow {
	/** As saved in the database. */
	staticData: IDataObject = {};
	/** In order, without those in which no node has run. */
	readonly executions: ShownExecution[] = [];
	/** Whether n8n registers its webhook before its trigger. */
	isWebhookFirst = false;
	/** How often the trigger has stored something by itself. */
	stores = 0;
	/** Whether requests to its URL reach it. */
	private isServed = false;
	private activation: Activation | undefined;
	/** Of several activations that are still open, the first one is woken. */
	private clock: Activation | undefined;
	private n8n: N8n;
	/** Of the process that runs n8n. */
	private life = new AbortController();
	private saving = Promise.resolve();
	private restarts = 0;

	constructor(public setup: NodeSetup) {
		this.n8n = this.newProcess();
	}

	/** A workflow object as n8n builds it for each of these calls. */
	load(staticData = this.staticData): TestWorkflow {
		return testWorkflow({ ...this.setup, staticData: structuredClone(staticData) });
	}

	/** n8n saves what was changed, as a whole. */
	async save(workflow: TestWorkflow): Promise<void> {
		const { staticData } = workflow.workflow;
		if (staticData.__dataChanged !== true) return;
		const data = saved(workflow);
		await (this.saving = this.saving.then(async () => await sleep(1)));
		this.staticData = data;
		// What was written while the database was at work counts as saved, too.
		staticData.__dataChanged = false;
	}

	/** What is stored of the published trigger. */
	state(): TriggerState | undefined {
		const { workflow, node } = this.load();
		return readState(workflow.getStaticData('global'), { workflow: workflow.id, node: node.id });
	}

	/** What the service last said of each webhook by its company, as a new process reads it. */
	statuses(): Record<string, string> {
		const memory = new TriggerMemory({ workflow: '', node: '' });
		memory.load(this.state());
		return Object.fromEntries(memory.subscriptions.map(({ company, state }) => [company, state]));
	}

	/** What failed executions say. */
	get told(): string[] {
		return this.executions.map(({ error }) => error).filter(Boolean);
	}

	/** One execution has failed, and says this. */
	expectTold(words: string | RegExp): void {
		expect(this.told).toEqual([expect.stringMatching(words)]);
	}

	/** The items of *Watch Report*. */
	get shown(): ReportItem[] {
		const items = this.executions.flatMap((execution) => map(execution.items, 'json'));
		return map(
			items.filter(({ event }) => event === 'watch.report'),
			'payload',
		) as ReportItem[];
	}

	/** The verdicts of these items. */
	get subjects(): string[] {
		return this.shown.map(({ summary }) => summary.split('\n')[0]);
	}

	/** As far as n8n waits for it. A failed publish is followed by delete on the same object, and its trigger stays. */
	async register(
		workflow = this.load(),
		activation: WorkflowActivateMode = 'activate',
	): Promise<void> {
		const { signal } = this.life;
		try {
			await this.activate(workflow, activation);
		} catch (error) {
			// What was killed does and saves nothing more.
			if (signal.aborted) throw error;
			await this.call('delete', workflow);
			this.isServed = false;
			await this.save(workflow);
			throw error;
		}
		await this.save(workflow);
	}

	/** The same, until nothing is done any more. */
	async publish(
		workflow = this.load(),
		activation: WorkflowActivateMode = 'activate',
	): Promise<TestWorkflow> {
		try {
			await this.register(workflow, activation);
		} finally {
			await this.idle();
		}
		return workflow;
	}

	/** Until the webhooks are paused, which is after n8n has saved. */
	async unpublish(workflow = this.load()): Promise<void> {
		await this.takeDown(workflow);
		await this.idle();
	}

	/** As far as n8n waits for it: both halves side by side, on two objects. */
	async takeDown(workflow = this.load()): Promise<void> {
		this.isServed = false;
		await Promise.all([this.activation?.end(), this.call('delete', workflow)]);
		this.activation = this.clock = undefined;
		await this.save(workflow);
	}

	/** n8n's clock wakes the trigger so many milliseconds from now; until nothing is done any more. */
	async tick(ms = HOUR): Promise<void> {
		this.clock?.tick(new Date(Date.now() + ms));
		await this.idle();
	}

	/** When n8n's clock wakes the trigger. */
	get cron(): string {
		return this.clock?.cron ?? '';
	}

	/** So much time passes, and n8n's clock wakes the trigger. */
	async later(ms = HOUR): Promise<void> {
		passTime(ms);
		await this.tick(0);
	}

	/** Publishing a changed version: the old one is taken down first, and the row was read before that. */
	async change(setup: Partial<NodeSetup> = {}): Promise<void> {
		try {
			await this.submit(setup);
		} finally {
			await this.idle();
		}
	}

	/** The same as far as n8n waits for it. */
	async submit(setup: Partial<NodeSetup> = {}): Promise<void> {
		const { staticData, isServed } = this;
		if (isServed) await this.takeDown();
		Object.assign(this.setup, setup);
		await this.register(this.load(staticData), isServed ? 'update' : 'activate');
	}

	/** As a SIGKILL: no request leaves it any more, and it learns of no answer. */
	kill(): void {
		this.life.abort();
		this.activation = this.clock = undefined;
	}

	/** n8n was killed and has started again: another copy of the code, which has never seen this workflow. */
	async restart(): Promise<void> {
		this.kill();
		this.n8n = this.newProcess();
		this.setup.nodeType = await afterStart(this.restarts++);
	}

	/** As a SIGTERM: n8n tells the trigger, and ends. */
	async stop(): Promise<void> {
		await this.activation?.end();
		this.kill();
	}

	/** n8n closes its first activation late, when another one has begun. */
	async closeFirst(): Promise<void> {
		await this.clock?.end();
		this.clock = this.activation;
	}

	/** n8n has started again, and has set up what was published. */
	async start(activation: WorkflowActivateMode = 'init'): Promise<TestWorkflow> {
		await this.restart();
		return await this.publish(this.load(), activation);
	}

	/** Until nothing is done any more. */
	async idle(): Promise<void> {
		if (this.life.signal.aborted) return;
		await settled(this.load());
		await this.activation?.emitted;
	}

	/** What n8n does with an execution. */
	private show(execution: ShownExecution): void {
		if (execution.items.length > 0 || execution.error) this.executions.push(execution);
		else this.stores++;
	}

	private newProcess(): N8n {
		this.life = new AbortController();
		const { signal } = this.life;
		return {
			save: async (workflow) => {
				if (!signal.aborted) await this.save(workflow);
			},
			execution: (execution) => {
				if (!signal.aborted) this.show(execution);
			},
			prepare: (context) => endingWith(signal, context),
		};
	}

	private async activate(workflow: TestWorkflow, activation: WorkflowActivateMode): Promise<void> {
		this.isServed = true;
		this.activation = new Activation(this.n8n, workflow, this.isWebhookFirst);
		this.clock ??= this.activation;
		await this.unlessKilled(this.activation.begin(activation));
	}

	private async call(name: WebhookSetupMethodNames, workflow: TestWorkflow): Promise<void> {
		await this.unlessKilled(callHook(name, workflow, false, this.n8n));
	}

	private async unlessKilled<Result>(work: Promise<Result>): Promise<Result> {
		const { signal } = this.life;
		return await new Promise((resolve, reject) => {
			const onKill = () => reject(new Error('n8n was killed'));
			signal.addEventListener('abort', onKill);
			void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onKill));
		});
	}
}

/** As n8n saves and loads it. */
export function saved({ workflow }: TestWorkflow): IDataObject {
	return JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
}

/** Webhooks of the service whose id and secret n8n's database has. */
export function held(
	simulator: Pick<Simulator, 'webhooks'>,
	{ staticData }: SavedWorkflow,
): StoredWebhook[] {
	const stored = JSON.stringify(staticData);
	const webhooks = simulator.webhooks();
	return webhooks.filter(({ id, secret }) => stored.includes(id) && stored.includes(secret));
}

/** A new workflow that watches these companies with the account of the simulator. */
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

/** Parameters that watch these companies. */
export function watching(companies: string[], more: INodeParameters = {}): INodeParameters {
	return { companiesFrom: 'numbers', companyNumbers: companies.join('\n'), ...more };
}

/** Company numbers that differ. */
export function companyNumbers(count: number): string[] {
	return Array.from({ length: count }, (_, index) => String(10_000_001 + index));
}
