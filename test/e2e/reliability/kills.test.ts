// n8n is killed in the middle of a setup. A secret is shown once, so a kill must not lose many.
// Takes long because n8n starts again.
import { setTimeout as sleep } from 'node:timers/promises';

import { waitFor } from '../../n8n-host/waitFor';
import { useSurroundings } from '../surroundings';
import {
	PERSISTENT,
	atStake,
	companyNumbers,
	failures,
	waitUntilStored,
	watcher,
	webhooksOf,
} from './watchers';

const COMPANIES = 400;
const KILLED_AT = 219;

// n8n resumes a publish that it had begun before a kill, by default two minutes after it began.
const surroundings = useSurroundings({
	env: {
		N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '20',
		N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '1000',
	},
});

test.each([60, 400])(
	'killed at 219 of 400 companies, with %i ms for each request, it keeps most secrets, completes the setup after the start and reports the lost ones',
	async (latencyMs) => {
		const { client, credential, host, simulator, ca } = surroundings;
		const companies = companyNumbers(COMPANIES, 80_000_000 + latencyMs * 1_000);
		const workflow = await client.createWorkflow(watcher(credential, companies));
		const ofWorkflow = () => webhooksOf(simulator, workflow);
		simulator.latencyMs = latencyMs;
		// n8n is killed before it says how the publish ends.
		const publishing = client.waitUntilPublished(workflow.id).catch(() => undefined);
		await waitFor('some webhooks', () => ofWorkflow().length >= KILLED_AT, { everyMs: 2 });
		await host.kill();
		await publishing;
		// The service completes what it has received.
		await sleep(latencyMs + 1_000);
		const made = ofWorkflow();
		expect(made.length).toBeLessThan(KILLED_AT + 30);

		simulator.latencyMs = 0;
		await host.restart();
		const { staticData } = await client.workflow(workflow.id);
		const stored = JSON.stringify(staticData);
		const lost = made.filter(({ secret }) => !stored.includes(secret));
		expect(lost.length).toBeLessThanOrEqual(atStake(COMPANIES));

		await waitUntilStored(surroundings, workflow, companies);
		expect(ofWorkflow()).toHaveLength(COMPANIES + lost.length);
		for (const { id } of [...ofWorkflow().slice(-10), ...made.slice(0, 10)])
			expect((await simulator.deliver(id, { ca, ...PERSISTENT })).status).toBe(200);
		if (lost.length > 0)
			await waitFor('a report', async () => (await failures(client, workflow.id)).length > 0);
		await client.waitUntilUnpublished(workflow.id);
	},
);
