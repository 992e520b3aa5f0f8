// A copy of n8n's database runs in an n8n at another address, beside the one that it was copied from.
// Takes long because three n8n start.
import { Cleanups } from '../../n8n-host/cleanups';
import { withParameters } from '../../n8n-host/exampleWorkflows';
import type { N8nClient } from '../../n8n-host/n8nClient';
import type { WorkflowRecord } from '../../n8n-host/n8nTypes';
import { startReachableN8n } from '../../n8n-host/reachableN8n';
import { waitFor } from '../../n8n-host/waitFor';
import { serviceOf } from '../../support/atService';
import { keepLog, useSurroundings } from '../surroundings';
import {
	PERSISTENT,
	TRIGGER,
	companyNumbers,
	failures,
	publishedWatcher,
	successfulDeliveries,
	webhooksOf,
} from './watchers';

const surroundings = useSurroundings();
const cleanups = new Cleanups();
let copy: Awaited<ReturnType<typeof startReachableN8n>>;
/** A workflow for each answer of *If Address Changed*. */
let renewed: WorkflowRecord;
let moved: WorkflowRecord;

beforeAll(async () => {
	const { host } = surroundings;
	renewed = await publishedWatcher(surroundings, companyNumbers(3, 81_000_000));
	moved = await publishedWatcher(surroundings, companyNumbers(3, 82_000_000));
	surroundings.simulator.clearRequests();
	await host.stop();
	const copied = host.userFolder;
	copy = await startReachableN8n(cleanups, { copied, isHeadless: true });
	keepLog(cleanups, copy.host, 'copy');
	await host.restart();
});
afterAll(async () => await cleanups.run());

const activeOf = (workflow: WorkflowRecord) =>
	webhooksOf(surroundings.simulator, workflow).filter(({ is_active }) => is_active);

/** Every active webhook of the workflow whose address begins so delivers, and that n8n executes each delivery. */
async function expectExecuted(
	{ client, ca, url }: { client: N8nClient; ca: string; url: string },
	workflow: WorkflowRecord,
): Promise<void> {
	const before = await successfulDeliveries(client, workflow.id);
	const webhooks = activeOf(workflow).filter((webhook) => webhook.url.startsWith(url));
	expect(webhooks).toHaveLength(3);
	const deliveryIds: string[] = [];
	for (const { id } of webhooks) {
		const { simulator } = surroundings;
		const { status, deliveryId } = await simulator.deliver(id, { ca, ...PERSISTENT });
		expect(status).toBe(200);
		deliveryIds.push(deliveryId);
	}
	await waitFor('all to be executed', async () => {
		const executed = await successfulDeliveries(client, workflow.id);
		return (
			deliveryIds.every((id) => executed.includes(id)) && executed.length === before.length + 3
		);
	});
}

/** The n8n that was copied from. */
function original(workflow: WorkflowRecord) {
	const { client, ca } = surroundings;
	const addresses = activeOf(workflow).map(({ url }) => new URL(url).origin);
	return { client, ca, url: String(addresses.find((address) => address !== copy.url)) };
}

async function publishInCopy({ id }: WorkflowRecord, addressChanged: string): Promise<void> {
	const record = await copy.client.workflow(id);
	const options = { addressChanged };
	await copy.client.publishChanges(id, withParameters(record, TRIGGER, { options }));
}

test('until someone chooses, the copy writes nothing to the service and says so, and the original receives its events', async () => {
	const { simulator } = surroundings;
	for (const workflow of [renewed, moved]) {
		const reported = async () => await failures(copy.client, workflow.id);
		const [report] = await waitFor('a report', async () => {
			const reports = await reported();
			return reports.length > 0 && reports;
		});
		expect(report).toMatch(/^n8n's address has changed: 3 companies /);
		await expectExecuted(original(workflow), workflow);
		expect(await reported()).toHaveLength(1);
	}
	const methods = new Set(serviceOf(simulator).methods());
	expect(methods).toEqual(new Set(['GET']));
	expect(simulator.webhooks()).toHaveLength(6);
});

test('with Create New Webhooks, the original keeps its webhooks, and both receive each event', async () => {
	const before = activeOf(renewed);
	await publishInCopy(renewed, 'new');
	expect(activeOf(renewed)).toEqual([
		...before,
		expect.anything(),
		expect.anything(),
		expect.anything(),
	]);
	await expectExecuted(original(renewed), renewed);
	await expectExecuted(copy, renewed);
});

test('with Move Webhooks Here, the webhooks of an n8n that has gone deliver to the copy', async () => {
	const before = activeOf(moved);
	await surroundings.host.kill();
	await publishInCopy(moved, 'move');
	const places = (one: (typeof before)[number]) => ({ ...one, url: new URL(one.url).search });
	expect(activeOf(moved).map(places)).toEqual(before.map(places));
	await expectExecuted(copy, moved);
});
