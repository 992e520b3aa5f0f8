// A publish that n8n gives up, or that a crash interrupts, and what the next one makes of it.
// Takes minutes: the trigger gives a publish 62 seconds, and n8n starts anew.
import { errorOf } from '../../n8n-host/execution';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import type { StoredWebhook } from '../../simulator';
import { startSurroundings, type Surroundings } from '../surroundings';
import {
	PATIENCE,
	PERSISTENT,
	SHORT_LEASE,
	companyNumbers,
	executedDeliveries,
	expectSecretsStored,
	waitForExecutions,
	watcher,
	webhooksOf,
} from './watchers';

jest.setTimeout(600_000);

let surroundings: Surroundings;
/** Of the first test. */
let completed: StoredWebhook[];

beforeAll(async () => {
	surroundings = await startSurroundings();
});

afterAll(async () => await surroundings?.stop());

/** What n8n answers to one delivery of each, one after the other. */
async function statusesOf(webhooks: StoredWebhook[], persistence = PERSISTENT): Promise<number[]> {
	const { simulator, ca } = surroundings;
	const statuses: number[] = [];
	for (const { id } of webhooks)
		statuses.push((await simulator.deliver(id, { ca, ...persistence })).status);
	return statuses;
}

function companiesOf(webhooks: StoredWebhook[]): string[] {
	return webhooks.map(({ company_number }) => company_number).sort();
}

const all = (each: unknown[], status: number) => each.map(() => status);

test('a publish that takes longer than n8n waits says how far it came, and makes no webhook twice; the next one goes on from there', async () => {
	const { client, simulator, credential, host } = surroundings;
	const companies = companyNumbers(450, 41_000_000);
	const workflow: WorkflowRecord = await client.createWorkflow(watcher(credential, companies));
	// Ten at a time: 68 seconds, of which the trigger takes 62, so that n8n's attempts end within its 84.
	simulator.latencyMs = 1_500;
	await client.publish(workflow.id);
	const { status, errorMessage } = await client.waitForPublication(workflow.id, PATIENCE);
	const message =
		/^The webhooks could not be set up \(\d{3} of 450 succeeded\)\. Publishing takes longer than n8n waits for it\. What is set up stays set up: publish again/;
	expect(status).toBe('failed');
	expect(errorMessage).toMatch(message);
	expect(host.logs()).toContain(errorMessage);
	simulator.latencyMs = 0;

	await client.waitUntilPublished(workflow.id, PATIENCE);

	completed = webhooksOf(simulator, workflow);
	expect(companiesOf(completed)).toEqual(companies);
	expect(completed.filter(({ is_active }) => !is_active)).toEqual([]);
	await expectSecretsStored(client, workflow, completed);
});

// The same restart shows what has become of the test before.
test('webhooks created just before a SIGKILL answer 503, and a failed execution says what to do; unpublishing and publishing makes a full set beside them, and those of the other workflow go on', async () => {
	const { client, simulator, credential, host } = surroundings;
	const companies = companyNumbers(30, 40_000_000);
	const workflow = await client.createWorkflow(watcher(credential, companies));
	simulator.latencyMs = 500;
	await client.publish(workflow.id);
	await waitFor('some webhooks', () => webhooksOf(simulator, workflow).length >= 10, PATIENCE);

	await host.kill();
	simulator.latencyMs = 0;
	await host.restart(SHORT_LEASE);
	const orphans = webhooksOf(simulator, workflow);
	// A delivery costs n8n a tenth of a second.
	const some = completed.filter((_, index) => index % 30 === 0);
	expect(await statusesOf(some)).toEqual(all(some, 200));

	const [shown, ...others] = await statusesOf(orphans, { ...PERSISTENT, retries: 0 });
	expect(shown).toBe(500);
	expect(others).toEqual(all(others, 503));
	const { id } = (await client.executions(workflow.id))[0];
	expect(errorOf(await client.waitForExecution(id, PATIENCE))).toContain(
		'secret is not known here (Unpublish the workflow and publish it again.',
	);
	expect(await client.executions(workflow.id)).toHaveLength(1);

	await client.waitUntilUnpublished(workflow.id, PATIENCE);
	await client.waitUntilPublished(workflow.id, PATIENCE);
	const fresh = webhooksOf(simulator, workflow).slice(orphans.length);
	expect(companiesOf(fresh)).toEqual(companies);
	expect(await statusesOf(fresh)).toEqual(all(fresh, 200));
	expect(await statusesOf(orphans, { ...PERSISTENT, retries: 0 })).toEqual(all(orphans, 503));
	await waitForExecutions(client, workflow.id, 1 + fresh.length);
	expect(await executedDeliveries(client, workflow.id)).toHaveLength(fresh.length);
});
