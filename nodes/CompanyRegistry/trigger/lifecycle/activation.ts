import type { IHookFunctions, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import { Controller } from './controller';
import { readDesired } from './desired';
import { hasSameEndpoint, identify } from './identity';
import { cronOf } from './schedule';
import { memoryOf, readState, writeAll, type TriggerMemory } from './state';

const controllers = new WeakMap<TriggerMemory, Controller>();

/** The controller of a trigger in this process. */
export function controllerOf(memory: TriggerMemory): Controller {
	const controller = controllers.get(memory) ?? new Controller(memory);
	controllers.set(memory, controller);
	return controller;
}

/**
 * n8n publishes the trigger, or starts.
 * @throws NodeOperationError for a publish that fails: n8n then takes the trigger down
 */
export async function create(context: IHookFunctions): Promise<void> {
	const { memory, staticData, isNew } = load(context);
	const isStart = isStartOfN8n(context, memory);
	// A publish after an unpublish keeps no company that has left the list.
	const watched = context.getActivationMode() === 'activate' ? [] : memory.companiesToKeep;
	const desired = readDesired(context, memory, watched);
	// n8n does not store the pauses that follow an unpublish.
	if (isNew && memory.facts.status === 'unpublished') {
		for (const one of memory.active) one.status = isStart ? 'unknown' : 'paused';
	}
	const controller = controllerOf(memory);
	// n8n would take the trigger down for whatever a start throws.
	if (isStart) return controller.resume(desired, watched);
	await controller.publish(context, desired).finally(() => writeAll(staticData, memory));
}

/** n8n unpublishes the trigger, replaces its version, or undoes a failed publish. Never throws. */
export async function remove(context: IHookFunctions): Promise<void> {
	const { memory, staticData } = load(context);
	const url = context.getNodeWebhookUrl('default') ?? '';
	// The end of a test calls this too.
	if (!hasSameEndpoint(memory.desired?.url ?? memory.facts.url, url)) return;
	await controllerOf(memory).unpublish(context);
	writeAll(staticData, memory);
}

/**
 * From now on n8n lets the trigger act by itself. n8n may call this twice without closing the first, so each tick looks
 * up the memory.
 */
export async function trigger(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const identity = identify(context);
	context.helpers.registerCron({ expression: cronOf(identity.node) }, (at) =>
		controllerOf(memoryOf(identity)).tick(at.getTime()),
	);
	controllerOf(memoryOf(identity)).attach(context);
	return { closeFunction: async () => await controllerOf(memoryOf(identity)).detach(context) };
}

function load(context: IHookFunctions) {
	const staticData = context.getWorkflowStaticData('global');
	const memory = memoryOf(identify(context));
	const isNew = memory.load(readState(staticData, memory.identity));
	return { memory, staticData, isNew };
}

/**
 * Whether n8n starts, and no one publishes. Its mode alone does not say so: after a kill within a publish, n8n sets
 * the trigger up with the mode of a change.
 */
function isStartOfN8n(context: IHookFunctions, { desired, facts }: TriggerMemory): boolean {
	const mode = context.getActivationMode();
	if (mode === 'init' || mode === 'leadershipChange') return true;
	if (desired !== undefined) return false;
	// To publish a change, n8n takes the previous version down first.
	return facts.status === 'published' || (facts.status === 'unpublished' && mode === 'update');
}
