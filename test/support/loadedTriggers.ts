// The trigger's code as n8n loads it at its start. It waits for less than users do.
import * as n8nWorkflow from 'n8n-workflow';
import type { INodeType } from 'n8n-workflow';

import * as pace from '../../nodes/CompanyRegistry/registry/pace';
import * as registry from '../../nodes/CompanyRegistry/registry/registry';
import * as activation from '../../nodes/CompanyRegistry/trigger/lifecycle/activation';
import * as schedule from '../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import * as memory from '../../nodes/CompanyRegistry/trigger/lifecycle/memory';
import * as samples from '../../nodes/CompanyRegistry/trigger/samples/startSample';
import type { TestWorkflow } from './contexts';
import { shortenTimes } from './times';

type Code = Awaited<ReturnType<typeof load>>;

/** An answer is waited for as in use: a busy machine takes its time. */
const LIMIT: Partial<typeof registry.REQUEST_LIMIT> = {
	patience: 3000,
	beforeRetry: 100,
};

const inUse = { activation, pace, registry, samples, schedule, memory };
const restarted = new Map<INodeType, Code>();
/** Copies of the code. To load one takes long, so the workflows of a file share them. */
const copies: INodeType[] = [];

// No n8n that happens to run on this machine gets a sample.
samples.SAMPLE.localAddress = 'http://127.0.0.1:9';
shorten(inUse);

function shorten(code: Omit<Code, 'nodeType'>): void {
	code.samples.SAMPLE.localAddress = samples.SAMPLE.localAddress;
	Object.assign(code.registry.REQUEST_LIMIT, LIMIT);
	code.pace.PACE.first = 100;
	shortenTimes(code.schedule.TIMES);
}

/** The trigger as a newly started n8n loads it: nothing that it kept in the process's memory is left. */
export async function afterRestart(): Promise<INodeType> {
	let code: Code | undefined;
	await jest.isolateModulesAsync(async () => {
		jest.doMock('n8n-workflow', () => ({ ...n8nWorkflow, sleep }));
		code = await load();
	});
	if (code === undefined) throw new Error('The trigger could not be loaded');
	shorten(code);
	restarted.set(code.nodeType, code);
	return code.nodeType;
}

/** The same for the nth start, shared with other workflows. */
export async function afterStart(nth: number): Promise<INodeType> {
	return (copies[nth] ??= await afterRestart());
}

async function load() {
	const { CompanyRegistryTrigger } = await import(
		'../../nodes/CompanyRegistry/CompanyRegistryTrigger.node'
	);
	return {
		nodeType: new CompanyRegistryTrigger(),
		activation: await import('../../nodes/CompanyRegistry/trigger/lifecycle/activation'),
		schedule: await import('../../nodes/CompanyRegistry/trigger/lifecycle/schedule'),
		memory: await import('../../nodes/CompanyRegistry/trigger/lifecycle/memory'),
		samples: await import('../../nodes/CompanyRegistry/trigger/samples/startSample'),
		registry: await import('../../nodes/CompanyRegistry/registry/registry'),
		pace: await import('../../nodes/CompanyRegistry/registry/pace'),
	};
}

/** As n8n's own. What a killed process still waits for does not keep the tests running. */
async function sleep(ms: number): Promise<void> {
	await new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
}

/** Waits until this trigger does nothing more in the background. */
export async function settled({ workflow, node, nodeType }: TestWorkflow): Promise<void> {
	// Each copy of the code has a memory of its own.
	const { activation, memory: code } = restarted.get(nodeType) ?? inUse;
	const memory = code.memoryOf({ workflow: workflow.id, node: node.id });
	const controller = activation.controllerOf(memory);
	while (controller.run) await controller.run.done;
}
