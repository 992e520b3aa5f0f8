import type { IHookFunctions, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import { Controller } from './controller';
import { readDesired } from './desired';
import { addressOf, identify } from './identity';
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
	const { memory, staticData, wasLoaded } = load(context);
	const mode = context.getActivationMode();
	const { status } = memory.facts;
	// After a kill, n8n's mode is that of a change: only the stored state shows that this is a start.
	// To publish a change, n8n takes the previous version down first.
	const wasKilled = status === 'published' || (status === 'unpublished' && mode === 'update');
	const isFirstCall = memory.desired === undefined;
	const isStart = mode === 'init' || mode === 'leadershipChange' || (isFirstCall && wasKilled);
	// A publish after an unpublish keeps no company that has left the list.
	const watched = mode === 'activate' && !isStart ? [] : memory.companiesToKeep;
	const desired = readDesired(context, memory, watched);
	// n8n does not store the pauses that follow an unpublish.
	if (wasLoaded && status !== 'published') {
		for (const one of memory.withStatus('active')) one.status = isStart ? 'unknown' : 'paused';
	}
	const controller = controllerOf(memory);
	// n8n would take the trigger down for whatever a start throws.
	if (isStart) return controller.resume(desired, watched);
	await controller.publish(context, desired).finally(() => writeAll(staticData, memory));
}

/** n8n unpublishes the trigger, replaces its version, or undoes a failed publish. Never throws. */
export async function remove(context: IHookFunctions): Promise<void> {
	const { memory, staticData } = load(context);
	const published = memory.desired?.url ?? memory.facts.url;
	const endpointOf = (url = '') => addressOf(url).split('/').pop();
	// The end of a test calls this too, with n8n's endpoint for tests.
	if (endpointOf(published) !== endpointOf(context.getNodeWebhookUrl('default'))) return;
	await controllerOf(memory).unpublish(context);
	writeAll(staticData, memory);
}

/** From now on n8n lets the trigger act by itself. n8n may call this twice without closing the first. */
export async function trigger(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const memory = memoryOf(identify(context));
	const controller = controllerOf(memory);
	const expression = cronOf(memory.identity.node);
	context.helpers.registerCron({ expression }, (at) => controller.tick(at.getTime()));
	controller.attach(context);
	return { closeFunction: async () => await controller.detach(context) };
}

function load(context: IHookFunctions) {
	const staticData = context.getWorkflowStaticData('global');
	const memory = memoryOf(identify(context));
	const wasLoaded = memory.load(readState(staticData, memory.identity));
	return { memory, staticData, wasLoaded };
}
