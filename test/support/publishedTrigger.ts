import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { DeliveryRequest, DeliveryResult, StoredWebhook } from '../simulator';
import type { TestWorkflow } from './contexts';
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
	/** The workflow served last. */
	served(): TestWorkflow;
	/** Delivers over https to the first webhook, or to another. */
	deliver(delivery: DeliveryRequest, webhook?: StoredWebhook): Promise<DeliveryResult>;
	close(): Promise<void>;
}

export async function startPublishedTrigger(...companies: string[]): Promise<PublishedTrigger> {
	const harness = await startTriggerHarness();
	const published = harness.workflow({ parameters: watching(...companies) });
	await harness.publish(published);
	const created = harness.simulator.webhooks();
	const webhooks = companies.flatMap((company) =>
		created.filter((one) => one.company_number === company),
	);
	const staticData = saved(published);
	harness.simulator.clearRequests();
	let workflow = published;
	return {
		harness,
		webhooks,
		staticData,
		serve: (options = {}, execute = () => undefined) => {
			workflow = harness.workflow({
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
		served: () => workflow,
		deliver: async (delivery, { id } = webhooks[0]) =>
			await harness.simulator.deliver(id, { ca: harness.proxy.ca, ...delivery }),
		close: async () => await harness.close(),
	};
}
