import type { IHookFunctions, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import { digestOf } from '../../shared/digest';
import { Controller } from './controller';
import { readConfiguration } from './configuration';
import { addressOf, identify, urlOf } from './identity';
import { cronOf } from './schedule';
import { readState } from './storedState';
import { memoryOf, writeAll, type TriggerMemory } from './memory';

const controllers = new WeakMap<TriggerMemory, Controller>();

/** The controller of a trigger in this process. */
export function controllerOf(memory: TriggerMemory): Controller {
	const controller = controllers.get(memory) ?? new Controller(memory);
	controllers.set(memory, controller);
	return controller;
}

/**
 * n8n publishes the trigger, or starts. It is a start where a published trigger gets the parameters that it has
 * accepted, unless a person publishes: n8n's mode does not tell a kill or a repair of its own from a change.
 * @throws NodeOperationError for a publish that fails: n8n then takes the trigger down
 */
export async function create(context: IHookFunctions): Promise<void> {
	const { memory, staticData, wasLoaded } = load(context);
	const { phase } = memory.facts;
	const parametersDigest = digestOf(JSON.stringify(context.getNode().parameters), 16);
	const isByPerson = context.getActivationMode() === 'activate';

	// n8n does not store the pauses after an unpublish, and a kill within a change leaves the webhooks active.
	if (wasLoaded && phase !== 'published') {
		for (const one of memory.subscriptions) one.state = isByPerson ? 'paused' : 'unsure';
	}

	const controller = controllerOf(memory);
	const isChange =
		isByPerson || phase !== 'published' || parametersDigest !== memory.facts.parametersDigest;
	const configuration = readConfiguration(context, memory, isChange);
	// Parameters that cannot be read change nothing.
	const isStart =
		!isByPerson && phase === 'published' && (!isChange || !!configuration.reading.problem);
	// n8n would take the trigger down for whatever a start throws.
	if (isStart) return controller.resume(configuration);
	const publish = { configuration, parametersDigest };
	await controller.publish(context, publish).finally(() => writeAll(staticData, memory));
}

/** n8n unpublishes the trigger, replaces its version, or undoes a failed publish. Never throws. */
export async function remove(context: IHookFunctions): Promise<void> {
	const { memory, staticData } = load(context);
	if (memory.subscriptions.length === 0 && memory.desired === undefined) return;
	// The end of a test calls this too, with n8n's endpoint for tests.
	if (isTestOf(memory, urlOf(context))) return;

	await controllerOf(memory).unpublish(context);
	writeAll(staticData, memory);
}

function isTestOf({ desired, subscriptions, identity }: TriggerMemory, url: string): boolean {
	const published = desired?.url ?? subscriptions[0]?.target.url;
	const endpointOf = (one: string) => addressOf(one, identity).split('/').pop();
	return published !== undefined && endpointOf(published) !== endpointOf(url);
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
