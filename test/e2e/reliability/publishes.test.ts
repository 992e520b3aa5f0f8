// A disabled trigger, a publish that fails, and settings that cannot be read, before and after a restart of n8n.
import { setTimeout as sleep } from 'node:timers/promises';

import { omit } from 'lodash';

import { withDisabled, withParameters } from '../../n8n-host/exampleWorkflows';
import type { WorkflowFile, WorkflowRecord } from '../../n8n-host/n8nTypes';
import { waitFor } from '../../n8n-host/waitFor';
import { startService, type Service } from '../../support/atService';
import { useSurroundings } from '../surroundings';
import {
	PERSISTENT,
	TRIGGER,
	companyNumbers,
	failures,
	publishedWatcher,
	watcher,
	withOtherTrigger,
} from './watchers';

const surroundings = useSurroundings();

/** Publishes the workflow with these nodes. */
async function publishWith({ id }: WorkflowRecord, nodes: WorkflowFile['nodes']): Promise<void> {
	await surroundings.client.publishChanges(id, { nodes });
}

/** Those of its companies that are watched whose numbers begin so. */
const watchedAt = (service: Service, beginning: string) =>
	service.watched().filter((company) => company.startsWith(beginning));

/** These companies are watched, no others whose numbers begin alike, and all their deliveries are taken. */
async function expectTaken(service: Service, companies: string[]): Promise<void> {
	expect(watchedAt(service, companies[0].slice(0, 2))).toEqual(companies);
	const { ca } = surroundings;
	for (const { id, company_number } of service.active()) {
		if (!companies.includes(company_number)) continue;
		expect((await service.deliver(id, { ca, ...PERSISTENT })).status).toBe(200);
	}
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
	/** Without questions: n8n may let the trigger act only after its publish, and then it asks once more. */
	const writes = () => omit(service.counts(), 'GET');

	beforeAll(async () => {
		const { client } = surroundings;
		// It hears of no other test's triggers, whenever n8n starts those.
		service = await startService();
		const credential = await client.createRegistryCredential(service);
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
	afterAll(async () => await service.close());

	test('a trigger whose settings cannot be read stays watched, and the correction sends the difference', async () => {
		const companies = companiesOf(UNREADABLE);
		// No other trigger of this service is published.
		await waitFor('the check of the start', () => service.requests.length > 0);
		await sleep(2_000);
		expect(new Set(service.methods())).toEqual(new Set(['GET']));
		await expectTaken(service, companies.slice(0, 3));

		service.clearRequests();
		await publishWith(unreadable, changedTo(unreadable, companies.slice(1).join('\n')));
		expect(writes()).toEqual({ POST: 1, PATCH: 1 });
		await expectTaken(service, companies.slice(1));
		// The correction adds none.
		expect(await failures(surroundings.client, unreadable.id)).toHaveLength(1);
	});

	test('a publish that had failed was not begun again; the correction resumes the same webhooks', async () => {
		expect(watched(REFUSED)).toEqual([]);
		const companies = companiesOf(REFUSED);
		service.clearRequests();
		await publishWith(refused, changedTo(refused, companies.join('\n')));
		expect(writes()).toEqual({ POST: 1, PATCH: 3 });
		await expectTaken(service, companies);
		// Less than five minutes is nothing of its own.
		expect(await failures(surroundings.client, refused.id)).toEqual([]);
	});

	test('a disabled trigger that is enabled resumes the same webhooks, and blames no one for their pause', async () => {
		const companies = companiesOf(DISABLED);
		service.clearRequests();
		await publishWith(disabled, withDisabled(disabled, [TRIGGER], false).nodes);
		expect(writes()).toEqual({ PATCH: 3 });
		await expectTaken(service, companies.slice(0, 3));

		// In the process that disabled it, and with another list.
		await publishWith(disabled, withDisabled(disabled, [TRIGGER], true).nodes);
		await waitFor('the pauses', () => watched(DISABLED).length === 0);
		await publishWith(disabled, changedTo(disabled, companies.slice(1).join('\n')));
		await expectTaken(service, companies.slice(1));
		expect(await failures(surroundings.client, disabled.id)).toEqual([]);
	});
});
