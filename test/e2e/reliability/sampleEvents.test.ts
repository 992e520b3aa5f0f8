// "Execute step" on the trigger in a real n8n: a sample event within seconds, however often.
// Takes long because n8n starts three times.
import { outputOf } from '../../n8n-host/execution';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { startSurroundings, type Surroundings } from '../surroundings';
import { PATIENCE, TRIGGER, companyNumbers, watcher } from './watchers';

jest.setTimeout(600_000);

let surroundings: Surroundings;
let workflow: WorkflowRecord;

beforeAll(async () => {
	surroundings = await startSurroundings();
	const { client, credential, simulator } = surroundings;
	workflow = await client.createWorkflow(
		watcher(credential, companyNumbers(2), { events: ['filing.new', 'psc.added'] }),
	);
	simulator.clearRequests();
});
afterAll(async () => await surroundings?.stop());

/** Until its execution has finished and n8n listens no more. */
async function executeStep() {
	const { client } = surroundings;
	const known = await client.executions(workflow.id);
	await client.listenForTestEvent(workflow.id, TRIGGER);
	const execution = await client.waitForNextExecution(workflow.id, known, PATIENCE);
	expect(execution.status).toBe('success');
	return outputOf(execution, TRIGGER).map(({ json }) => json);
}

function expectNothingAtTheService(): void {
	const { simulator } = surroundings;
	expect(simulator.requests).toEqual([]);
	expect(simulator.webhooks()).toEqual([]);
}

test('each of five test runs shows a sample of each event, and the service hears of none', async () => {
	for (let run = 0; run < 5; run++) {
		expect(await executeStep()).toMatchObject(
			['filing.new', 'psc.added'].map((event) => ({
				event,
				company_number: '10000000',
				webhook_id: 'sample',
				payload: { sample: true },
			})),
		);
	}
	expectNothingAtTheService();
	expect(surroundings.host.logs()).not.toMatch(/unknown webhook|sample event could not/i);
});

test('a test run that is stopped before the sample comes starts nothing', async () => {
	const { client } = surroundings;
	const known = await client.executions(workflow.id);
	await client.listenForTestEvent(workflow.id, TRIGGER);
	await client.stopListening(workflow.id);
	expect(await executeStep()).toHaveLength(2);
	expect(await client.executions(workflow.id)).toHaveLength(known.length + 1);
});

test('an n8n that cannot reach itself, by a certificate that is not trusted, says so at once', async () => {
	const { client, host } = surroundings;
	await host.restart({ NODE_EXTRA_CA_CERTS: '' });
	const listening = client.listenForTestEvent(workflow.id, TRIGGER);
	await expect(listening).rejects.toThrow(/no answer came \(.*(?:cert|verify)/i);
	await expect(client.listenForTestEvent(workflow.id, TRIGGER)).rejects.toThrow(
		/N8N_WEBHOOK_URL .*'Next Real Event'/,
	);
	expectNothingAtTheService();
});

test('an n8n without a public address shows samples as well, and says what publishing needs', async () => {
	const { client, host } = surroundings;
	await host.restart({ N8N_WEBHOOK_URL: '', WEBHOOK_URL: '' });
	expect(await executeStep()).toHaveLength(2);
	await expect(client.waitUntilPublished(workflow.id, PATIENCE)).rejects.toThrow(
		/delivers to https addresses only.*N8N_WEBHOOK_URL.*to n8n's public https address and restart n8n/s,
	);
	expectNothingAtTheService();
});
