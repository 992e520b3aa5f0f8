// Publishing where the service or n8n refuses something: what is reported and retried, and that there is one webhook
// for each company and copy.
// Takes long because the trigger tries again after a minute.
import { withParameters } from '../../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../../n8n-host/execution';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { useSurroundings } from '../surroundings';
import {
	PERSISTENT,
	TRIGGER,
	companyNumbers,
	publishedWatcher,
	waitUntilStored,
	watcher,
	webhooksOf,
} from './watchers';

const surroundings = useSurroundings();

afterEach(() => surroundings.simulator.clearFaults());

/** One active webhook for each company, whose secret n8n has stored; the last of them delivers. */
async function expectComplete(workflow: WorkflowRecord, companies: string[]): Promise<void> {
	const { client, simulator, ca } = surroundings;
	const webhooks = webhooksOf(simulator, workflow);
	expect(webhooks.map(({ company_number }) => company_number).sort()).toEqual(companies);
	expect(webhooks.filter(({ is_active }) => !is_active)).toEqual([]);
	const stored = JSON.stringify((await client.workflow(workflow.id)).staticData);
	expect(webhooks.filter(({ secret }) => !stored.includes(secret))).toEqual([]);
	const last = webhooks.find(({ company_number }) => company_number === companies.at(-1));
	const { status } = await simulator.deliver(String(last?.id), { ca, ...PERSISTENT });
	expect(status).toBe(200);
}

test('what a later publish cannot do while the service is down is reported in a failed execution, the previous companies stay watched, and the rest follows by itself', async () => {
	const { client, simulator, ca } = surroundings;
	const companies = companyNumbers(23, 41_000_000);
	const workflow = await publishedWatcher(surroundings, companies.slice(0, 20));
	const webhooks = webhooksOf(simulator, workflow);

	simulator.fault({ action: { status: 503 }, times: Infinity });
	const parameters = { companyNumbers: companies.join('\n') };
	await client.updateWorkflow(workflow.id, withParameters(workflow, TRIGGER, parameters));
	await client.waitUntilPublished(workflow.id);
	const execution = await client.waitForNextExecution(workflow.id);
	expect(errorOf(execution)).toMatch(
		/^20 of 23 companies are watched\. .*HTTP 503.*The trigger retries automatically/,
	);
	expect(outputOf(execution, TRIGGER)).toEqual([]);
	expect(webhooksOf(simulator, workflow)).toEqual(webhooks);
	expect((await simulator.deliver(webhooks[0].id, { ca })).status).toBe(200);

	simulator.clearFaults();
	await waitUntilStored(surroundings, workflow, companies);
	await expectComplete(workflow, companies);
});

test('a file without a webhook path that is imported twice has one webhook per company and copy', async () => {
	const { client, credential } = surroundings;
	const companies = companyNumbers(2, 23_990_000);
	const file = watcher(credential, companies, { options: { alreadyWatched: 'watch' } });
	// n8n gives each copy a path, and leaves both with the same node id.
	delete file.nodes[0].webhookId;
	const imported = [await client.createWorkflow(file), await client.createWorkflow(file)];

	for (const { id } of imported) await client.waitUntilPublished(id);
	for (const workflow of imported) await expectComplete(workflow, companies);
});

test('an import that keeps the webhook path of a published one is refused before any request', async () => {
	const { client, simulator, credential } = surroundings;
	const companies = companyNumbers(2, 24_990_000);
	const original = watcher(credential, companies);
	const first = await client.createWorkflow(original);
	const second = await client.createWorkflow(original);
	await client.waitUntilPublished(first.id);
	simulator.clearRequests();

	await expect(client.waitUntilPublished(second.id)).rejects.toThrow(/conflict|already taken/i);
	expect(simulator.requests).toEqual([]);
	await expectComplete(first, companies);
});
