// Publishing while the service is down, a disabled trigger, a publish that fails, files that are imported, and
// without a public address.
// Takes long because the trigger tries again after a minute, n8n starts twice, and its command line is slow.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { omit } from 'lodash';

import { TIMES } from '../../../nodes/CompanyRegistry/trigger/lifecycle/schedule';
import { Cleanups } from '../../n8n-host/cleanups';
import { withDisabled, withParameters } from '../../n8n-host/exampleWorkflows';
import { errorOf, outputOf } from '../../n8n-host/execution';
import type { Credential, WorkflowFile, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import type { StoredWebhook } from '../../simulator';
import { serviceOf, startService, type Service } from '../../support/atService';
import { useSurroundings } from '../surroundings';
import {
	PERSISTENT,
	TRIGGER,
	companyNumbers,
	failures,
	publishedWatcher,
	waitUntilStored,
	watcher,
	webhooksOf,
	withOtherTrigger,
} from './watchers';

const surroundings = useSurroundings();
const cleanups = new Cleanups();
afterAll(async () => await cleanups.run());

/** A service that hears of no other test's triggers, whenever n8n starts those. */
async function ownService(): Promise<{ service: Service; credential: Credential }> {
	const service = await startService();
	cleanups.add('stop the other simulator', async () => await service.close());
	return { service, credential: await surroundings.client.createRegistryCredential(service) };
}

test('what a later publish cannot do while the service is down is reported in a failed execution, the previous companies stay watched, and the rest follows by itself', async () => {
	const { client, simulator, ca } = surroundings;
	const companies = companyNumbers(23, 41_000_000);
	const workflow = await publishedWatcher(surroundings, companies.slice(0, 20));
	const webhooks = webhooksOf(simulator, workflow);

	simulator.fault({ action: { status: 503 }, times: Infinity });
	const parameters = { companyNumbers: companies.join('\n') };
	await client.publishChanges(workflow.id, withParameters(workflow, TRIGGER, parameters));
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

/** Publishes the workflow with these nodes. */
async function publishWith({ id }: WorkflowRecord, nodes: WorkflowFile['nodes']): Promise<void> {
	await surroundings.client.publishChanges(id, { nodes });
}

/** Companies that are watched, by the beginning of their numbers. */
const watchedAt = (service: Service, beginning: string) =>
	service.watched().filter((company) => company.startsWith(beginning));

/** What a sender is answered, by company. */
async function answersTo(service: Service, beginning: string): Promise<Record<string, number>> {
	const { ca } = surroundings;
	const those = service.active().filter((one) => one.company_number.startsWith(beginning));
	const given = those.map(async ({ id, company_number }) => {
		const { status } = await service.deliver(id, { ca, ...PERSISTENT });
		return [company_number, status] as const;
	});
	return Object.fromEntries(await Promise.all(given));
}

const taken = (companies: string[]) =>
	Object.fromEntries(companies.map((company) => [company, 200]));

/** The errors of its failed executions, once there are so many: they end a moment after the publish. */
async function failuresOnce({ id }: WorkflowRecord, count: number) {
	const { client } = surroundings;
	await waitFor(`${count} reports`, async () => (await failures(client, id)).length >= count);
	return await failures(client, id);
}

describe('after n8n was restarted', () => {
	const DISABLED = '61';
	const REFUSED = '62';
	const UNREADABLE = '63';
	const companiesOf = (beginning: string) => companyNumbers(4, Number(beginning) * 1_000_000);
	const changedTo = (workflow: WorkflowRecord, companyNumbers: string) =>
		withParameters(workflow, TRIGGER, { companyNumbers }).nodes;
	let service: Service;
	let disabled: WorkflowRecord;
	let refused: WorkflowRecord;
	let unreadable: WorkflowRecord;
	const watched = (beginning: string) => watchedAt(service, beginning);
	const answers = async (beginning: string) => await answersTo(service, beginning);
	/** Without questions: n8n may let the trigger act only after its publish, and then it asks once more. */
	const writes = () => omit(service.counts(), 'GET');

	beforeAll(async () => {
		const { client } = surroundings;
		const own = await ownService();
		const { credential } = own;
		({ service } = own);
		const published = async (beginning: string) =>
			await publishedWatcher({ client, credential }, companiesOf(beginning).slice(0, 3));
		[refused, unreadable] = [await published(REFUSED), await published(UNREADABLE)];

		const file = watcher(credential, companiesOf(DISABLED).slice(0, 3));
		disabled = await client.createPublished(withOtherTrigger(file));
		await publishWith(disabled, withDisabled(disabled, [TRIGGER], true).nodes);

		await publishWith(unreadable, changedTo(unreadable, '={{ nothing.here() }}'));
		const [last] = companiesOf(REFUSED).slice(-1);
		service.refuse([last]);
		const failing = publishWith(refused, changedTo(refused, last));
		await expect(failing).rejects.toThrow(/No company is watched.*refused 1 company/s);
		service.clearFaults();
		await waitFor('the pauses', () => watched(DISABLED).length + watched(REFUSED).length === 0);

		service.clearRequests();
		await surroundings.host.restart();
		await client.login();
	});

	test('a trigger whose settings cannot be read stays watched, and the correction sends the difference', async () => {
		const companies = companiesOf(UNREADABLE);
		// No other trigger of this service is published.
		await waitFor('the check of the start', () => service.requests.length > 0);
		await sleep(2_000);
		expect(new Set(service.methods())).toEqual(new Set(['GET']));
		expect(await answers(UNREADABLE)).toEqual(taken(companies.slice(0, 3)));

		service.clearRequests();
		await publishWith(unreadable, changedTo(unreadable, companies.slice(1).join('\n')));
		expect(writes()).toEqual({ POST: 1, PATCH: 1 });
		expect(await answers(UNREADABLE)).toEqual(taken(companies.slice(1)));
		// One, and a second where n8n took long to start; the correction adds none.
		for (const one of await failures(surroundings.client, unreadable.id))
			expect(one).toContain("Could not read this trigger's settings");
	});

	test('a publish that had failed was not begun again; the correction resumes the same webhooks', async () => {
		expect(watched(REFUSED)).toEqual([]);
		const companies = companiesOf(REFUSED);
		service.clearRequests();
		await publishWith(refused, changedTo(refused, companies.join('\n')));
		expect(writes()).toEqual({ POST: 1, PATCH: 3 });
		expect(await answers(REFUSED)).toEqual(taken(companies));
		expect(await failuresOnce(refused, 1)).toEqual([
			expect.stringMatching(/^Events may be missing for 3 companies (?!.*someone)/s),
		]);
	});

	test('a disabled trigger that is enabled resumes the same webhooks, and blames no one for their pause', async () => {
		const companies = companiesOf(DISABLED);
		service.clearRequests();
		await publishWith(disabled, withDisabled(disabled, [TRIGGER], false).nodes);
		expect(writes()).toEqual({ PATCH: 3 });
		expect(await answers(DISABLED)).toEqual(taken(companies.slice(0, 3)));
		const gap = /^Events may be missing for 3 companies (?!.*someone)/s;
		expect(await failuresOnce(disabled, 1)).toEqual([expect.stringMatching(gap)]);

		// In the process that disabled it, and with another list.
		await publishWith(disabled, withDisabled(disabled, [TRIGGER], true).nodes);
		await waitFor('the pauses', () => watched(DISABLED).length === 0);
		await publishWith(disabled, changedTo(disabled, companies.slice(1).join('\n')));
		expect(await answers(DISABLED)).toEqual(taken(companies.slice(1)));
		expect(await failuresOnce(disabled, 2)).toEqual([
			expect.stringMatching(gap.source.replace('3', '2')),
			expect.stringMatching(gap),
		]);
	});
});

describe('a file without a webhook path that n8n imports on its command line', () => {
	const published = async (file: WorkflowFile) => {
		const { host } = surroundings;
		const id = randomUUID();
		const path = join(host.userFolder, 'workflow.json');
		await writeFile(path, JSON.stringify({ ...file, id }));
		await host.command('import:workflow', `--input=${path}`);
		// n8n publishes it within ten seconds.
		await host.command('publish:workflow', `--id=${id}`);
		return id;
	};
	const statusOf = async (id: string) => (await surroundings.client.publication(id)).status;

	test('is watched at an address of its own, a test run leaves it alone, and the path that n8n adds later moves its webhooks', async () => {
		const { client, credential } = surroundings;
		const simulator = serviceOf(surroundings.simulator);
		const answers = async () => await answersTo(simulator, '71');
		const companies = companyNumbers(3, 71_000_000);
		const file = watcher(credential, companies);
		delete file.nodes[0].webhookId;
		const id = await published(file);
		await waitFor(
			'all to be watched',
			() => watchedAt(simulator, '71').length === companies.length,
		);
		await waitFor('n8n to publish it', async () => (await statusOf(id)) === 'published');
		expect(await answers()).toEqual(taken(companies));

		const before = simulator.webhooks();
		expect(
			before.filter(({ url }) => url.includes(`/webhook/${id}/company%2520registry%2520trigger/`)),
		).toHaveLength(3);
		simulator.clearRequests();
		const known = await client.executions(id);
		await client.listenForTestEvent(id, TRIGGER);
		const sample = await client.waitForNextExecution(id, known);
		expect(outputOf(sample, TRIGGER)).toMatchObject([{ json: { payload: { sample: true } } }]);
		// By then an unpublish would have begun to pause.
		await sleep(TIMES.beforePausing + 1_000);
		expect(simulator.requests).toEqual([]);
		expect(await answers()).toEqual(taken(companies));

		const record = await client.workflow(id);
		await publishWith(record, [{ ...record.nodes[0], position: [20, 20] }]);
		const [{ webhookId }] = (await client.workflow(id)).nodes;
		const withoutUrls = (webhooks: StoredWebhook[]) => webhooks.map((one) => omit(one, 'url'));
		expect(withoutUrls(simulator.webhooks())).toEqual(withoutUrls(before));
		const path = `/webhook/${webhookId}/webhook?`;
		expect(simulator.webhooks().filter(({ url }) => url.includes(path))).toHaveLength(3);
		expect(await answers()).toEqual(taken(companies));
		expect(await failures(client, id)).toEqual([]);
	});
});

test('without a public address a test run shows a sample of each event, the service hears of none, and publishing says what it needs', async () => {
	const { client, host } = surroundings;
	const { service, credential } = await ownService();
	const events = ['filing.new', 'psc.added'];
	const { id } = await client.createWorkflow(watcher(credential, companyNumbers(2), { events }));
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
	expect(service.requests).toEqual([]);
});
