// What every release has stored still works: delivering to it, publishing and unpublishing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeType } from 'n8n-workflow';

import type { StoredWebhook } from '../../simulator';
import { afterRestart, settled } from '../../support/loadedTriggers';
import { callHook, register } from '../../support/savedWorkflow';
import {
	readStoredRelease,
	recordRelease,
	storedReleases,
	type StoredRelease,
} from '../../support/storedRelease';
import { saved, startTriggerHarness, type TriggerHarness } from '../../support/triggerHarness';

const WATCHED = ['00445790', 'SC123456', 'NI654321'];
const EVENTS = ['filing.new', 'psc.added'];

it('there is a fixture of this release', async () => {
	const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8'));
	// Outside CI a missing one is written, to be committed with the release.
	if (!storedReleases().includes(version) && !process.env.CI) await recordRelease(version);
	expect(storedReleases()).toContain(version);
});

describe.each(storedReleases())('what %s has stored', (release) => {
	let harness: TriggerHarness;
	let stored: StoredRelease;
	let nodeType: INodeType;

	beforeEach(async () => {
		harness = await startTriggerHarness();
		stored = readStoredRelease(release, harness);
		stored.webhooks.forEach((webhook) => harness.simulator.restoreWebhook(webhook));
		nodeType = await afterRestart();
	});
	afterEach(async () => await harness.close());

	function load(staticData = stored.staticData) {
		const { id, nodes } = stored.workflow;
		const [node] = nodes;
		return harness.workflow({ nodeType, node, workflowId: id, staticData });
	}

	/** Id, secret, address and state of each webhook. */
	const summary = (webhooks: Array<Omit<StoredWebhook, 'account'>>) =>
		webhooks.map(({ id, secret, url, is_active }) => ({ id, secret, url, is_active }));
	const stillHolds = (isActive: (company: string) => boolean) =>
		stored.webhooks.map((one) => ({ ...one, is_active: isActive(one.company_number) }));

	it('starts the workflow with deliveries for its companies', async () => {
		const executions = harness.serve(load());
		const watched = stored.webhooks.filter((one) => WATCHED.includes(one.company_number));
		expect(watched).toHaveLength(WATCHED.length);
		for (const { id } of watched) {
			const delivery = { event: 'psc.added', ca: harness.proxy.ca };
			expect((await harness.simulator.deliver(id, delivery)).status).toBe(200);
		}
		expect(executions.flat().map(({ json }) => json)).toEqual(
			watched.map(({ id: webhook_id, company_number }) =>
				expect.objectContaining({ event: 'psc.added', company_number, webhook_id }),
			),
		);
	});

	it('is published without any change at the service', async () => {
		await register(load());
		expect(harness.simulator.requests.map(({ method }) => method)).toEqual(['GET']);
		const [watched] = harness.simulator.webhooks().filter(({ is_active }) => is_active);
		expect(watched.events).toEqual(EVENTS);
	});

	it('is unpublished and published again with the same webhooks and secrets', async () => {
		const workflow = load();
		await callHook('delete', workflow);
		await settled(workflow);
		expect(summary(harness.simulator.webhooks())).toEqual(summary(stillHolds(() => false)));

		nodeType = await afterRestart();
		await register(load(saved(workflow)));
		expect(summary(harness.simulator.webhooks())).toEqual(
			summary(stillHolds((company) => WATCHED.includes(company))),
		);
	});
});
