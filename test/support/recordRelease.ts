import { omit } from 'lodash';

import { exampleWorkflow } from '../n8n-host/exampleWorkflows';
import { writeStoredRelease } from './storedRelease';
import { saved, startTriggerHarness } from './triggerHarness';

const PUBLISHED_FIRST = ['00445790', 'SC123456', 'NI654321', '00000006'];
/** One less than first: its webhook is left paused. */
const PUBLISHED_LAST = PUBLISHED_FIRST.slice(0, 3);

/**
 * Writes `test/fixtures/<release>`: what a published workflow and the service hold under today's
 * code, for later versions to be tested against.
 */
export async function recordRelease(release: string): Promise<void> {
	const { nodes, ...example } = exampleWorkflow('alert-on-new-filings');
	// n8n gives a node its webhook path when it takes a workflow in.
	const node = { ...nodes[0], webhookId: '0b9a4f6e-2c1d-4d57-8f0a-7f3b1c9e5d42' };
	const workflowId = 'Yk3XpW0tVq8LmZ2a';
	const harness = await startTriggerHarness();
	const loaded = (companies: string[], events: string[], staticData = {}) =>
		harness.workflow({
			node: { ...node, parameters: { ...node.parameters, companies: rows(companies), events } },
			workflowId,
			staticData,
		});

	const first = loaded(PUBLISHED_FIRST, ['filing.new', 'officer.appointed']);
	await harness.publish(first);
	await harness.unpublish(first);
	const last = loaded(PUBLISHED_LAST, ['filing.new', 'psc.added'], saved(first));
	await harness.publish(last);

	const parameters = last.node.parameters;
	writeStoredRelease(
		release,
		{
			workflow: { ...example, id: workflowId, nodes: [{ ...node, parameters }, ...nodes.slice(1)] },
			staticData: saved(last),
			webhooks: harness.simulator.webhooks().map((webhook) => omit(webhook, 'account')),
		},
		{ registry: harness.simulator.url, n8n: harness.proxy.url },
	);
	await harness.close();
}

function rows(companies: string[]) {
	return {
		company: companies.map((value) => ({ companyNumber: { __rl: true, mode: 'number', value } })),
	};
}
