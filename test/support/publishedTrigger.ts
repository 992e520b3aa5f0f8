import { randomUUID } from 'node:crypto';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { DeliveryRequest, DeliveryResult } from '../simulator';
import type { TestWorkflow } from './contexts';
import { saved, startTriggerHarness, watching } from './triggerHarness';

/** A published trigger that deliveries can be sent to, served from its saved static data. */
export type PublishedTrigger = Awaited<ReturnType<typeof startPublishedTrigger>>;

/** Of a delivery, whatever it is: nothing is written, read of a credential or asked of the service. */
export const NO_TRACES = { isWritten: false, credentialReads: 0, requests: [] };

/** In a workflow of its own, of which this process remembers nothing. */
export async function startPublishedTrigger(...companies: string[]) {
	const workflowId = randomUUID();
	const harness = await startTriggerHarness();
	const published = harness.workflow({ workflowId, parameters: watching(...companies) });
	// Who waits for this has nothing to close where it fails, and the tests would not end.
	await harness.publish(published).catch(async (failure: unknown) => {
		await harness.close();
		throw failure;
	});
	const created = harness.simulator.webhooks();
	const webhooks = companies.flatMap((company) =>
		created.filter((one) => one.company_number === company),
	);
	const staticData = saved(published);
	harness.simulator.clearRequests();
	let workflow = published;
	/** Delivers over https to the first webhook, or to another. */
	const deliver = async (
		delivery: DeliveryRequest,
		{ id } = webhooks[0],
	): Promise<DeliveryResult> =>
		await harness.simulator.deliver(id, { ca: harness.proxy.ca, ...delivery });
	return {
		harness,
		/** In the order of the companies. */
		webhooks,
		/** As n8n saved it after the publish. */
		staticData,
		/**
		 * Serves the trigger with these options; `execute` takes the place of n8n's execution queue, and `changes` are
		 * to the other parameters.
		 */
		serve(
			options: INodeParameters = {},
			execute: (items: INodeExecutionData[]) => void | Promise<void> = () => undefined,
			changes: INodeParameters = {},
		): INodeExecutionData[][] {
			const parameters = { ...watching(...companies), options, ...changes };
			workflow = harness.workflow({ workflowId, parameters, staticData });
			return harness.serve(workflow, { execute });
		},
		/** The trigger with this changed in what is stored of it; this process remembers nothing of it unless it is named. */
		storedWith(
			text: string | RegExp,
			changed: string,
			{ id = randomUUID() as string, parameters = workflow.node.parameters } = {},
		): TestWorkflow {
			const stored = JSON.stringify(staticData).replace(text, changed).replaceAll(workflowId, id);
			return harness.workflow({ workflowId: id, parameters, staticData: JSON.parse(stored) });
		},
		/** What the trigger that was served last has done beside its answers. */
		traces: () => ({
			isWritten: workflow.workflow.staticData.__dataChanged,
			credentialReads: workflow.credentials.reads,
			requests: harness.simulator.requests,
		}),
		/** The workflow served last. */
		served: () => workflow,
		deliver,
		close: harness.close,
	};
}
