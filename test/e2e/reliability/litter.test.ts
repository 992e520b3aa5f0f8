// Whatever is done with a workflow, the service holds one webhook for each company and no more.
// Takes long because n8n publishes forty times and listens as often.
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { startSurroundings, type Surroundings } from '../surroundings';
import {
	PATIENCE,
	PERSISTENT,
	TRIGGER,
	companyNumbers,
	testWebhooks,
	watcher,
	webhooksOf,
	withTrigger,
} from './watchers';

jest.setTimeout(600_000);

let surroundings: Surroundings;

beforeAll(async () => {
	surroundings = await startSurroundings();
});

afterAll(async () => await surroundings?.stop());

/** Every test watches companies of its own. */
let firstCompany = 20_000_000;

async function published(count: number, parameters = {}): Promise<WorkflowRecord> {
	const { client, credential } = surroundings;
	firstCompany += 1_000;
	const companies = companyNumbers(count, firstCompany);
	const workflow = await client.createWorkflow(watcher(credential, companies, parameters));
	await client.waitUntilPublished(workflow.id, PATIENCE);
	return workflow;
}

/** Every webhook of this trigger receives: one delivery each is answered 200. */
async function expectEachDelivers(workflow: WorkflowRecord): Promise<void> {
	const { simulator, ca } = surroundings;
	const active = webhooksOf(simulator, workflow).filter(({ is_active }) => is_active);
	const answers = await Promise.all(
		active.map(async ({ id }) => await simulator.deliver(id, { ca, ...PERSISTENT })),
	);
	expect(answers.map(({ status }) => status)).toEqual(active.map(() => 200));
}

test('ten rounds of publishing and unpublishing leave one webhook per company', async () => {
	const { client, simulator } = surroundings;
	const workflow = await published(3);
	const first = webhooksOf(simulator, workflow);
	expect(first).toHaveLength(3);

	for (let round = 0; round < 10; round++) {
		await client.waitUntilUnpublished(workflow.id, PATIENCE);
		await client.waitUntilPublished(workflow.id, PATIENCE);
	}

	expect(webhooksOf(simulator, workflow)).toEqual(first);
	await expectEachDelivers(workflow);
});

test('twenty test runs, before and after publishing, leave one test webhook per company and never touch the published one', async () => {
	const { client, simulator, credential, ca } = surroundings;
	const companies = companyNumbers(2, 21_900_000);
	const workflow = await client.createWorkflow(
		watcher(credential, companies, { options: { testEvent: 'real' } }),
	);
	const listen = async () => {
		await client.listenForTestEvent(workflow.id, TRIGGER);
		expect(testWebhooks(simulator).filter(({ is_active }) => is_active)).toHaveLength(2);
		await client.stopListening(workflow.id);
		// n8n answers before it calls the trigger; a test begun in between it would stop as well.
		await waitFor('the test webhooks to be paused', () =>
			testWebhooks(simulator).every(({ is_active }) => !is_active),
		);
	};

	for (let run = 0; run < 10; run++) await listen();
	const left = testWebhooks(simulator);
	expect(left.map(({ company_number }) => company_number).sort()).toEqual(companies);
	expect(webhooksOf(simulator, workflow)).toEqual([]);

	await client.waitUntilPublished(workflow.id, PATIENCE);
	const production = webhooksOf(simulator, workflow);
	for (let run = 0; run < 10; run++) await listen();
	expect(testWebhooks(simulator).map(({ id }) => id)).toEqual(left.map(({ id }) => id));
	expect(webhooksOf(simulator, workflow)).toEqual(production);

	await client.listenForTestEvent(workflow.id, TRIGGER);
	const delivered = await simulator.deliver(left[0].id, { ca, ...PERSISTENT });
	expect(delivered.status).toBe(200);
	await expectEachDelivers(workflow);
});

test('a renamed trigger keeps its webhooks', async () => {
	const { client, simulator } = surroundings;
	const workflow = await published(3);
	const before = webhooksOf(simulator, workflow);

	await client.updateWorkflow(workflow.id, withTrigger(workflow, { name: 'Companies we watch' }));
	await client.waitUntilPublished(workflow.id, PATIENCE);

	expect(webhooksOf(simulator, workflow)).toEqual(before);
	await expectEachDelivers(workflow);
});

test('changed events, companies and options are applied to the webhooks that exist', async () => {
	const { client, simulator } = surroundings;
	const workflow = await published(3);
	const before = webhooksOf(simulator, workflow);
	const [, second, third] = before.map(({ company_number }) => company_number);

	const parameters = {
		companyNumbers: `${second}, ${third}, 22990001`,
		events: ['psc.added', 'officer.appointed'],
		options: { includeRequest: true, tolerance: 600 },
	};
	await client.updateWorkflow(workflow.id, withTrigger(workflow, { parameters }));
	await client.waitUntilPublished(workflow.id, PATIENCE);

	const after = webhooksOf(simulator, workflow);
	expect(after.slice(0, 3).map(({ id, secret }) => ({ id, secret }))).toEqual(
		before.map(({ id, secret }) => ({ id, secret })),
	);
	expect(after.map(({ company_number, is_active }) => [company_number, is_active])).toEqual([
		[before[0].company_number, false],
		[second, true],
		[third, true],
		['22990001', true],
	]);
	for (const { events } of after.slice(1))
		expect([...events].sort()).toEqual(['officer.appointed', 'psc.added']);
	await expectEachDelivers(workflow);

	await client.updateWorkflow(workflow.id, withTrigger(workflow, {}));
	await client.waitUntilPublished(workflow.id, PATIENCE);
	expect(webhooksOf(simulator, workflow).map(({ id }) => id)).toEqual(after.map(({ id }) => id));
});

test('a file without a webhook path, taken in twice, has one webhook per company and copy', async () => {
	const { client, simulator, credential } = surroundings;
	const file = watcher(credential, companyNumbers(2, 23_990_000));
	// n8n gives each copy a path, and leaves both with the same node id.
	delete file.nodes[0].webhookId;
	const imported = [await client.createWorkflow(file), await client.createWorkflow(file)];

	for (const { id } of imported) await client.waitUntilPublished(id, PATIENCE);

	for (const workflow of imported) {
		expect(webhooksOf(simulator, workflow)).toHaveLength(2);
		await expectEachDelivers(workflow);
	}
});

test('an import that keeps the webhook path of a published one is refused before any request', async () => {
	const { client, simulator, credential } = surroundings;
	const original = watcher(credential, companyNumbers(2, 24_990_000));
	const [first, second] = [
		await client.createWorkflow(original),
		await client.createWorkflow(original),
	];
	await client.waitUntilPublished(first.id, PATIENCE);
	simulator.clearRequests();

	await expect(client.waitUntilPublished(second.id, PATIENCE)).rejects.toThrow(
		/conflict|already taken/i,
	);

	expect(simulator.requests).toEqual([]);
	await expectEachDelivers(first);
});
