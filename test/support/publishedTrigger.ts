import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { DeliveryRequest, DeliveryResult, StoredWebhook } from '../simulator';
import type { TestWorkflow } from './contexts';
import { settled } from './settled';
import { saved, startTriggerHarness, watching, type TriggerHarness } from './triggerHarness';

/** A published trigger that deliveries can be sent to, served from its saved static data. */
export interface PublishedTrigger {
	harness: TriggerHarness;
	/** In the order of the companies. */
	webhooks: StoredWebhook[];
	/** Static data as n8n saved it after the publish. */
	staticData: IDataObject;
	/** Serves the trigger with these options; `execute` takes the place of n8n's execution queue. */
	serve(
		options?: INodeParameters,
		execute?: (items: INodeExecutionData[]) => void | Promise<void>,
	): INodeExecutionData[][];
	/** Has each webhook deliver something genuine: what is refused from then on is taken for forged. */
	proveAll(): Promise<void>;
	/** The workflow served last. */
	served(): TestWorkflow;
	/** Delivers over https to the first webhook, or to another. */
	deliver(delivery: DeliveryRequest, webhook?: StoredWebhook): Promise<DeliveryResult>;
	close(): Promise<void>;
}

export async function startPublishedTrigger(...companies: string[]): Promise<PublishedTrigger> {
	return await startTriggerOf('workflow-1', ...companies);
}

/** The same in a workflow of that id, which keeps what the process remembers of triggers apart. */
export async function startTriggerOf(
	workflowId: string,
	...companies: string[]
): Promise<PublishedTrigger> {
	const harness = await startTriggerHarness();
	const published = harness.workflow({ workflowId, parameters: watching(...companies) });
	await harness.publish(published);
	await settled(published);
	const created = harness.simulator.webhooks();
	const webhooks = companies.flatMap((company) =>
		created.filter((one) => one.company_number === company),
	);
	const staticData = saved(published);
	harness.simulator.clearRequests();
	let workflow = published;
	const deliver: PublishedTrigger['deliver'] = async (delivery, { id } = webhooks[0]) =>
		await harness.simulator.deliver(id, { ca: harness.proxy.ca, ...delivery });
	return {
		harness,
		webhooks,
		staticData,
		serve: (options = {}, execute = () => undefined) => {
			workflow = harness.workflow({
				workflowId,
				parameters: { ...watching(...companies), options },
				staticData,
			});
			const executions: INodeExecutionData[][] = [];
			harness.server.serve(workflow, {
				execute: async (items) => {
					executions.push(items);
					await execute(items);
				},
			});
			return executions;
		},
		proveAll: async () => {
			harness.serve(workflow);
			for (const webhook of webhooks) await deliver({}, webhook);
		},
		served: () => workflow,
		deliver,
		close: async () => await harness.close(),
	};
}
