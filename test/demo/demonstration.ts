import { searchAlone, triggerAlone } from '../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../n8n-host/execution';
import type { Credential, Execution } from '../n8n-host/n8nTypes';
import type { Cleanups } from '../n8n-host/cleanups';
import { openStage, type Stage } from './stage';

/**
 * The package at work in a real n8n: a published workflow that a delivery starts, and one that searches. The n8n
 * goes on running until the cleanups run.
 * @param env added to n8n's environment
 * @throws Error when something did not happen
 */
export async function demonstrate(cleanups: Cleanups, env: Record<string, string>): Promise<Stage> {
	const stage = await openStage(cleanups, { env });
	const credential = await stage.client.createRegistryCredential(stage.simulator);
	await showTrigger(stage, credential);
	await showSearch(stage, credential);
	console.log('\nn8n has a credential for the simulated registry service.');
	return stage;
}

/** A delivery starts a published workflow. */
export async function showTrigger(
	{ client, simulator, ca }: Pick<Stage, 'client' | 'simulator' | 'ca'>,
	credential: Credential,
): Promise<void> {
	const workflow = triggerAlone(credential, ['00445790']);
	const { id, name, nodes } = await client.createWorkflow(workflow);
	console.log(`\nPublishing the workflow "${name}" …`);
	await client.waitUntilPublished(id);

	const [webhook] = simulator.webhooks();
	const [destination] = webhook.url.split('?');
	console.log(`Subscribed: webhook ${webhook.id} sends ${webhook.events} to ${destination}`);
	const { status, deliveryId } = await simulator.deliver(webhook.id, { event: 'filing.new', ca });
	if (status !== 200) throw new Error(`n8n refused the delivery with status ${status}.`);
	console.log(
		`Delivered: filing.new, signed, over https; n8n verified it and answered 200 to ${deliveryId}`,
	);
	show(await client.waitForNextExecution(id), nodes[nodes.length - 1].name);
}

export async function showSearch(
	{ client }: Pick<Stage, 'client'>,
	credential: Credential,
): Promise<void> {
	const { id, name, nodes } = await client.createWorkflow(searchAlone(credential));
	console.log(`\nRunning the workflow "${name}" …`);
	show(await client.runToEnd(id, nodes[0].name), nodes[nodes.length - 1].name);
}

function show(execution: Execution, nodeName: string): void {
	if (execution.status !== 'success') {
		throw new Error(
			`Execution ${execution.id} ended with ${execution.status}: ${errorOf(execution)}`,
		);
	}
	const items = outputOf(execution, nodeName).map(({ json }) => json);
	if (items.length === 0) throw new Error(`Execution ${execution.id} put out nothing.`);
	console.log(`Execution ${execution.id} succeeded. Output of "${nodeName}":`);
	console.log(JSON.stringify(items, null, 2));
}
