// Publishing while the service is down, a file that is imported twice, and without a public address.
// Takes long because the trigger tries again after a minute, and n8n starts again.
import { withParameters } from '../../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../../n8n-host/execution';
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
		/^Could not check since \d\d:\d\d \(last seen: 20 of 23 watched\) .*HTTP 503.*The trigger retries automatically/s,
	);
	expect(outputOf(execution, TRIGGER)).toEqual([]);
	expect(webhooksOf(simulator, workflow)).toEqual(webhooks);
	expect((await simulator.deliver(webhooks[0].id, { ca })).status).toBe(200);

	simulator.clearFaults();
	await waitUntilStored(surroundings, workflow, companies);
	expect(
		webhooksOf(simulator, workflow)
			.map((one) => one.company_number)
			.sort(),
	).toEqual(companies);
});

test('a file without a webhook path that is imported twice has one webhook per company and copy', async () => {
	const { client, credential, simulator, ca } = surroundings;
	const companies = companyNumbers(2, 23_990_000);
	const file = watcher(credential, companies, { options: { alreadyWatched: 'watch' } });
	// n8n gives each copy a path, and leaves both with the same node id.
	delete file.nodes[0].webhookId;
	const imported = [await client.createWorkflow(file), await client.createWorkflow(file)];

	for (const { id } of imported) await client.waitUntilPublished(id);
	for (const workflow of imported) {
		await waitUntilStored(surroundings, workflow, companies);
		const webhooks = webhooksOf(simulator, workflow);
		expect(webhooks).toHaveLength(companies.length);
		const { status } = await simulator.deliver(webhooks[0].id, { ca, ...PERSISTENT });
		expect(status).toBe(200);
	}
});

test('without a public address a test run shows a sample of each event, the service hears of none, and publishing says what it needs', async () => {
	const { client, credential, host, simulator } = surroundings;
	const events = ['filing.new', 'psc.added'];
	const { id } = await client.createWorkflow(watcher(credential, companyNumbers(2), { events }));
	simulator.clearRequests();
	await host.restart({ N8N_WEBHOOK_URL: '', WEBHOOK_URL: '' });
	await client.listenForTestEvent(id, TRIGGER);
	const execution = await client.waitForNextExecution(id);
	const sample = { company_number: '10000000', webhook_id: 'sample', payload: { sample: true } };
	expect(outputOf(execution, TRIGGER).map(({ json }) => json)).toMatchObject(
		events.map((event) => ({ event, ...sample })),
	);
	await expect(client.waitUntilPublished(id)).rejects.toThrow(
		/delivers only to https addresses.*N8N_WEBHOOK_URL to the public https address.*restart n8n/s,
	);
	expect(simulator.requests).toEqual([]);
});
