// A publish keeps what is watched, takes the time that the service needs, and tells what it could not do.
// Takes minutes: n8n waits a minute for a publish, and a process is taken for stopped after half a minute.
import { setTimeout as sleep } from 'node:timers/promises';

import { SIGN_OF_LIFE } from '../../../nodes/CompanyRegistry/trigger/memory/phase';
import { errorOf, outputOf } from '../../n8n-host/execution';
import { waitFor } from '../../n8n-host/waitFor';
import type { Fault, StoredWebhook } from '../../simulator';
import { useSurroundings } from '../surroundings';
import {
	PATIENCE,
	SHORT_LEASE,
	TRIGGER,
	companyNumbers,
	expectSecretsStored,
	publishedWatcher,
	watcher,
	webhooksOf,
	withTrigger,
} from './watchers';

const surroundings = useSurroundings();

async function statusOf({ id }: StoredWebhook): Promise<number> {
	const { simulator, ca } = surroundings;
	return (await simulator.deliver(id, { ca })).status;
}

const active = (webhooks: StoredWebhook[]) => webhooks.filter(({ is_active }) => is_active);

test.each<[string, string[], Fault['action'] | undefined, RegExp]>([
	[
		'a service that is down',
		['43000000', '43000001', '43000002'],
		{ status: 503 },
		/^20 of 23 companies are watched\. 3 companies could not be set up \(20 of 23 succeeded\)\. .*HTTP 503.* It goes on trying for an hour/,
	],
	[
		'a list that cannot be read',
		['sole trader'],
		undefined,
		/^Nothing was changed: the 20 companies of before stay watched\. Row 22, .*"sole trader"/,
	],
])(
	'what a later publish cannot do is told in a failed execution, and all of before stays watched: %s',
	async (_what, added, action, told) => {
		const { client, simulator } = surroundings;
		const companies = companyNumbers(20, action ? 41_000_000 : 42_000_000);
		const workflow = await publishedWatcher(surroundings, companies);
		const webhooks = webhooksOf(simulator, workflow);

		if (action) simulator.fault({ action, times: Infinity });
		const rows = [...companies, ...added].map((number) => `Client\t${number}`);
		const parameters = { companyNumbers: ['Name\tCompany number', ...rows].join('\n') };
		await client.updateWorkflow(workflow.id, withTrigger(workflow, { parameters }));
		await client.waitUntilPublished(workflow.id, PATIENCE);
		const execution = await client.waitForNextExecution(workflow.id, [], PATIENCE);
		expect(errorOf(execution)).toMatch(told);
		expect(outputOf(execution, TRIGGER)).toEqual([]);
		expect(webhooksOf(simulator, workflow)).toEqual(webhooks);
		expect(active(webhooks)).toHaveLength(20);
		expect(await statusOf(webhooks[0])).toBe(200);

		simulator.clearFaults();
		const count = action ? 23 : 20;
		await waitFor('all', () => active(webhooksOf(simulator, workflow)).length === count, PATIENCE);
		const isStored = async () =>
			JSON.stringify((await client.workflow(workflow.id)).staticData).includes('"published"');
		await waitFor('all to be stored', isStored, PATIENCE);
		await expectSecretsStored(client, workflow, webhooksOf(simulator, workflow));
		// The other one is the delivery's.
		expect(await client.executions(workflow.id)).toHaveLength(2);
	},
);

test('killed in the middle of a slow publish, n8n knows what was stored; the first delivery says how much is left, and publishing does the rest', async () => {
	const { client, simulator, credential, host } = surroundings;
	const companies = companyNumbers(150, 45_000_000);
	const workflow = await client.createWorkflow(watcher(credential, companies));
	simulator.latencyMs = 3_000;
	await client.publish(workflow.id);
	await waitFor('some', () => webhooksOf(simulator, workflow).length >= 60, PATIENCE);
	expect(await client.publication(workflow.id)).toMatchObject({ status: 'in_progress' });

	await host.kill();
	simulator.latencyMs = 0;
	await host.restart(SHORT_LEASE);
	await sleep(SIGN_OF_LIFE.missedAfter);

	const made = webhooksOf(simulator, workflow);
	const stored = JSON.stringify((await client.workflow(workflow.id)).staticData);
	const known = made.filter(({ secret }) => stored.includes(secret));
	expect(known.length).toBeGreaterThan(0);
	expect(made.length - known.length).toBeLessThanOrEqual(100);

	// A delivery costs n8n a tenth of a second.
	const some = known.filter((_, index) => index % 10 === 0);
	const statuses: number[] = [];
	for (const webhook of some) statuses.push(await statusOf(webhook));
	expect(statuses).toEqual(some.map((_, index) => (index === 0 ? 500 : 200)));
	const [shown] = (await client.executions(workflow.id)).slice(-1);
	expect(errorOf(await client.waitForExecution(shown.id, PATIENCE))).toContain(
		`was interrupted: ${150 - known.length} of its webhooks are not as wanted. Unpublish the workflow and publish it again.`,
	);

	await client.waitUntilUnpublished(workflow.id, PATIENCE);
	await client.waitUntilPublished(workflow.id, PATIENCE);
	const added = webhooksOf(simulator, workflow).slice(made.length);
	expect(added).toHaveLength(150 - known.length);
	await expectSecretsStored(client, workflow, [...known, ...added]);
});
