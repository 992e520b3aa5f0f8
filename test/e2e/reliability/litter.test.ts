// Whatever is done with a workflow, the service holds one webhook for each company and no more.
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import type { Simulator, StoredWebhook } from '../../simulator';
import { useSurroundings } from '../surroundings';
import {
	PATIENCE,
	PERSISTENT,
	TRIGGER,
	companyNumbers,
	publishedWatcher,
	waitUntilPaused,
	watcher,
	webhooksOf,
	withTrigger,
} from './watchers';

const surroundings = useSurroundings();

function testWebhooks(simulator: Simulator): StoredWebhook[] {
	return simulator.webhooks().filter(({ url }) => url.includes('/webhook-test/'));
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

test('test runs before and after publishing use the same test webhooks, and never touch the published ones', async () => {
	const { client, simulator, credential } = surroundings;
	const options = { testEvent: 'real' };
	const file = watcher(credential, companyNumbers(2, 21_900_000), { options });
	const workflow = await client.createWorkflow(file);
	const listen = async () => {
		await client.listenForTestEvent(workflow.id, TRIGGER);
		expect(testWebhooks(simulator).map(({ is_active }) => is_active)).toEqual([true, true]);
		await client.stopListening(workflow.id);
		// n8n answers before it calls the trigger; a test begun in between it would stop as well.
		await waitUntilPaused(() => testWebhooks(simulator));
		return testWebhooks(simulator);
	};

	const first = await listen();
	expect(webhooksOf(simulator, workflow)).toEqual([]);
	await client.waitUntilPublished(workflow.id, PATIENCE);
	const production = webhooksOf(simulator, workflow);
	expect(await listen()).toEqual(first);
	expect(webhooksOf(simulator, workflow)).toEqual(production);
	await expectEachDelivers(workflow);
});

test('changed events, companies and options are applied to the webhooks that exist', async () => {
	const { client, simulator } = surroundings;
	const workflow = await publishedWatcher(surroundings, companyNumbers(3, 21_000_000));
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
