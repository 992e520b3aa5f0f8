// A publish keeps what is watched, takes the time that the service needs, and tells what it could not do.
// Takes minutes: n8n waits a minute for a publish, and a process is taken for stopped after half a minute.
import { setTimeout as sleep } from 'node:timers/promises';

import { SIGN_OF_LIFE } from '../../../nodes/CompanyRegistry/trigger/memory/phase';
import { Cleanups } from '../../n8n-host/cleanups';
import { errorOf, outputOf } from '../../n8n-host/execution';
import type { Credential, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { startSimulator, type Fault, type Simulator, type StoredWebhook } from '../../simulator';
import { startSurroundings, type Surroundings } from '../surroundings';
import {
	PATIENCE,
	PERSISTENT,
	SHORT_LEASE,
	TRIGGER,
	companyNumbers,
	errorWorkflow,
	expectSecretsStored,
	waitForExecutions,
	watcher,
	webhooksOf,
	withTrigger,
} from './watchers';

jest.setTimeout(600_000);

const cleanups = new Cleanups();
let surroundings: Surroundings;
/** Goes on while the first test runs. */
let slow: { service: Simulator; workflow: WorkflowRecord; began: number };

beforeAll(async () => {
	surroundings = await startSurroundings();
	cleanups.add('stop n8n', surroundings.stop);
	const { client } = surroundings;
	const { service, credential } = await openService();
	const workflow = await client.createWorkflow(
		watcher(credential, companyNumbers(300, 42_000_000)),
	);
	service.rateLimit({ requests: 2, perMs: 1000 });
	slow = { service, workflow, began: Date.now() };
	await client.publish(workflow.id);
});

afterAll(async () => await cleanups.run());

/** A service of its own, to fail in its own way. */
async function openService(): Promise<{ service: Simulator; credential: Credential }> {
	const service = await startSimulator();
	cleanups.add('stop a stand-in', async () => await service.close());
	const credential = await surroundings.client.createCredential({
		name: 'A service of its own',
		type: 'companyRegistryApi',
		data: { baseUrl: service.url, apiKey: service.apiKey },
	});
	return { service, credential };
}

async function statusOf(service: Simulator, { id }: StoredWebhook): Promise<number> {
	return (await service.deliver(id, { ca: surroundings.ca, ...PERSISTENT, retries: 0 })).status;
}

const active = (webhooks: StoredWebhook[]) => webhooks.filter(({ is_active }) => is_active);

interface Change {
	/** Companies that were watched. */
	before: number;
	added: string[];
	fault?: Omit<Fault, 'times'>;
	told: RegExp;
}

const changes: Record<string, Change> = {
	'a company that is refused': {
		before: 100,
		added: ['43000000'],
		fault: { method: 'POST', action: { status: 422 } },
		told: /^100 of 101 companies are watched\. Company 43000000 could not be set up \(100 of 101 succeeded\)\. .*publish again: existing webhooks are reused\.$/,
	},
	'a service that is down': {
		before: 100,
		added: ['43000000', '43000001', '43000002'],
		fault: { action: { status: 503 } },
		told: /^100 of 103 companies are watched\. 3 companies could not be set up \(100 of 103 succeeded\)\. .*HTTP 503.* It goes on trying for an hour/,
	},
	'a key that was revoked': {
		before: 50,
		added: ['43000000'],
		fault: { action: { status: 401 } },
		told: /^50 of 51 companies are watched\. .*did not accept the API key\. Check the API key.*publish again/,
	},
	'a list that cannot be read': {
		before: 302,
		added: ['sole trader'],
		told: /^Nothing was changed: the 302 companies of before stay watched\. Row 304, .*"sole trader"/,
	},
};

test('what a later publish cannot do is told in a failed execution, and all of before stays watched', async () => {
	const { client } = surroundings;
	const alarm = await client.createWorkflow(errorWorkflow());
	await client.enableErrorWorkflow(alarm.id, PATIENCE);

	const published = Object.values(changes).map(async ({ before, added, fault, told }) => {
		const { service, credential } = await openService();
		const companies = companyNumbers(before, 41_000_000);
		const file = watcher(credential, companies);
		const settings = { ...file.settings, errorWorkflow: alarm.id };
		const workflow = await client.createWorkflow({ ...file, settings });
		await client.waitUntilPublished(workflow.id, PATIENCE);
		const webhooks = webhooksOf(service, workflow);

		if (fault) service.fault({ ...fault, times: Infinity });
		const rows = [...companies, ...added].map((number) => `Client\t${number}`);
		const parameters = { companyNumbers: ['Name\tCompany number', ...rows].join('\n') };
		await client.updateWorkflow(workflow.id, withTrigger(workflow, { parameters }));
		await client.waitUntilPublished(workflow.id, PATIENCE);
		const execution = await client.waitForNextExecution(workflow.id, [], PATIENCE);
		expect(errorOf(execution)).toMatch(told);
		expect(outputOf(execution, TRIGGER)).toEqual([]);
		expect(webhooksOf(service, workflow)).toEqual(webhooks);
		expect(active(webhooks)).toHaveLength(before);
		expect(await statusOf(service, webhooks[0])).toBe(200);

		service.clearFaults();
		return { service, workflow, words: String(errorOf(execution)) };
	});
	const all = await Promise.all(published);

	await waitForExecutions(client, alarm.id, all.length);
	const heard = await Promise.all(
		(await client.executions(alarm.id)).map(async ({ id }) => await client.waitForExecution(id)),
	);
	const [, { service, workflow }] = all;
	await waitFor('the rest', () => active(webhooksOf(service, workflow)).length === 103, PATIENCE);
	for (const { words, workflow } of all) {
		expect(JSON.stringify(heard)).toContain(JSON.stringify(words).slice(1, -1));
		// The other one is the delivery's.
		expect(await client.executions(workflow.id)).toHaveLength(2);
	}
});

test('300 companies at two requests a second need one publish, and few requests are refused', async () => {
	const { client } = surroundings;
	const { service, workflow, began } = slow;
	const patience = { timeoutMs: 240_000 };
	await waitFor('all', () => webhooksOf(service, workflow).length === 300, patience);
	const { requests } = service;
	expect(Math.max(...requests.map(({ at }) => at)) - began).toBeLessThan(188_000);
	const refused = requests.filter(({ status }) => status === 429);
	expect(refused.length).toBeLessThanOrEqual(requests.length / 10);

	expect(await client.publication(workflow.id)).toMatchObject({ status: 'published' });
	await waitFor(
		'all to be stored',
		async () =>
			JSON.stringify((await client.workflow(workflow.id)).staticData).includes('"published"'),
		PATIENCE,
	);
	await expectSecretsStored(client, workflow, webhooksOf(service, workflow));
	expect(await client.executions(workflow.id)).toEqual([]);
});

test('killed in the middle of two slow publishes, n8n knows what was stored; the first delivery says how much is left, and publishing does the rest', async () => {
	const { client, simulator, credential, host } = surroundings;
	const create = async (count: number, first: number) =>
		await client.createWorkflow(
			watcher(credential, companyNumbers(count, first), {
				options: { alreadyWatched: 'makeAnother' },
			}),
		);
	const answered = await create(600, 44_000_000);
	const waiting = await create(400, 45_000_000);
	simulator.latencyMs = 1_500;
	await client.waitUntilPublished(answered.id, PATIENCE);
	const atAnswer = webhooksOf(simulator, answered).length;
	expect(atAnswer).toBeLessThan(600);
	await client.publish(waiting.id);
	await waitFor('both', () => webhooksOf(simulator, waiting).length >= 90, PATIENCE);
	expect(await client.publication(waiting.id)).toMatchObject({ status: 'in_progress' });

	await host.kill();
	simulator.latencyMs = 0;
	await host.restart(SHORT_LEASE);
	await sleep(SIGN_OF_LIFE.missedAfter);

	for (const [workflow, count] of [
		[answered, 600],
		[waiting, 400],
	] as const) {
		const made = webhooksOf(simulator, workflow);
		const stored = JSON.stringify((await client.workflow(workflow.id)).staticData);
		const known = made.filter(({ secret }) => stored.includes(secret));
		expect(known.length).toBeGreaterThan(workflow === answered ? atAnswer : 0);
		expect(made.length - known.length).toBeLessThanOrEqual(100);

		// A delivery costs n8n a tenth of a second.
		const some = known.filter((_, index) => index % 30 === 0);
		const statuses: number[] = [];
		for (const webhook of some) statuses.push(await statusOf(simulator, webhook));
		expect(statuses).toEqual(some.map((_, index) => (index === 0 ? 500 : 200)));
		const [shown] = (await client.executions(workflow.id)).slice(-1);
		expect(errorOf(await client.waitForExecution(shown.id, PATIENCE))).toContain(
			`was interrupted: ${count - known.length} of its webhooks are not as wanted. Unpublish the workflow and publish it again.`,
		);

		await client.waitUntilUnpublished(workflow.id, PATIENCE);
		await client.waitUntilPublished(workflow.id, PATIENCE);
		const added = webhooksOf(simulator, workflow).slice(made.length);
		expect(added).toHaveLength(count - known.length);
		await expectSecretsStored(client, workflow, [...known, ...added]);
	}
});
